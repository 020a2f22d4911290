#include "samples/line_design.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "numeric/decompositions.h"

namespace chaosgrad::internal {
namespace {

constexpr double least_slack = 0.02;

// Linear between (a_i, b_i), a ascending, and constant beyond.
double interpolate(const Vector& a, const Vector& b, double at) {
  const auto above = std::upper_bound(a.begin(), a.end(), at) - a.begin();
  if (above == 0) return b(0);
  if (above == a.size()) return b(b.size() - 1);
  const double share = (at - a(above - 1)) / (a(above) - a(above - 1));
  return b(above - 1) + share * (b(above) - b(above - 1));
}

// A point in the gap (left, right), u uniform: near the middle; at the ends of the scale nearer to
// the end, where half a cell is enough.
double place_in(double left, double right, double u) {
  if (left <= 0 && right >= 1) return 0.3 + 0.4 * u;
  if (left <= 0) return right * (0.2 + 0.4 * u);
  if (right >= 1) return 1 - (1 - left) * (0.2 + 0.4 * u);
  return left + (right - left) * (0.4 + 0.2 * u);
}

struct Gap {
  double left = 0, right = 1;
  // At the ends of the scale it counts double: there is no point on the other side.
  [[nodiscard]] double width() const { return (right - left) * (left <= 0 || right >= 1 ? 2 : 1); }
};

}  // namespace

LineScale::LineScale(const Family& family, Index m) {
  const Quadrature rule = family.gauss(std::min(family.max_nodes(), 4 * m + 64));
  Matrix values(rule.nodes.size(), m);
  family.values(rule.nodes.data(), rule.nodes.size(), values);
  const Vector mass =
      rule.weights.cwiseProduct(values.rowwise().squaredNorm()) / static_cast<double>(m);
  nodes_ = rule.nodes;
  positions_.resize(mass.size());
  double below = 0;
  for (Index i = 0; i < mass.size(); ++i) {
    positions_(i) = below + 0.5 * mass(i);
    below += mass(i);
  }
  positions_ /= below;
}

double LineScale::to_scale(double eta) const { return interpolate(nodes_, positions_, eta); }
double LineScale::from_scale(double t) const { return interpolate(positions_, nodes_, t); }

Matrix fill_gaps(const Family& family, const LineScale& scale, const Matrix& points, Index count,
                 const Stream& stream) {
  const Distribution& distribution = family.distribution();
  std::set<double> taken(points.data(), points.data() + points.size());
  std::vector<Gap> gaps = {{}};
  for (const double eta : taken) {
    const double t = scale.to_scale(eta);
    gaps.back().right = t;
    gaps.push_back({t, 1});
  }
  std::vector<double> found;
  Matrix u(count, 1);
  fill_uniform(stream, points.rows(), u);
  while (static_cast<Index>(found.size()) < count && !gaps.empty()) {
    const auto widest = std::ranges::max_element(gaps, {}, &Gap::width);
    const double t = place_in(widest->left, widest->right, u(static_cast<Index>(found.size()), 0));
    double eta = scale.from_scale(t);
    if (distribution.is_discrete()) eta = distribution.quantile(distribution.cdf(eta));
    if (!(widest->width() > 1e-12) || !taken.insert(eta).second) {
      gaps.erase(widest);  // a discrete distribution has nothing new here
      continue;
    }
    found.push_back(eta);
    const Gap right{t, widest->right};
    widest->right = t;
    gaps.insert(widest + 1, right);
  }
  return Eigen::Map<const Matrix>(found.data(), static_cast<Index>(found.size()), 1);
}

Vector cell_weights(const LineScale& scale, const Matrix& points, const Matrix& psi) {
  const Index n = points.rows();
  Vector t(n), cells(n);
  for (Index i = 0; i < n; ++i) t(i) = scale.to_scale(points(i, 0));
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return t(a) < t(b); });
  double left = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double right = k + 1 < order.size() ? 0.5 * (t(order[k]) + t(order[k + 1])) : 1;
    cells(order[k]) = right - left;
    left = right;
  }
  const double m = static_cast<double>(psi.cols());
  return static_cast<double>(n) * m * cells.cwiseQuotient(psi.rowwise().squaredNorm());
}

OrderedFits::OrderedFits(const Matrix& psi, const Vector& weights, const Matrix& x) {
  const Vector roots = weights.cwiseSqrt();
  ThinQR factors = thin_qr(roots.asDiagonal() * psi);
  q_ = std::move(factors.q);
  r_ = std::move(factors.r);
  x_ = roots.asDiagonal() * x;
  right_ = q_.transpose() * x_;
}

Index OrderedFits::best_size(Index most) const {
  Matrix residuals = x_;
  Vector slack = Vector::Ones(x_.rows());  // 1 − leverage
  Index best = 1;
  double least = infinity;
  for (Index i = 0; i < most; ++i) {
    residuals -= q_.col(i) * right_.row(i);
    slack -= q_.col(i).cwiseAbs2();
    const double error =
        (residuals.rowwise().squaredNorm().array() / slack.array().max(least_slack).square()).sum();
    if (error < least) {
      least = error;
      best = i + 1;
    }
  }
  return best;
}

OrderedFits::Fit OrderedFits::operator()(Index m) const {
  return {r_.topLeftCorner(m, m).triangularView<Eigen::Upper>().solve(right_.topRows(m)),
          x_ - q_.leftCols(m) * right_.topRows(m),
          (1 - q_.leftCols(m).rowwise().squaredNorm().array()).max(least_slack)};
}

}  // namespace chaosgrad::internal
