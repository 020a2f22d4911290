#include "curvature/curvature.h"

#include <algorithm>
#include <cmath>
#include "numeric/decompositions.h"
#include "numeric/symmetric.h"
#include "random/random.h"

namespace chaosgrad::internal {

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

Curvature decompose(const KrylovSpace& space) {
  Curvature result = decompose(space.tridiagonal);
  result.vectors = (space.vectors * result.vectors).eval();
  result.rest = std::exp(result.eigenvalues.array().max(1e-300).log().mean());
  return result;
}

Curvature measure_curvature(const MeanGradient& gradient, const Vector& x, bool noisy,
                            const Stream& start) {
  const Index q = x.size();
  const double relative = relative_step(Difference::forward, noisy);
  if (q <= dense_limit) {
    const Vector h = relative * (1 + x.array().abs());
    return decompose(hessian_by_differences(gradient, x, h, Difference::forward));
  }
  const Vector g = gradient(x);
  const double h = relative * (1 + x.norm() / std::sqrt(static_cast<double>(q)));
  return decompose(
      lanczos([&](const Vector& v) -> Vector { return (gradient(x + h * v) - g) / h; }, q, start));
}

}  // namespace chaosgrad::internal
