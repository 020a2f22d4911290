#pragma once
// Weighted least squares on an orthonormal basis, with its leave-one-out error.
#include "chaosgrad/types.h"
#include "parallel/executor.h"

namespace chaosgrad::internal {

struct WeightedFit {
  Coefficients u;        // m×q: minimises Σ_j w_j |x_j − Σ_i u_i ψ_i(η_j)|²
  Matrix residuals;      // N×q: x_j − x_u(η_j)
  Vector leverages;      // h_j = w_j ψ_jᵀ (Σ w ψ ψᵀ)⁻¹ ψ_j
  double condition = 0;  // reciprocal condition number of the Gram matrix; 0: singular

  // w_j |residual|²/(1 − h_j)²: the squared error at η_j of the fit without sample j. Their mean
  // estimates ‖x_u − x‖²_π. 1 − h_j counts as `least_slack` at least.
  [[nodiscard]] Vector left_out_squares(const Vector& weights, double least_slack) const;
};

// psi is N×m, weights N, x N×q. Empty u if the Gram matrix is singular.
[[nodiscard]] WeightedFit fit_weighted(const Matrix& psi, const Vector& weights, const Matrix& x,
                                       Executor& executor);

}  // namespace chaosgrad::internal
