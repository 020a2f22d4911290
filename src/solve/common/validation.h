#pragma once
// The distance to a known optimum, on fixed samples of θ: for the history of adaptive runs.
#include <optional>

#include "chaosgrad/basis.h"
#include "chaosgrad/lift.h"
#include "chaosgrad/problem.h"
#include "parallel/executor.h"

namespace chaosgrad::internal {

class Validation {
 public:
  Validation(const Oracle& oracle, std::uint64_t seed, Index samples = 2048);
  // ‖x_u − x*‖_π by Monte Carlo; empty if the problem has no reference.
  // With `lift` u are coefficients of y.
  [[nodiscard]] std::optional<double> error(const Basis& basis, const Coefficients& u,
                                            Executor& executor, const Lift* lift = nullptr) const;

 private:
  Matrix eta_, theta_, exact_;
};

}  // namespace chaosgrad::internal
