#pragma once
// The problems coded in C++, described in their own files and in docs/problems.md.
#include "problem/coded_problem.h"

namespace chaosgrad::internal {

// Hessians are offered up to this many variables, as those of formulas.
inline constexpr Index hessian_limit = 50;

[[nodiscard]] CodedProblem elliptic_control(Index d, Index q, double beta,
                                            const QuantitySpec& quantities);
[[nodiscard]] CodedProblem oscillator_control(Index q, double horizon, double weight,
                                              const QuantitySpec& quantities);
[[nodiscard]] CodedProblem quadratic(Index d, Index active, Index q, double condition,
                                     const QuantitySpec& quantities);

}  // namespace chaosgrad::internal
