#include "constraint/metric_factor.h"

#include <algorithm>
#include <cmath>

#include "numeric/decompositions.h"
#include "numeric/symmetric.h"

namespace chaosgrad::internal {

Matrix positive_factor(const Matrix& H, double least) {
  const SymmetricEigen eigen = symmetric_eigen(symmetric_part(H));
  const double floor = least * std::max(eigen.values.cwiseAbs().maxCoeff(), 1e-300);
  return cholesky_factor(eigen.vectors * eigen.values.cwiseMax(floor).asDiagonal() *
                         eigen.vectors.transpose());
}

Matrix inverse_factor(const Matrix& factor) {
  const Matrix inverse = solve_lower(factor, Matrix::Identity(factor.rows(), factor.cols()));
  const Matrix M = inverse.transpose() * inverse;
  Matrix result = cholesky_factor(M);
  if (result.size() > 0 || !M.allFinite()) return result;
  return positive_factor(M, 1e-14);  // singular to rounding
}

Vector packed_factor(const Matrix& R) {
  const Index q = R.rows();
  Vector entries(q * (q + 1) / 2);
  Index column = 0;
  for (Index i = 0; i < q; ++i) {
    for (Index j = 0; j <= i; ++j) entries(column++) = R(i, j);
  }
  return entries;
}

std::shared_ptr<const Lift> constant_lift(std::shared_ptr<const Constraints> constraints,
                                          const std::vector<Family>& families,
                                          const Matrix& factor) {
  return std::make_shared<Lift>(
      std::move(constraints),
      Basis(families, IndexSet::first(static_cast<Index>(families.size()), 1)),
      Coefficients(packed_factor(inverse_factor(factor)).transpose()));
}

}  // namespace chaosgrad::internal
