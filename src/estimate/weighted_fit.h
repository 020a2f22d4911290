#pragma once
// Weighted least squares on an orthonormal basis with a penalty on each coefficient, and its
// leave-one-out error.
#include "chaosgrad/types.h"
#include "parallel/executor.h"

namespace chaosgrad::internal {

struct WeightedFit {
  // m×q: minimises Σ_j w_j |x_j − Σ_i u_i ψ_i(η_j)|² + Σ_i p_i |u_i|². Empty: not determined.
  Coefficients u;
  Matrix residuals;   // N×q: x_j − x_u(η_j)
  Vector slack;       // 1 − h_j, h_j = w_j ψ_jᵀ A⁻¹ ψ_j the leverage, A = Σ w ψ ψᵀ + diag(p)
  Vector determined;  // m: 1 − p_i (A⁻¹)_ii; 1: by the samples alone, 0: by the penalty alone

  // x_j minus the fit without sample j, N×q: residual/(1 − h_j), for the penalties as they are.
  [[nodiscard]] Matrix left_out() const;
};

// psi is N×m, weights N, x N×q, penalties m (not negative; all 0: least squares).
[[nodiscard]] WeightedFit fit_weighted(const Matrix& psi, const Vector& weights, const Matrix& x,
                                       const Vector& penalties, Executor& executor);

}  // namespace chaosgrad::internal
