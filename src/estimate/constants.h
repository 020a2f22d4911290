#pragma once
// μ, L, V and V_G of a problem from samples of its gradient, for users who do not know them.
#include <cstdint>

#include "chaosgrad/problem.h"
#include "chaosgrad/solution.h"

namespace chaosgrad::internal {

// All four constants from samples, whatever is given.
//
// Curvature: extreme eigenvalues of E_v ∇²F by differences of gradients with common noise, at
// `points` samples of θ, at the start and after one Newton-like step towards the optimum; whole
// Hessians up to pointwise_limit, Lanczos' method beyond. Noise: at each of these points the
// variance of ∇F over v against |∇f|². A μ that is not positive means that the problem is not
// strongly convex at one of the points.
[[nodiscard]] ProblemConstants measure_constants(const Oracle& oracle, std::uint64_t seed,
                                                 Index points = 24);

// Given constants as they are, the others measured.
[[nodiscard]] ProblemConstants estimate_constants(const Oracle& oracle, std::uint64_t seed,
                                                  Index points = 24);

}  // namespace chaosgrad::internal
