#include "estimate/residual_coefficients.h"

#include "basis/kernels.h"

namespace chaosgrad::internal {

void ResidualCoefficients::add(const BasisBlock& psi, const Matrix& r) {
  project(psi, r, sums);
  const Vector lengths = r.rowwise().squaredNorm();
  for (Index i = 0; i < psi.functions(); ++i) {
    for (Index j = 0; j < r.rows(); ++j) noise(i) += lengths(j) * psi(j, i) * psi(j, i);
  }
  count += static_cast<double>(r.rows());
}

Vector ResidualCoefficients::squares() const {
  return (sums.rowwise().squaredNorm() - noise) / (count * (count - 1));
}

}  // namespace chaosgrad::internal
