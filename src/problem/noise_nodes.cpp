#include "problem/noise_nodes.h"

#include <algorithm>
#include <cmath>

#include "random/random.h"
#include "samples/noise_rule.h"

namespace chaosgrad::internal {
namespace {

// Pieces of less probability are left out.
// Origin: what is left of gradients is known to twelve digits at best.
constexpr double negligible = 1e-14;
// Scores beyond which a kink is not followed when it is asked where others cross it, or the end of
// the range: its probability is 6e-7.
constexpr double farthest_crossing = 5;
constexpr Index crossing_intervals = 16;  // in which one change is looked for
constexpr int crossing_steps = 20;        // bisections: what is integrated is continuous there

// Each point followed by `count` copies of it; fill(p, k, noise row, weight) makes the k-th.
template <class Fill>
NoisePoints expanded(const NoisePoints& points, Index count, const Fill& fill) {
  NoisePoints result{
      {}, Matrix(points.size() * count, points.noise.cols()), Vector(points.size() * count)};
  result.rows.reserve(static_cast<std::size_t>(result.size()));
  for (Index p = 0, next = 0; p < points.size(); ++p) {
    for (Index k = 0; k < count; ++k, ++next) {
      result.rows.push_back(points.rows[static_cast<std::size_t>(p)]);
      result.noise.row(next) = points.noise.row(p);
      result.weights(next) = points.weights(p);
      fill(k, next, result);
    }
  }
  return result;
}

using Signature = std::vector<Index>;

Signature signature(const std::vector<Break>& breaks, NoiseChart chart) {
  Signature result;
  for (const Break& at : breaks) {
    if (chart == NoiseChart::uniform || std::abs(at.t) < farthest_crossing)
      result.push_back(at.kink);
  }
  return result;
}

}  // namespace

NoiseNodes::NoiseNodes(const ProblemFacts& facts, NoisePlan plan, const Stream& scramble)
    : shape_(facts.noise_shape), plan_(std::move(plan)) {
  anchor_ = Eigen::RowVectorXd::Constant(static_cast<Index>(facts.noise_axes.size()), 0.5);
  for (const GroupPlan& group : plan_.groups) {
    Group made;
    for (std::size_t depth = 0; depth < group.axes.size(); ++depth) {
      const AxisPlan& axis = group.axes[depth];
      Axis rule;
      if (axis.cases) {
        rule.cases =
            noise_quadrature(facts.noise_axes[static_cast<std::size_t>(axis.coordinate.axis)], 0);
      } else {
        rule.kinks = kinks_along(*shape_, group, depth);
        rule.rules.emplace_back(axis.coordinate.chart, axis.gradient_nodes);
        rule.rules.emplace_back(axis.coordinate.chart, axis.value_nodes);
      }
      made.axes.push_back(std::move(rule));
    }
    if (group.sobol_axes > 0) {
      const Stream own{scramble.seed, scramble.id + groups_.size()};
      made.points.resize(group.points, group.sobol_axes);
      const SobolSequence sequence(group.sobol_axes, own, SobolSequence::Randomisation::scramble);
      for (Index first = 0; first < group.points; first += block_size)
        sequence.fill(first,
                      made.points.middleRows(first, std::min(block_size, group.points - first)));
    }
    groups_.push_back(std::move(made));
  }
}

void NoiseNodes::add_changes(std::size_t group, std::size_t depth, const NoisePoints& points,
                             const Block& x, const Block& theta, Breaks& breaks) const {
  const NoiseCoordinate& outer = plan_.groups[group].axes[depth].coordinate;
  const NoiseCoordinate& inner = plan_.groups[group].axes[depth + 1].coordinate;
  const std::vector<Index>& kinks = groups_[group].axes[depth + 1].kinks.own;
  const ChartRange whole = chart_range(outer.chart);
  const double lower = std::max(whole.lower, -farthest_crossing),
               upper = std::min(whole.upper, farthest_crossing);
  const auto signatures = [&](NoisePoints lines, const std::vector<double>& t) {
    for (Index i = 0; i < lines.size(); ++i)
      lines.noise(i, outer.axis) = uniform_at(outer.chart, t[static_cast<std::size_t>(i)]);
    std::vector<Signature> result;
    for (const std::vector<Break>& line : find_breaks(*shape_, kinks, inner, x, theta, lines))
      result.push_back(signature(line, inner.chart));
    return result;
  };
  std::vector<double> t;
  const NoisePoints grid =
      expanded(points, crossing_intervals + 1, [&](Index k, Index, NoisePoints&) {
        t.push_back(lower + (upper - lower) * static_cast<double>(k) / crossing_intervals);
      });
  const std::vector<Signature> at_grid = signatures(grid, t);
  struct Change {
    Index point;
    double a, b;
    Signature at_a;
  };
  std::vector<Change> changes;
  for (std::size_t i = 0; i + 1 < t.size(); ++i) {
    if (t[i] < t[i + 1] && at_grid[i] != at_grid[i + 1])
      changes.push_back(
          {static_cast<Index>(i) / (crossing_intervals + 1), t[i], t[i + 1], at_grid[i]});
  }
  if (changes.empty()) return;
  NoisePoints lines{{}, Matrix(static_cast<Index>(changes.size()), points.noise.cols()), {}};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    lines.rows.push_back(points.rows[static_cast<std::size_t>(changes[i].point)]);
    lines.noise.row(static_cast<Index>(i)) = points.noise.row(changes[i].point);
  }
  std::vector<double> middle(changes.size());
  for (int step = 0; step < crossing_steps; ++step) {
    for (std::size_t i = 0; i < changes.size(); ++i)
      middle[i] = 0.5 * (changes[i].a + changes[i].b);
    const std::vector<Signature> found = signatures(lines, middle);
    for (std::size_t i = 0; i < changes.size(); ++i)
      (found[i] == changes[i].at_a ? changes[i].a : changes[i].b) = middle[i];
  }
  for (const Change& change : changes)
    breaks[static_cast<std::size_t>(change.point)].push_back({change.b, -1});
  for (std::vector<Break>& line : breaks)
    std::ranges::sort(line, {}, [](const Break& one) { return std::pair(one.t, one.kink); });
}

