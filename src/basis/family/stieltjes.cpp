#include "basis/family/stieltjes.h"

#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "basis/family/chart.h"

namespace chaosgrad::internal {
namespace {

// π on finitely many points: Σ root_weight² = 1.
struct Discretisation {
  Vector theta, root_weight;
};

// tanh–sinh rule with `points` nodes on every piece: it does not mind what the density does at the
// ends.
Discretisation discretise(const std::vector<ChartPiece>& pieces, Index points) {
  const auto count = static_cast<Index>(pieces.size()) * points;
  Discretisation result{Vector(count), Vector(count)};
  constexpr double range =
      3.6;  // π sinh(3.6) = 57: the ends are met to within e^{−57} of the length
  const double step = 2 * range / static_cast<double>(points - 1);
  Index j = 0;
  for (const ChartPiece& piece : pieces) {
    const double length = piece.end - piece.begin;
    for (Index i = 0; i < points; ++i, ++j) {
      const double u = -range + step * static_cast<double>(i);
      // Distance from the nearer end, as a fraction of the length.
      const double fraction = 1 / (1 + std::exp(std::numbers::pi * std::sinh(std::abs(u))));
      const double s = u < 0 ? piece.begin + length * fraction : piece.end - length * fraction;
      const double weight =
          length * step * std::numbers::pi * std::cosh(u) * fraction * (1 - fraction);
      result.theta[j] = piece.theta(s);
      result.root_weight[j] = std::sqrt(weight) * piece.root_density(s);
    }
  }
  result.root_weight /= result.root_weight.norm();
  return result;
}

// Stieltjes' procedure for v_n = p_n √w, which never leave the range of double.
Recurrence stieltjes(const Discretisation& points, Index degree, double center, double scale) {
  Recurrence r{Vector::Zero(degree), Vector::Zero(degree + 1), center, scale};
  const Eigen::ArrayXd t = (points.theta.array() - center) / scale;
  Eigen::ArrayXd v = points.root_weight, before = Eigen::ArrayXd::Zero(t.size()), next(t.size());
  for (Index n = 0; n < degree; ++n) {
    r.a[n] = (t * v.square()).sum();
    next = (t - r.a[n]) * v - r.b[n] * before;
    r.b[n + 1] = next.matrix().norm();
    before = v;
    v = next / r.b[n + 1];
  }
  return r;
}

std::pair<double, double> mean_and_sd(const Discretisation& points) {
  const Eigen::ArrayXd mass = points.root_weight.array().square();
  const double reference = points.theta[points.theta.size() / 2];
  const double mean = reference + (mass * (points.theta.array() - reference)).sum();
  return {mean, std::sqrt((mass * (points.theta.array() - mean).square()).sum())};
}

// Largest change of a coefficient, relative to the neighbouring b.
double difference(const Recurrence& one, const Recurrence& other) {
  const Index n = one.a.size();
  const auto b = other.b.tail(n).array();
  const double a_change = ((one.a - other.a).array().abs() / b).maxCoeff();
  return std::max(a_change, ((one.b.tail(n) - other.b.tail(n)).array().abs() / b).maxCoeff());
}

}  // namespace

Recurrence stieltjes_recurrence(const Distribution& distribution, Index degree,
                                const Recurrence& known) {
  const std::vector<ChartPiece> pieces = chart(distribution, degree);
  Index points = 4 * degree + 100;
  Discretisation grid = discretise(pieces, points);
  auto [center, scale] = std::pair(known.center, known.scale);
  if (known.b.size() == 0) std::tie(center, scale) = mean_and_sd(grid);
  Recurrence result = stieltjes(grid, degree, center, scale);
  constexpr int refinements = 6;
  constexpr double tolerance = 1e-14;
  double change = infinity;
  for (int k = 0; k < refinements && degree > 0; ++k) {
    points *= 2;
    grid = discretise(pieces, points);
    Recurrence finer = stieltjes(grid, degree, center, scale);
    const double before = std::exchange(change, difference(result, finer));
    result = std::move(finer);
    const bool only_rounding = change < 1e-11 && change > 0.1 * before;
    if (change < tolerance || only_rounding) break;
  }
  result.a.head(known.a.size()) = known.a;
  result.b.head(known.b.size()) = known.b;
  return result;
}

}  // namespace chaosgrad::internal
