#include "solve/collocation/curvature/symmetric_regression.h"

#include <numeric>

#include "numeric/symmetric.h"
#include "samples/basis_table.h"

namespace chaosgrad::internal {
namespace {

using Matrices = std::vector<Matrix>;

// Row j: Σ_ν ψ_ν(η_j) W_ν z_j.
Matrix apply(const Matrices& W, const Matrix& psi, const Matrix& z) {
  Matrix result = Matrix::Zero(z.rows(), z.cols());
  for (std::size_t v = 0; v < W.size(); ++v)
    result += psi.col(static_cast<Index>(v)).asDiagonal() * (z * W[v]);
  return result;
}

// The adjoint of apply() on symmetric matrices.
Matrices adjoint(const Matrix& psi, const Matrix& z, const Matrix& r) {
  Matrices result;
  for (Index v = 0; v < psi.cols(); ++v)
    result.push_back(symmetric_part(r.transpose() * (psi.col(v).asDiagonal() * z)));
  return result;
}

double inner(const Matrices& A, const Matrices& B) {
  return std::transform_reduce(
      A.begin(), A.end(), B.begin(), 0.0, std::plus<>(),
      [](const Matrix& a, const Matrix& b) { return a.cwiseProduct(b).sum(); });
}

// A ← a A + b B.
void combine(double a, Matrices& A, double b, const Matrices& B) {
  for (std::size_t v = 0; v < A.size(); ++v) A[v] = a * A[v] + b * B[v];
}

}  // namespace

std::vector<Matrix> SymmetricRegression::matrices(const Matrix& eta) const {
  Executor serial(1);
  const Matrix psi = basis_table(basis, eta, basis.size(), serial);
  const Index q = weights.front().rows();
  Matrices result(static_cast<std::size_t>(eta.rows()), Matrix::Zero(q, q));
  for (Index j = 0; j < eta.rows(); ++j) {
    for (Index v = 0; v < psi.cols(); ++v)
      result[static_cast<std::size_t>(j)] += psi(j, v) * weights[static_cast<std::size_t>(v)];
  }
  return result;
}

SymmetricRegression fit_symmetric(const Basis& basis, const Matrix& eta, const Matrix& z,
                                  const Matrix& t, double ridge, int steps) {
  constexpr double done = 1e-8;  // of the first gradient's norm: far below what pairs determine
  Executor serial(1);
  const Matrix psi = basis_table(basis, eta, basis.size(), serial);
  const Index q = z.cols();
  const double shrinkage = ridge * z.squaredNorm() / static_cast<double>(q);
  Matrices W(static_cast<std::size_t>(basis.size()), Matrix::Zero(q, q));
  Matrices gradient = adjoint(psi, z, t);  // of half the sum of squares, downhill
  Matrices direction = gradient;
  double square = inner(gradient, gradient);
  const double first = square;
  for (int step = 0; step < steps && square > done * done * first; ++step) {
    const Matrix image = apply(direction, psi, z);
    const double length = square / (image.squaredNorm() + shrinkage * inner(direction, direction));
    combine(1, W, length, direction);
    Matrices change = adjoint(psi, z, image);
    combine(1, change, shrinkage, direction);
    combine(1, gradient, -length, change);
    const double before = std::exchange(square, inner(gradient, gradient));
    combine(square / before, direction, 1, gradient);
  }
  return {basis, std::move(W)};
}

}  // namespace chaosgrad::internal