NoisePoints NoiseNodes::along_line(std::size_t group, std::size_t depth, const NoisePoints& points,
                                   const Block& x, const Block& theta, Integrand integrand) const {
  const GroupPlan& plan = plan_.groups[group];
  const Axis& axis = groups_[group].axes[depth];
  const NoiseCoordinate& along = plan.axes[depth].coordinate;
  Breaks breaks = find_breaks(*shape_, axis.kinks.own, along, x, theta, points);
  if (!axis.kinks.coupled.empty() && depth + 2 == plan.axes.size())
    add_changes(group, depth, points, x, theta, breaks);
  const PieceRule& rule = axis.rules[integrand == Integrand::gradient ? 0 : 1];
  const ChartRange range = chart_range(along.chart);
  NoisePoints result;
  std::vector<double> nodes, weights;
  std::vector<Index> from;
  for (std::size_t line = 0; line < breaks.size(); ++line) {
    double a = range.lower;
    breaks[line].push_back({range.upper, -1});
    for (const Break& end : breaks[line]) {
      const double b = end.t;
      const double mass = probability_below(along.chart, b) - probability_below(along.chart, a);
      if (!(mass > negligible)) continue;
      const Quadrature piece = rule.on(a, b);
      for (Index k = 0; k < piece.nodes.size(); ++k) {
        nodes.push_back(piece.nodes(k));
        weights.push_back(piece.weights(k));
        from.push_back(static_cast<Index>(line));
      }
      a = b;
    }
  }
  const auto count = static_cast<Index>(nodes.size());
  result.noise.resize(count, points.noise.cols());
  result.weights.resize(count);
  for (Index i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    result.rows.push_back(points.rows[static_cast<std::size_t>(from[k])]);
    result.noise.row(i) = points.noise.row(from[k]);
    result.noise(i, along.axis) = uniform_at(along.chart, nodes[k]);
    result.weights(i) = points.weights(from[k]) * weights[k];
  }
  return result;
}

NoisePoints NoiseNodes::group_points(std::size_t group, const Block& x, const Block& theta,
                                     Integrand integrand) const {
  const GroupPlan& plan = plan_.groups[group];
  const Group& made = groups_[group];
  NoisePoints points{{}, anchor_.replicate(x.rows(), 1), Vector::Ones(x.rows())};
  for (Index i = 0; i < x.rows(); ++i) points.rows.push_back(i);
  bool sobol_done = plan.sobol_axes == 0;
  Index sobol_seen = 0;
  for (std::size_t depth = 0; depth < plan.axes.size(); ++depth) {
    const Index column = plan.axes[depth].coordinate.axis;
    if (plan.axes[depth].cases) {
      const Quadrature& cases = made.axes[depth].cases;
      points = expanded(points, cases.nodes.size(), [&](Index k, Index next, NoisePoints& all) {
        all.noise(next, column) = cases.nodes(k);
        all.weights(next) *= cases.weights(k);
      });
    } else if (sobol_seen < plan.sobol_axes) {
      ++sobol_seen;
      if (sobol_done) continue;
      sobol_done = true;
      points = expanded(points, plan.points, [&](Index k, Index next, NoisePoints& all) {
        for (Index j = 0; j < plan.sobol_axes; ++j)
          all.noise(next, plan.axes[depth + static_cast<std::size_t>(j)].coordinate.axis) =
              made.points(k, j);
        all.weights(next) /= static_cast<double>(plan.points);
      });
    } else {
      points = along_line(group, depth, points, x, theta, integrand);
    }
  }
  return points;
}

// F = Σ_j F_j of one group each: E F = Σ_j E F(group j, the others at the anchor) − (J − 1) F(anchor).
NoisePoints NoiseNodes::at(const Block& x, const Block& theta, Integrand integrand) const {
  const std::size_t count = plan_.groups.size();
  if (count == 1) return group_points(0, x, theta, integrand);
  std::vector<NoisePoints> parts;
  for (std::size_t j = 0; j < count; ++j) parts.push_back(group_points(j, x, theta, integrand));
  NoisePoints anchors{{},
                      anchor_.replicate(x.rows(), 1),
                      Vector::Constant(x.rows(), 1 - static_cast<double>(count))};
  for (Index i = 0; i < x.rows(); ++i) anchors.rows.push_back(i);
  parts.push_back(std::move(anchors));
  Index total = 0;
  for (const NoisePoints& part : parts) total += part.size();
  NoisePoints all{{}, Matrix(total, anchor_.size()), Vector(total)};
  std::vector<Index> done(parts.size(), 0);
  for (Index row = 0, next = 0; row < x.rows(); ++row) {
    for (std::size_t j = 0; j < parts.size(); ++j) {
      for (Index& p = done[j];
           p < parts[j].size() && parts[j].rows[static_cast<std::size_t>(p)] == row; ++p, ++next) {
        all.rows.push_back(row);
        all.noise.row(next) = parts[j].noise.row(p);
        all.weights(next) = parts[j].weights(p);
      }
    }
  }
  return all;
}

}  // namespace chaosgrad::internal
