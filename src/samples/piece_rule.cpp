#include "samples/piece_rule.h"

#include <algorithm>
#include <cmath>

#include "basis/family/quadrature.h"
#include "random/random.h"

namespace chaosgrad::internal {
namespace {

constexpr double farthest_score = 8.2;
// Where the normal density has fallen to exp(−40) of its value at the end of a piece, the piece
// may as well end.
constexpr double negligible_exponent = 40;

// The density is that of a Gaussian over at most 16.4 standard deviations; Stieltjes' procedure
// asks for its moments up to degree 2n. Legendre nodes that resolve both.
Index discretisation(Index nodes) { return 64 + 4 * nodes; }

}  // namespace

ChartRange chart_range(NoiseChart chart) {
  if (chart == NoiseChart::uniform) return {0, 1};
  return {-farthest_score, farthest_score};
}

double uniform_at(NoiseChart chart, double t) {
  const double u = chart == NoiseChart::uniform ? t : normal_cdf(t);
  return std::clamp(u, std::nextafter(0.0, 1.0), std::nextafter(1.0, 0.0));
}

double probability_below(NoiseChart chart, double t) {
  return chart == NoiseChart::uniform ? t : normal_cdf(t);
}

PieceRule::PieceRule(NoiseChart chart, Index nodes)
    : chart_(chart),
      nodes_(nodes),
      base_(gauss_legendre(chart == NoiseChart::uniform ? nodes : discretisation(nodes), -1, 1)) {
  if (chart == NoiseChart::normal) whole_ = normal_rule(-farthest_score, farthest_score);
}

Quadrature PieceRule::on(double a, double b) const {
  if (chart_ == NoiseChart::uniform) {
    return {(0.5 * (a + b) + 0.5 * (b - a) * base_.nodes.array()).matrix(),
            (b - a) * base_.weights};
  }
  if (a == -farthest_score && b == farthest_score) return whole_;
  return normal_rule(a, b);
}

Quadrature PieceRule::normal_rule(double a, double b) const {
  // In the upper tail Φ(b) − Φ(a) would cancel.
  const double mass = a > 0 ? normal_cdf(-a) - normal_cdf(-b) : normal_cdf(b) - normal_cdf(a);
  if (a > 0) b = std::min(b, std::sqrt(a * a + 2 * negligible_exponent));
  if (b < 0) a = std::max(a, -std::sqrt(b * b + 2 * negligible_exponent));
  const double centre = 0.5 * (a + b), scale = 0.5 * (b - a);
  const double peak = std::clamp(0.0, a, b);
  const Index count = base_.nodes.size();
  Vector weights(count);
  for (Index i = 0; i < count; ++i) {
    const double t = centre + scale * base_.nodes(i);
    weights(i) = base_.weights(i) * std::exp(0.5 * (peak * peak - t * t));
  }
  weights /= weights.sum();
  // Stieltjes' procedure on the discretised density.
  Recurrence recurrence{Vector(nodes_), Vector::Zero(nodes_), centre, scale};
  Vector previous = Vector::Zero(count), current = Vector::Ones(count);
  double offdiagonal = 0;
  for (Index k = 0; k < nodes_; ++k) {
    recurrence.a(k) = (weights.array() * base_.nodes.array() * current.array().square()).sum();
    recurrence.b(k) = offdiagonal;
    Vector next =
        (base_.nodes.array() - recurrence.a(k)) * current.array() - offdiagonal * previous.array();
    offdiagonal = std::sqrt((weights.array() * next.array().square()).sum());
    previous = std::move(current);
    current = next / offdiagonal;
  }
  Quadrature rule = eigenvector_gauss_rule(recurrence, nodes_);
  rule.weights *= mass;
  return rule;
}

}  // namespace chaosgrad::internal
