// Quadrature between breakpoints: where x*(θ) has kinks, one rule per smooth piece keeps the order
// of Gauss.
#include <algorithm>
#include <cmath>

#include "chaosgrad/error.h"
#include "samples/sample_source.h"

namespace chaosgrad::internal {
namespace {

// The part of a distribution in [a, b], with weights summing to its mass there.
Quadrature piece(const Distribution& distribution, double a, double b, Index nodes) {
  const double mass = distribution.cdf(b) - distribution.cdf(a);
  const auto scaled = [&](Quadrature rule) {
    rule.weights *= mass / rule.weights.sum();
    return rule;
  };
  if (std::holds_alternative<Uniform>(distribution.parameters()))
    return scaled(gauss_legendre(nodes, a, b));
  if (const auto* normal = std::get_if<Normal>(&distribution.parameters())) {
    return scaled(Family(TruncatedNormal{normal->mean, normal->sd, a, b}).gauss(nodes));
  }
  const bool analytic = std::isfinite(a) && std::isfinite(b) &&
                        std::isfinite(distribution.pdf(a)) && std::isfinite(distribution.pdf(b));
  if (analytic) {  // the density is smooth inside the piece: Gauss–Legendre on density times
                   // integrand
    Quadrature rule = gauss_legendre(nodes, a, b);
    for (Index i = 0; i < nodes; ++i) rule.weights(i) *= distribution.pdf(rule.nodes(i));
    return scaled(std::move(rule));
  }
  // Unbounded, or a singular density: Gauss–Legendre in s with probability p(s) = s³(10 − 15s +
  // 6s²), which flattens both ends.
  Quadrature rule = gauss_legendre(nodes, 0, 1);
  for (Index i = 0; i < nodes; ++i) {
    const double s = rule.nodes(i);
    const double p = distribution.cdf(a) + mass * s * s * s * (10 - 15 * s + 6 * s * s);
    rule.weights(i) *= 30 * s * s * (1 - s) * (1 - s);
    rule.nodes(i) = distribution.quantile(p);
  }
  return scaled(std::move(rule));
}

}  // namespace

Quadrature piecewise_rule(const Family& family, const std::vector<double>& breakpoints,
                          Index nodes) {
  const Distribution& distribution = family.distribution();
  std::vector<double> ends = breakpoints;
  if (const auto* triangular = std::get_if<Triangular>(&distribution.parameters());
      triangular && !breakpoints.empty()) {
    ends.push_back(triangular->mode);  // the density has a kink of its own
  }
  std::erase_if(ends,
                [&](double t) { return t <= distribution.lower() || t >= distribution.upper(); });
  if (ends.empty() || distribution.is_discrete()) return family.gauss(nodes);
  ends.push_back(distribution.lower());
  ends.push_back(distribution.upper());
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());

  Quadrature rule;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const Quadrature part = piece(distribution, ends[i], ends[i + 1], nodes);
    const Index before = rule.nodes.size();
    rule.nodes.conservativeResize(before + part.nodes.size());
    rule.weights.conservativeResize(before + part.nodes.size());
    rule.nodes.tail(part.nodes.size()) = part.nodes;
    rule.weights.tail(part.nodes.size()) = part.weights;
  }
  return rule;
}

}  // namespace chaosgrad::internal
