#include "solve/sieve/context.h"

#include <fmt/format.h>

#include <algorithm>

namespace chaosgrad::internal {

SieveVerdict fail_outside(const Oracle& oracle, const OutsidePoint& point, Run& run,
                          bool shortened) {
  const ProblemFacts& facts = oracle.facts();
  const std::string where =
      fmt::format("at {}, {}", place(facts, point.theta), variables_at(facts, point.x));
  const std::string why =
      oracle.explain(point.x.transpose(), point.theta.transpose(), point.noise.transpose());
  if (why.empty() && !oracle.has_value()) {
    run.status = Status::bad_gradient;
    run.stop_reason = fmt::format("the gradient is not finite {}", where);
    return SieveVerdict::failed;
  }
  run.status = Status::outside_domain;
  run.stop_reason = fmt::format(
      "the objective is not a number {}{} (with a draw of the noise){}", where,
      why.empty() ? "" : ": " + why,
      shortened ? "; ever shorter steps from points inside did not help: does the objective have "
                  "its minimum at the edge of its domain?"
                : "; give a start inside its domain for every theta and all of the noise");
  return SieveVerdict::failed;
}

SieveVerdict shorten(const SieveContext& context, const OutsidePoint& point, SieveState& state,
                     Run& run) {
  if (state.inside.rows() == 0 || state.halvings >= context.tuning.most_halvings)
    return fail_outside(context.oracle, point, run, state.halvings > 0);
  halve_step(context.tuning, state);
  return SieveVerdict::shortened;
}

}  // namespace chaosgrad::internal
