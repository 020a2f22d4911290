// Decompositions against their defining equations: what they return is put back into the matrix.
#include "numeric/decompositions.h"

#include <gtest/gtest.h>

#include "support/keyed_numbers.h"

namespace chaosgrad {
using namespace internal;
namespace {

constexpr Index n = 7;
constexpr double rounding = 1e-12;  // of 7 × 7 matrices whose condition is below 100

Matrix square() { return testing::signed_numbers(1, n, n); }
Matrix right() { return testing::signed_numbers(2, n, 3); }
Matrix positive() { return square() * square().transpose() + Matrix::Identity(n, n); }

// The same lower triangle, with other numbers above it.
Matrix lower_only(const Matrix& A) {
  Matrix result = A;
  result.triangularView<Eigen::StrictlyUpper>().setConstant(1e6);
  return result;
}

TEST(Decompositions, CholeskyFactorIsLowerAndItsSquareIsA) {
  const Matrix A = positive(), L = cholesky_factor(lower_only(A));
  EXPECT_EQ(Matrix(L.triangularView<Eigen::StrictlyUpper>()).norm(), 0);
  EXPECT_LT((L * L.transpose() - A).norm(), rounding);
  EXPECT_EQ(cholesky_factor(-A).size(), 0);
}

// Hager's estimate of |A⁻¹|₁ is from below, and seldom by more than a factor of three.
TEST(Decompositions, ReciprocalConditionIsThatOfTheInverse) {
  const Matrix A = positive(), inverse = solve_positive(A, Matrix::Identity(n, n));
  const auto norm = [](const Matrix& M) { return M.cwiseAbs().colwise().sum().maxCoeff(); };
  const double exact = 1 / (norm(A) * norm(inverse));
  EXPECT_GE(cholesky(A).reciprocal_condition, exact * (1 - rounding));
  EXPECT_LE(cholesky(A).reciprocal_condition, 3 * exact);
}

TEST(Decompositions, SolutionsSatisfyTheirEquations) {
  const Matrix A = positive(), b = right(), L = cholesky_factor(A);
  EXPECT_LT((L * solve_lower(L, b) - b).norm(), rounding);
  EXPECT_LT((A * solve_cholesky(L, b) - b).norm(), rounding);
  EXPECT_LT((A * solve_positive(lower_only(A), b) - b).norm(), rounding);
  Vector signs = Vector::Ones(n);
  signs(2) = signs(5) = -2;
  const ThinQR qr = thin_qr(square());
  const Matrix indefinite = qr.q * signs.asDiagonal() * qr.q.transpose();
  EXPECT_LT((indefinite * solve_symmetric(lower_only(indefinite), b) - b).norm(), rounding);
  EXPECT_LT((square() * solve_square(square(), b) - b).norm(), rounding);
}

TEST(Decompositions, EigenvaluesAndVectorsRebuildTheMatrix) {
  const Matrix A = positive();
  const SymmetricEigen eigen = symmetric_eigen(lower_only(A));
  EXPECT_LT((eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose() - A).norm(),
            rounding);
  EXPECT_LT((symmetric_eigenvalues(A) - eigen.values).norm(), rounding);
  const Vector diagonal = square().col(0), beside = square().col(1).head(n - 1);
  Matrix T = diagonal.asDiagonal();
  T.diagonal(1) = T.diagonal(-1) = beside;
  const SymmetricEigen of_t = tridiagonal_eigen(diagonal, beside);
  EXPECT_LT((T * of_t.vectors - of_t.vectors * of_t.values.asDiagonal()).norm(), rounding);
  EXPECT_LT((tridiagonal_eigenvalues(diagonal, beside) - of_t.values).norm(), rounding);
}

TEST(Decompositions, LeastSquaresLeavesAResidualThatIsNormalToTheColumns) {
  const Matrix A = testing::signed_numbers(3, 20, 4), b = testing::signed_numbers(4, 20, 2);
  EXPECT_LT((A.transpose() * (A * least_squares(A, b) - b)).norm(), rounding);
  const ThinQR qr = thin_qr(A);
  EXPECT_LT((qr.q * qr.r - A).norm(), rounding);
  EXPECT_LT((qr.q.transpose() * qr.q - Matrix::Identity(4, 4)).norm(), rounding);
}

}  // namespace
}  // namespace chaosgrad
