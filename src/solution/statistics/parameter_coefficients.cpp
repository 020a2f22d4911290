#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "numeric/decompositions.h"
#include "random/random.h"
#include "solution/statistics/coefficients.h"

namespace chaosgrad::internal {
namespace {

// E[θ B_n(θ)] for n ≥ 1. Polynomials: θ = mean + sd B_1. Trigonometric: √2 (w/2πh)(−1)^(h+1) for
// the sine of harmonic h, w the length of the interval.
double family_coefficient(const Family& family, int n) {
  if (family.kind() == Family::Kind::polynomial) return n == 1 ? family.distribution().sd() : 0;
  if (n % 2 == 1) return 0;
  const double width = family.distribution().upper() - family.distribution().lower();
  const int h = n / 2;
  return std::numbers::sqrt2 * width / (2 * std::numbers::pi * h) * (h % 2 == 1 ? 1 : -1);
}

// E[exp(η) B_n(η)], n = 0 … degree, for polynomials in a normal or uniform η.
Vector exponential_coefficients(const Family& family, Index degree) {
  if (const auto* normal = std::get_if<Normal>(&family.distribution().parameters())) {
    // exp(μ + σz) = exp(μ + σ²/2) Σ σⁿ/√n! He_n(z)
    Vector coefficients(degree + 1);
    coefficients(0) = std::exp(normal->mean + normal->sd * normal->sd / 2);
    for (Index n = 1; n <= degree; ++n)
      coefficients(n) = coefficients(n - 1) * normal->sd / std::sqrt(static_cast<double>(n));
    return coefficients;
  }
  const Quadrature rule = family.gauss(degree + 64);
  Matrix values(rule.nodes.size(), degree + 1);
  family.values(rule.nodes.data(), rule.nodes.size(), values);
  return values.transpose() * rule.weights.cwiseProduct(rule.nodes.array().exp().matrix());
}

// He_0 … He_degree at z, orthonormal: total degrees go beyond those that a Family has.
Vector hermite_values(double z, Index degree) {
  Vector values = Vector::Ones(degree + 1);
  if (degree > 0) values(1) = z;
  for (Index n = 1; n < degree; ++n) {
    const auto k = static_cast<double>(n);
    values(n + 1) = (z * values(n) - std::sqrt(k) * values(n - 1)) / std::sqrt(k + 1);
  }
  return values;
}

// E[T(z) He_n(z)], n = 0 … degree, z standard normal, T = F⁻¹ ∘ Φ.
Vector hermite_coefficients(const Distribution& distribution, Index degree) {
  Vector coefficients = Vector::Zero(degree + 1);
  if (const auto* discrete = std::get_if<Discrete>(&distribution.parameters())) {
    // T is a step function; ∫_a^∞ He_n φ = He_{n−1}(a) φ(a)/√n.
    double below = 0;
    for (std::size_t j = 0; j + 1 < discrete->values.size(); ++j) {
      below += discrete->weights[j];
      const double a = normal_quantile(below), jump = discrete->values[j + 1] - discrete->values[j];
      const double density = std::exp(-a * a / 2) / std::sqrt(2 * std::numbers::pi);
      const Vector values = hermite_values(a, degree);
      for (Index n = 1; n <= degree; ++n)
        coefficients(n) += jump * values(n - 1) * density / std::sqrt(static_cast<double>(n));
    }
    return coefficients;
  }
  // T is smooth: what the rule cannot tell from lower degrees is nothing.
  constexpr Index nodes = 150, resolved = 100;
  const Quadrature rule = Family(Normal{0, 1}).gauss(nodes);
  Vector theta(nodes);
  distribution.from_standard_normal(rule.nodes.data(), theta.data(), nodes);
  for (Index i = 0; i < nodes; ++i) {
    coefficients.head(std::min(degree, resolved) + 1) +=
        rule.weights(i) * theta(i) * hermite_values(rule.nodes(i), std::min(degree, resolved));
  }
  return coefficients;
}

// An index by the dimensions that are active in it.
struct SparseIndex {
  std::vector<std::pair<Index, int>> degrees;
  int total = 0;
};

SparseIndex sparse(const MultiIndex& index) {
  SparseIndex result;
  for (std::size_t k = 0; k < index.size(); ++k) {
    if (index[k] == 0) continue;
    result.degrees.emplace_back(static_cast<Index>(k), index[k]);
    result.total += index[k];
  }
  return result;
}

// With z = c·ξ, |c| = 1: E[He_n(z) Π_j He_{ν_j}(ξ_j)] = √(n!/Π ν_j!) Π c_j^{ν_j} where n = Σ ν_j.
double rotation(const SparseIndex& index, const Vector& c) {
  double logarithm = 0, sign = 1;
  for (const auto& [j, degree] : index.degrees) {
    const double factor = c(j);
    if (factor == 0) return 0;
    if (factor < 0 && degree % 2 == 1) sign = -sign;
    logarithm += degree * std::log(std::abs(factor)) - 0.5 * std::lgamma(degree + 1);
  }
  return sign * std::exp(logarithm + 0.5 * std::lgamma(index.total + 1));
}

}  // namespace

Matrix parameter_coefficients(const Expansion& expansion) {
  const Measure& measure = expansion.measure();
  const std::vector<Family>& families = expansion.basis().families();
  const Index m = expansion.coefficients().rows(), d = measure.dimension();
  std::vector<SparseIndex> indices;
  Index degree = 0;
  for (Index i = 0; i < m; ++i) {
    indices.push_back(sparse(expansion.basis().indices()[i]));
    degree = std::max<Index>(degree, indices.back().total);
  }
  Matrix factor;
  if (measure.is_dependent()) factor = cholesky_factor(*measure.correlation());

  Matrix coefficients = Matrix::Zero(m, d);
  for (Index k = 0; k < d; ++k) {
    if (!measure.is_correlated(k)) continue;
    const Vector row = factor.row(k).transpose();
    const Vector hermite =
        hermite_coefficients(measure.marginals()[static_cast<std::size_t>(k)], degree);
    for (Index i = 1; i < m; ++i) {
      const SparseIndex& index = indices[static_cast<std::size_t>(i)];
      coefficients(i, k) = hermite(index.total) * rotation(index, row);
    }
  }
  std::vector<Vector> exponential(static_cast<std::size_t>(d));
  for (Index i = 1; i < m; ++i) {
    const SparseIndex& index = indices[static_cast<std::size_t>(i)];
    if (index.degrees.size() != 1) continue;  // depends on one germ alone
    const Index k = index.degrees[0].first;
    if (measure.is_correlated(k)) continue;
    const auto at = static_cast<std::size_t>(k);
    if (measure.is_logarithmic(k) && exponential[at].size() == 0)
      exponential[at] = exponential_coefficients(families[at], degree);
    coefficients(i, k) = measure.is_logarithmic(k) ? exponential[at](index.total)
                                                   : family_coefficient(families[at], index.total);
  }
  return coefficients;
}

Vector parameter_deviations(const Measure& measure) {
  Vector sd(measure.dimension());
  std::transform(measure.marginals().begin(), measure.marginals().end(), sd.begin(),
                 [](const Distribution& marginal) { return marginal.sd(); });
  return sd;
}

}  // namespace chaosgrad::internal
