#pragma once
// ‖∇f(x_u)‖²_π without bias: at each θ the product of the gradients of two independent draws of the
// noise has the mean |∇f|².
#include <cstdint>

#include "chaosgrad/basis.h"
#include "chaosgrad/problem.h"
#include "parallel/executor.h"
#include "random/streams.h"

namespace chaosgrad::internal {

struct PairedGradients {
  Matrix first, second;                   // B×q; the same where there is no noise
  [[nodiscard]] Vector products() const;  // row by row
};
// At rows of x and θ, samples number `sample`, … of a run; step 0 and 1 of `noise` give the draws.
[[nodiscard]] PairedGradients paired_gradients(const Oracle& oracle, const Block& x,
                                               const Block& theta, std::uint64_t seed,
                                               Purpose noise, Index sample);

}  // namespace chaosgrad::internal
