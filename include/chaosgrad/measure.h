#pragma once
// π, the distribution of θ ∈ R^d: independent components, or components tied by a Gaussian copula.
//
// The germ η ∈ R^d has independent components and drives θ = T(η). Without dependence η = θ. With a
// Gaussian copula a component that is correlated with others has a standard normal germ:
//   z = C ξ (C Cᵀ = correlation), θ_k = F_k⁻¹(Φ(z_k)),
// and an uncorrelated component keeps η_k = θ_k, or has η_k = log θ_k where that is asked for.
// Bases are orthonormal in the germ, hence in L²_π.
//
// And ν, the distribution of the noise v: numbers that are uniform on (0, 1), one axis each.
#include <optional>
#include <vector>

#include "chaosgrad/distribution.h"

namespace chaosgrad {

class Measure {
 public:
  // Throws InputError("parameters", …) if there are none.
  explicit Measure(std::vector<Distribution> marginals);
  // Throws InputError("dependence.correlation", …) unless it is d×d, symmetric, has unit diagonal
  // and is positive definite. The identity is no dependence.
  Measure(std::vector<Distribution> marginals, Matrix correlation);

  // The same π with the germ η_k = log θ_k: normal for a lognormal θ_k, uniform for a log-uniform
  // one. Throws InputError("basis", …) for other distributions and for a correlated θ_k.
  [[nodiscard]] Measure with_logarithm(Index k) const;

  [[nodiscard]] Index dimension() const { return static_cast<Index>(marginals_.size()); }
  [[nodiscard]] const std::vector<Distribution>& marginals() const { return marginals_; }
  [[nodiscard]] const std::vector<Distribution>& germs() const { return germs_; }
  [[nodiscard]] bool is_dependent() const { return correlation_.has_value(); }
  [[nodiscard]] const std::optional<Matrix>& correlation() const { return correlation_; }
  [[nodiscard]] bool is_correlated(Index k) const;   // its germ is standard normal
  [[nodiscard]] bool is_logarithmic(Index k) const;  // its germ is log θ_k
  [[nodiscard]] bool is_own_germ() const;            // η = θ

  // All blocks are B×d. Input and output may be the same block.
  void germ_from_uniform(const Block& u, BlockOut eta) const;
  void parameters_from_germ(const Block& eta, BlockOut theta) const;
  // The inverse. A discrete θ_k under a copula has an interval of z_k: the point of it halfway in
  // probability is taken (see Distribution::to_standard_normal).
  void germ_from_parameters(const Block& theta, BlockOut eta) const;
  // ∂η_i/∂θ_j at one point θ inside the support (d×d). A discrete θ_j under a copula cannot move:
  // its column is 0.
  [[nodiscard]] Matrix germ_jacobian(const Vector& theta) const;

 private:
  std::vector<Distribution> marginals_;
  std::vector<Distribution> germs_;
  std::optional<Matrix> correlation_;
  enum class Chart { identity, logarithm, score };  // how η_k comes from θ
  std::vector<Chart> charts_;
  Matrix factor_;  // C, lower triangular
};

// How a quadrature rule should treat one uniform noise number u: as it is (smooth in u), as Φ(z)
// with z normal (smooth in z), or as the choice among finitely many cases (summed exactly): case i
// for u in the i-th of consecutive intervals of length weights[i].
struct NoiseAxis {
  enum class Kind { uniform, normal, cases };
  Kind kind = Kind::uniform;
  Vector weights = {};  // of the cases; they sum to 1
  // Of ∇F as a polynomial in u (uniform) or z (normal): a Gauss rule then gives its expectation
  // exactly. Empty: not known to be one.
  std::optional<int> degree = {};
};

}  // namespace chaosgrad
