#pragma once
// Decompositions of dense matrices, compiled once: Eigen's templates for them take seconds in every
// file that uses one.
#include "chaosgrad/types.h"

namespace chaosgrad::internal {

// A = V diag(values) Vᵀ, eigenvalues ascending. Only the lower triangle of A is read.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;  // V, a column each; empty where only the eigenvalues were asked for
};
[[nodiscard]] SymmetricEigen symmetric_eigen(const Matrix& A);
[[nodiscard]] Vector symmetric_eigenvalues(const Matrix& A);

// The same for a tridiagonal matrix: n diagonal entries and the n − 1 beside them.
[[nodiscard]] SymmetricEigen tridiagonal_eigen(const Vector& diagonal, const Vector& beside);
[[nodiscard]] Vector tridiagonal_eigenvalues(const Vector& diagonal, const Vector& beside);

// Lower triangular L with L Lᵀ = A, of which only the lower triangle is read; empty if A is not positive definite.
[[nodiscard]] Matrix cholesky_factor(const Matrix& A);

// The same with an estimate of 1/cond(A), in the 1-norm.
struct Cholesky {
  Matrix factor;
  double reciprocal_condition = 0;
};
[[nodiscard]] Cholesky cholesky(const Matrix& A);

// L⁻¹ b and (L Lᵀ)⁻¹ b.
[[nodiscard]] Matrix solve_lower(const Matrix& L, Matrix b);
[[nodiscard]] Matrix solve_cholesky(const Matrix& L, Matrix b);
[[nodiscard]] Vector solve_cholesky(const Matrix& L, Vector b);

// A⁻¹ b for a positive definite A, and for any symmetric one. Only the lower triangle of A is read.
[[nodiscard]] Matrix solve_positive(const Matrix& A, const Matrix& b);
[[nodiscard]] Matrix solve_symmetric(const Matrix& A, const Matrix& b);

// A⁻¹ b for any invertible A; not finite for a singular one.
[[nodiscard]] Matrix solve_square(const Matrix& A, const Matrix& b);

// A = Q R for A of full column rank: Q has the shape of A, R is upper triangular.
struct ThinQR {
  Matrix q, r;
};
[[nodiscard]] ThinQR thin_qr(const Matrix& A);

// The x that minimises |A x − b| per column.
[[nodiscard]] Matrix least_squares(const Matrix& A, const Matrix& b);

}  // namespace chaosgrad::internal
