#include "numeric/decompositions.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

namespace chaosgrad::internal {
namespace {

using EigenSolver = Eigen::SelfAdjointEigenSolver<Matrix>;

EigenSolver tridiagonal(const Vector& diagonal, const Vector& beside, int options) {
  EigenSolver solver;
  solver.computeFromTridiagonal(diagonal, beside, options);
  return solver;
}

}  // namespace

SymmetricEigen symmetric_eigen(const Matrix& A) {
  const EigenSolver solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Vector symmetric_eigenvalues(const Matrix& A) {
  return EigenSolver(A, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricEigen tridiagonal_eigen(const Vector& diagonal, const Vector& beside) {
  const EigenSolver solver = tridiagonal(diagonal, beside, Eigen::ComputeEigenvectors);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Vector tridiagonal_eigenvalues(const Vector& diagonal, const Vector& beside) {
  return tridiagonal(diagonal, beside, Eigen::EigenvaluesOnly).eigenvalues();
}

Matrix cholesky_factor(const Matrix& A) {
  const Eigen::LLT<Matrix> solver(A);
  if (solver.info() != Eigen::Success) return {};
  return solver.matrixL();
}

Cholesky cholesky(const Matrix& A) {
  const Eigen::LLT<Matrix> solver(A);
  if (solver.info() != Eigen::Success) return {};
  return {solver.matrixL(), solver.rcond()};
}

Matrix solve_lower(const Matrix& L, Matrix b) {
  L.triangularView<Eigen::Lower>().solveInPlace(b);
  return b;
}

Matrix solve_cholesky(const Matrix& L, Matrix b) {
  L.triangularView<Eigen::Lower>().solveInPlace(b);
  L.triangularView<Eigen::Lower>().adjoint().solveInPlace(b);
  return b;
}

Vector solve_cholesky(const Matrix& L, Vector b) {
  L.triangularView<Eigen::Lower>().solveInPlace(b);
  L.triangularView<Eigen::Lower>().adjoint().solveInPlace(b);
  return b;
}

Matrix solve_positive(const Matrix& A, const Matrix& b) { return A.llt().solve(b); }

Matrix solve_symmetric(const Matrix& A, const Matrix& b) { return A.ldlt().solve(b); }

Matrix solve_square(const Matrix& A, const Matrix& b) { return A.partialPivLu().solve(b); }

ThinQR thin_qr(const Matrix& A) {
  const Eigen::HouseholderQR<Matrix> factor(A);
  ThinQR result;
  result.q = factor.householderQ() * Matrix::Identity(A.rows(), A.cols());
  result.r = factor.matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>();
  return result;
}

Matrix least_squares(const Matrix& A, const Matrix& b) { return A.householderQr().solve(b); }

}  // namespace chaosgrad::internal
