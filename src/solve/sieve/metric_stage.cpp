#include "solve/sieve/metric_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "solve/sieve/context.h"
#include "solve/sieve/error.h"

namespace chaosgrad::internal {
namespace {

constexpr const char* everywhere = "on average over theta and the noise";

bool is_uncertain(const MeasuredCurvature& seen, const SieveTuning& tuning) {
  return seen.errors.size() > 0 && !(seen.mean.lowest() > tuning.clear_curvature * seen.errors(0));
}

// Whether ∇F is clearly not the gradient of any function: never said of one that was derived here.
bool is_no_gradient(const Oracle& oracle, const MeasuredCurvature& seen,
                    const SieveTuning& tuning) {
  return !oracle.has_value() && !oracle.facts().lift &&
         seen.asymmetry_signal > tuning.asymmetry_signal;
}

}  // namespace

SieveVerdict fail_concave(const Oracle& oracle, const std::string& what, const Vector& mean_x,
                          Run& run) {
  return fail(
      Status::not_strongly_convex,
      fmt::format("the objective is not strongly convex in x for every theta: {}{}, where the mean "
                  "of the expansion is {}; if the optimum is elsewhere, a start closer to it may "
                  "help, or bounds on x that keep it where the objective is convex",
                  what,
                  oracle.has_value() ? "" : " (or a component of the gradient has the wrong sign)",
                  variables_at(oracle.facts(), mean_x)),
      run);
}

std::string describe_direction(const Vector& direction, const ProblemFacts& facts) {
  std::vector<Index> order(static_cast<std::size_t>(direction.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::abs(direction(a)) > std::abs(direction(b));
  });
  const auto name = [&](Index k) { return facts.variable_names[static_cast<std::size_t>(k)]; };
  if (std::abs(direction(order[0])) > 0.99) return name(order[0]);
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 3); ++i) {
    const double share = direction(order[i]);
    if (std::abs(share) < 0.1) break;
    text +=
        fmt::format("{}{:.2g} {}", i == 0 ? (share < 0 ? "-" : "") : (share < 0 ? " - " : " + "),
                    std::abs(share), name(order[i]));
  }
  return text;
}

std::string describe(const Concavity& concavity, const ProblemFacts& facts) {
  static constexpr std::array<const char*, 4> quarters = {"lowest", "below its median",
                                                          "above its median", "highest"};
  const std::string where =
      concavity.parameter
          ? fmt::format("on average over the quarter of theta where {} is {}",
                        facts.parameter_names[static_cast<std::size_t>(*concavity.parameter)],
                        quarters[static_cast<std::size_t>(concavity.quarter)])
          : everywhere;
  return fmt::format("its curvature is {:.3g} ± {:.1g} along {}, {}", concavity.curvature,
                     concavity.error, describe_direction(concavity.direction, facts), where);
}

SieveVerdict renew_metric(const SieveContext& context, Monitor& monitor, SieveState& state,
                          Run& run) {
  const SieveTuning& tuning = context.tuning;
  if (!metric_is_due(state, run.gradients, tuning)) return SieveVerdict::go_on;
  const Index q = state.u.cols();
  const auto measure = [&](Index blocks) -> std::optional<MeasuredMetric> {
    if (!monitor.may_continue(state.stage, metric_cost(q, blocks), run)) return {};
    run.gradients += metric_cost(q, blocks);
    return measure_metric(context.oracle, state.basis, state.u, context.options.seed, state.stage,
                          blocks, tuning, context.executor);
  };
  const Index blocks = metric_blocks(state.basis.dimension(), q, run.gradients);
  std::optional<MeasuredMetric> found = measure(blocks);
  if (found && !found->curvature.outside && is_uncertain(found->curvature, tuning))
    found = measure(tuning.metric_again * blocks);
  if (!found) return SieveVerdict::stopped;
  state.metric_made_at = run.gradients;
  MeasuredCurvature& seen = found->curvature;
  if (seen.outside) return shorten(context, *seen.outside, state, run);
  const ProblemFacts& facts = context.oracle.facts();
  if (is_no_gradient(context.oracle, seen, tuning) &&
      fails_as_gradient(seen.mean, tuning.asymmetry_limit, run))
    return SieveVerdict::failed;
  state.concave = seen.concavity ? describe(*seen.concavity, facts) : std::string{};
  if (!state.concave.empty() && state.stage >= tuning.least_stages)
    return fail_concave(context.oracle, state.concave, state.u.row(0).transpose(), run);
  if (!found->metric && can_return(state, tuning)) {  // a step too far, to where f is flat
    halve_step(tuning, state);
    return SieveVerdict::shortened;
  }
  if (!found->metric) {
    return fail_concave(
        context.oracle,
        fmt::format("its curvature is {:.3g} along {}, {}", seen.mean.lowest(),
                    describe_direction(seen.mean.vectors.col(0), facts), everywhere),
        state.u.row(0).transpose(), run);
  }
  state.metric = std::move(found->metric);
  state.seen = {};
  state.seen.see_lowest(seen.mean.lowest(), everywhere);
  state.seen.see_highest(seen.mean.highest(), everywhere);
  state.lowest_slack = tuning.clear_curvature * seen.errors(0);
  state.highest_slack = tuning.clear_curvature * seen.errors(seen.errors.size() - 1);
  return SieveVerdict::go_on;
}

}  // namespace chaosgrad::internal
