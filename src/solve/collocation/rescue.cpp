#include "solve/collocation/rescue.h"
#include "solve/collocation/improbable.h"
#include "solve/collocation/polishing.h"
#include "solve/collocation/skipped.h"
#include "solve/pointwise/constrained_descent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace chaosgrad::internal::collocation {
namespace {

// What tells most about f, if there is no minimum.
int telling(Minimum::Outcome outcome) {
  using enum Minimum::Outcome;
  switch (outcome) {
    case found:
      return 5;
    case infeasible:
      return 4;
    case not_convex:
      return 3;
    case unbounded:
      return 2;
    case unfinished:
      return 1;
    case outside_domain:
      break;
  }
  return 0;
}

// Of the direction without curvature: the components that matter.
std::string describe_direction(const ProblemFacts& facts, const Vector& direction) {
  const double least = 0.1 * direction.cwiseAbs().maxCoeff();
  constexpr int most = 4;
  std::string text;
  int named = 0;
  for (Index i = 0; i < direction.size(); ++i) {
    if (std::abs(direction(i)) < least) continue;
    if (++named > most) return text + ", …";
    text += fmt::format("{}{:.2g} {}", text.empty() ? "" : ", ", direction(i),
                        facts.variable_names[static_cast<std::size_t>(i)]);
  }
  return text;
}

// The quick method failed, and there are no values to do better with.
Verdict stop_at_trouble(const Context& context, Trouble trouble, const Vector& theta,
                        const Vector& x, CollocationState& state) {
  const ProblemFacts& facts = context.oracle.facts();
  const std::string where = place(facts, theta);
  if (trouble == Trouble::runaway)
    return stop_at(context, Status::diverged, theta,
                   fmt::format("the iterates run away at {} (to {}): has the objective a minimum "
                               "there?",
                               where, describe(facts, x)),
                   state);
  const std::string reason = context.oracle.explain(x.transpose(), theta.transpose(), Matrix(1, 0));
  return stop_at(context, Status::bad_gradient, theta,
                 fmt::format("the gradient is not finite at {}, {}{}{}; a start closer to the "
                             "optimum, or values of F beside its gradient, may help",
                             where, describe(facts, x), reason.empty() ? "" : ": ", reason),
                 state);
}

void accept(const Minimum& found, Index i, Points& points, double least_ratio) {
  const auto point = static_cast<std::size_t>(i);
  points.x.row(i) = points.value.row(i) = found.x.transpose();
  if (found.force.size() > 0) points.force.row(i) = found.force.transpose();
  points.g.row(i) = found.gradient.transpose();
  points.evaluated[point] = 1;
  points.ratios[point] = least_ratio;
  points.secants[point].clear();
  points.trouble[point] = Trouble::none;
}

}  // namespace

std::string describe(const ProblemFacts& facts, const Vector& x) {
  constexpr Index most = 4;
  std::string text;
  for (Index i = 0; i < std::min(x.size(), most); ++i) {
    text += fmt::format("{}{} = {:.4g}", i == 0 ? "" : ", ",
                        facts.variable_names[static_cast<std::size_t>(i)], x(i));
  }
  return x.size() > most ? text + ", …" : text;
}

Minimum find_minimum(const Context& context, const Vector& theta,
                     const std::vector<Vector>& starts) {
  const PointFunction f = point_function(context.oracle, theta);
  Minimum best;
  std::int64_t gradients = 0;
  const TrustRegionOptions options{
      .relative_tolerance = context.tuning.rescue_accuracy,
      .runaway_norm = context.tuning.rescue_runaway * (1 + context.oracle.facts().start.norm())};
  for (const Vector& start : starts) {
    Minimum found = context.constraints ? minimise(f, *context.constraints, theta, start, options)
                                        : minimise(f, start, options);
    gradients += found.gradients;
    const bool better = best.x.size() == 0 || telling(found.outcome) > telling(best.outcome);
    if (better) best = std::move(found);
    if (best.outcome == Minimum::Outcome::found) break;
  }
  best.gradients = gradients;
  return best;
}

Verdict stop_infeasible(const Context& context, const Vector& theta, CollocationState& state) {
  return stop_at(context, Status::infeasible, theta, infeasible_at(context.oracle.facts(), theta),
                 state);
}

