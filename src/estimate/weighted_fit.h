#pragma once
// Weighted least squares on an orthonormal basis with a penalty on each coefficient, and its
// leave-one-out error.
#include <optional>

#include "chaosgrad/types.h"
#include "parallel/executor.h"

namespace chaosgrad::internal {

struct WeightedFit {
  // m×q: minimises Σ_j w_j |x_j − Σ_i u_i ψ_i(η_j)|² + Σ_i p_i |u_i|².
  Coefficients u;
  Matrix residuals;  // N×q: x_j − x_u(η_j)
};

// All that does not depend on x, made once for any number of fits through the same samples.
class WeightedDesign {
 public:
  // psi is N×m, weights N, penalties m (not negative; all 0: least squares). Empty if that does not
  // determine the coefficients.
  [[nodiscard]] static std::optional<WeightedDesign> make(Matrix psi, Vector weights,
                                                          Vector penalties, Executor& executor);
  // The same with other penalties. False, and of no use any more, if they do not determine the
  // coefficients.
  [[nodiscard]] bool penalise(const Vector& penalties, Executor& executor);

  [[nodiscard]] WeightedFit fit(const Matrix& x, Executor& executor) const;  // x is N×q

  // Of further columns c at the samples (N×k): Σ w c² less what the columns of psi explain of it, that
  // is c with the covariance of the residuals, times the variance of x at weight 1.
  [[nodiscard]] Vector unexplained(const Matrix& columns) const;

  [[nodiscard]] const Matrix& psi() const { return psi_; }
  [[nodiscard]] const Vector& weights() const { return weights_; }
  // 1 − h_j, h_j = w_j ψ_jᵀ A⁻¹ ψ_j the leverage, A = Σ w ψ ψᵀ + diag(p). The error at η_j of the
  // fit without sample j is the residual over it, for the penalties as they are.
  [[nodiscard]] const Vector& slack() const { return slack_; }
  // 1 − p_i (A⁻¹)_ii: 1 where the samples alone determine u_i, 0 where the penalty alone does.
  [[nodiscard]] const Vector& determined() const { return determined_; }

 private:
  WeightedDesign() = default;

  Matrix psi_;
  Vector weights_;
  Matrix gram_;    // Σ w ψ ψᵀ, the lower triangle
  Vector scale_;   // of the columns, such that A has ones on its diagonal: penalties of very
  Matrix factor_;  // different sizes then do no harm to its condition; and its Cholesky factor
  Vector slack_, determined_;
};

}  // namespace chaosgrad::internal
