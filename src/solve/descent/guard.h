#pragma once
// The guard: steps are cut to what the noise of the gradient estimate allows, before the iterates
// diverge.
#include "estimate/constants.h"
#include "solve/common/momentum.h"
#include "solve/common/plan.h"

namespace chaosgrad::internal {

// Gradient descent: the largest step of the fixed-level theorem, 2/((μ + L) C_G) with
// C_G = 1 + 2 V_G Q/M; 1 for an exact gradient (Q = 0).
[[nodiscard]] double largest_gradient_step(const Level& level, const ProblemConstants& constants);

// Spectral radius of the second moments (E e_k², E e_k e_{k−1}, E e_{k−1}²) of the accelerated
// iteration on one eigenvalue λ of the Hessian, when the estimate adds noise of variance s λ² |y|²:
// docs/mathematics.md, "Mean-square stability".
[[nodiscard]] double second_moment_rate(double alpha, double beta, double lambda, double s);

// The accelerated method: `alpha` itself if the second moments contract at least half as fast as
// they would without noise (for every λ in [μ, L], with momentum β), otherwise the largest smaller
// step for which they do with the paired momentum.
[[nodiscard]] double stable_accelerated_step(double alpha, double beta, const Level& level,
                                             const ProblemConstants& constants);

}  // namespace chaosgrad::internal