Verdict stop_without_minimum(const Context& context, const Vector& theta, const Minimum& found,
                             CollocationState& state) {
  const ProblemFacts& facts = context.oracle.facts();
  const std::string where = place(facts, theta), at = describe(facts, found.x);
  switch (found.outcome) {
    case Minimum::Outcome::outside_domain: {
      const std::string reason =
          context.oracle.explain(found.x.transpose(), theta.transpose(), Matrix(1, 0));
      return stop_at(context, Status::outside_domain, theta,
                     fmt::format("the objective is not a number at {}, {}{}{}; a start that is "
                                 "inside its domain for every theta may help",
                                 where, at, reason.empty() ? "" : ": ", reason),
                     state);
    }
    case Minimum::Outcome::not_convex:
      return stop_at(
          context, Status::not_strongly_convex, theta,
          fmt::format("the objective is not strongly convex at its optimum for {}: at {} its "
                      "curvature is {:.3g} along {}; a small quadratic term would fix the optimum",
                      where, at, found.eigenvalue, describe_direction(facts, found.direction)),
          state);
    case Minimum::Outcome::infeasible:
      return stop_infeasible(context, theta, state);
    case Minimum::Outcome::unbounded:
      return stop_at(
          context, Status::diverged, theta,
          fmt::format("the objective has no minimum at {}: it still falls at {}", where, at),
          state);
    default:
      return stop_at(context, Status::diverged, theta,
                     fmt::format("no minimum was found at {}: the descent ended at {}, where the "
                                 "gradient is still {:.3g}; the minimum may lie at infinity, or on "
                                 "the border of the domain",
                                 where, at, found.gradient.norm()),
                     state);
  }
}

Verdict rescue(const Context& context, CollocationState& state) {
  if (leave_out_infeasible(context, state) == Verdict::stop) return Verdict::stop;
  const bool may_fail = context.oracle.facts().may_fail;
  std::vector<Index> failed, left_out;
  Points& points = state.points;
  std::vector<Index> troubled;
  for (Index i = 0; i < points.size(); ++i) {
    if (points.trouble[static_cast<std::size_t>(i)] != Trouble::none) troubled.push_back(i);
  }
  if (troubled.empty()) return Verdict::go_on;
  if (!context.oracle.has_value()) {
    for (const Index i : troubled) {
      Trouble& trouble = points.trouble[static_cast<std::size_t>(i)];
      if (trouble == Trouble::not_finite && may_fail) {
        failed.push_back(i);
        continue;
      }
      if (trouble == Trouble::not_finite || trouble == Trouble::runaway)
        return stop_at_trouble(context, trouble, points.theta.row(i).transpose(),
                               points.x.row(i).transpose(), state);
      trouble = Trouble::none;  // what else it is has been noted, or shows in the fit
    }
    return skip(context, failed, state);
  }
  const std::vector<Minimum> found = context.executor.map(
      static_cast<Index>(troubled.size()),
      [&](Index n) {
        const Index i = troubled[static_cast<std::size_t>(n)];
        std::vector<Vector> starts;
        if (const auto known = nearest_solved(points, i))
          starts.push_back(points.value.row(*known).transpose());
        if (points.evaluated[static_cast<std::size_t>(i)])
          starts.push_back(points.x.row(i).transpose());
        starts.push_back(context.oracle.facts().start);
        return find_minimum(context, points.theta.row(i).transpose(), starts);
      },
      context.gradient.calls);
  for (const Minimum& minimum : found) state.run.gradients += minimum.gradients;
  for (std::size_t n = 0; n < troubled.size(); ++n) {
    const Index i = troubled[n];
    if (found[n].outcome != Minimum::Outcome::found) {
      if (!may_fail && may_leave_out(context, i, static_cast<Index>(left_out.size()), state)) {
        left_out.push_back(i);
        continue;
      }
      const bool not_finite = points.trouble[static_cast<std::size_t>(i)] == Trouble::not_finite;
      if (!may_fail || !(not_finite || found[n].outcome == Minimum::Outcome::outside_domain))
        return stop_without_minimum(context, points.theta.row(i).transpose(), found[n], state);
      failed.push_back(i);
      continue;
    }
    accept(found[n], i, points, Points::least_ratio);
  }
  leave_out(left_out, state);
  return skip(context, failed, state);
}

bool differ(const Context& context, const Vector& theta, const Minimum& a, const Minimum& b,
            const CollocationState& state) {
  if (a.outcome != Minimum::Outcome::found || b.outcome != Minimum::Outcome::found) return false;
  if ((a.x - b.x).norm() <= context.tuning.apart * (target(context, state) + a.x.norm()))
    return false;
  const double highest = std::max(a.value, b.value);
  const double rounding = context.tuning.value_rounding * (std::abs(a.value) + std::abs(b.value));
  return rises_between(point_function(context.oracle, theta), a.x, b.x, highest + rounding);
}

}  // namespace chaosgrad::internal::collocation
