#pragma once
// The coefficients c_i = E[r ψ_i] of a residual r(θ) ∈ R^q from samples, and the noise in them.
#include "chaosgrad/basis.h"

namespace chaosgrad::internal {

struct ResidualCoefficients {
  ResidualCoefficients(Index m, Index q) : sums(Coefficients::Zero(m, q)), noise(Vector::Zero(m)) {}

  Coefficients sums;  // Σ_j r_j ψ_i(θ_j), m×q
  Vector noise;       // Σ_j |r_j|² ψ_i(θ_j)²
  double count = 0;   // n, the number of samples

  // One block: r is B×q.
  void add(const BasisBlock& psi, const Matrix& r);
  // |c_i|² without bias: |Σ r ψ_i|² less its diagonal terms estimates n(n − 1)|c_i|².
  [[nodiscard]] Vector squares() const;
};

}  // namespace chaosgrad::internal
