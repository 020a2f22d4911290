#include "curvature/curvature.h"

#include <algorithm>
#include <cmath>

#include "numeric/decompositions.h"
#include "numeric/symmetric.h"
#include "random/random.h"

namespace chaosgrad::internal {
namespace {

Curvature dense_curvature(const MeanGradient& gradient, const Vector& x, double relative_step) {
  const Index q = x.size();
  const Vector g = gradient(x);
  Matrix D(q, q);
  for (Index a = 0; a < q; ++a) {
    Vector moved = x;
    const double h = relative_step * (1 + std::abs(x(a)));
    moved(a) += h;
    D.col(a) = (gradient(moved) - g) / (moved(a) - x(a));
  }
  return decompose(D);
}

// Lanczos with full reorthogonalisation, from a random vector.
Curvature krylov_curvature(const MeanGradient& gradient, const Vector& x, double relative_step,
                           std::uint64_t seed) {
  const Index q = x.size(), k = std::min(krylov_dimension, q);
  const Vector g = gradient(x);
  const double h = relative_step * (1 + x.norm() / std::sqrt(static_cast<double>(q)));
  Matrix start(1, q);
  fill_uniform(make_stream(seed, Purpose::constants, 1), 0, start);
  Matrix V(q, k), T = Matrix::Zero(k, k);
  V.col(0) = (start.row(0).transpose().array() - 0.5).matrix().normalized();
  Index size = 0;
  for (Index j = 0; j < k; ++j) {
    Vector w = (gradient(x + h * V.col(j)) - g) / h;
    T.col(j).head(j + 1) = V.leftCols(j + 1).transpose() * w;
    size = j + 1;
    if (j + 1 == k) break;
    for (int pass = 0; pass < 2; ++pass)
      w -= V.leftCols(j + 1) * (V.leftCols(j + 1).transpose() * w);
    if (w.norm() < 1e-10 * std::abs(T(0, 0))) break;
    V.col(j + 1) = w.normalized();
  }
  const Matrix upper = T.topLeftCorner(size, size).triangularView<Eigen::Upper>();
  const Matrix full = upper + upper.transpose() - Matrix(upper.diagonal().asDiagonal());
  // Lanczos makes T tridiagonal: what differences add beyond it is noise.
  Matrix tridiagonal = Matrix::Zero(size, size);
  for (Index i = 0; i < size; ++i) {
    for (Index j = std::max<Index>(0, i - 1); j < std::min(size, i + 2); ++j)
      tridiagonal(i, j) = full(i, j);
  }
  Curvature result = decompose(tridiagonal);
  result.vectors = (V.leftCols(size) * result.vectors).eval();
  result.rest = std::exp(result.eigenvalues.array().max(1e-300).log().mean());
  return result;
}

}  // namespace

Matrix Curvature::solve(const Matrix& g) const {
  const Matrix projected = g * vectors;
  Matrix result = projected * eigenvalues.cwiseInverse().asDiagonal() * vectors.transpose();
  if (vectors.cols() < vectors.rows()) result += (g - projected * vectors.transpose()) / rest;
  return result;
}

Matrix Curvature::matrix() const {
  Matrix result = vectors * eigenvalues.asDiagonal() * vectors.transpose();
  if (vectors.cols() < vectors.rows()) {
    const Index q = vectors.rows();
    result += rest * (Matrix::Identity(q, q) - vectors * vectors.transpose());
  }
  return result;
}

Curvature decompose(const Matrix& hessian) {
  Curvature result;
  const Matrix difference = hessian - hessian.transpose();
  result.asymmetry = difference.norm() / hessian.norm();
  difference.cwiseAbs().maxCoeff(&result.asymmetric_row, &result.asymmetric_column);
  SymmetricEigen eigen = symmetric_eigen(symmetric_part(hessian));
  result.vectors = std::move(eigen.vectors);
  result.eigenvalues = std::move(eigen.values);
  return result;
}

Curvature measure_curvature(const MeanGradient& gradient, const Vector& x, double relative_step,
                            std::uint64_t seed) {
  return x.size() <= dense_limit ? dense_curvature(gradient, x, relative_step)
                                 : krylov_curvature(gradient, x, relative_step, seed);
}

}  // namespace chaosgrad::internal
