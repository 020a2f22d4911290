#pragma once
// What the parts of a sieve share: the problem, what does not change from stage to stage, and how a
// run fails.
#include <string>
#include <utility>

#include "chaosgrad/problem.h"
#include "parallel/executor.h"
#include "solve/common/goal.h"
#include "solve/common/validation.h"
#include "solve/sieve/error.h"
#include "solve/sieve/probe.h"
#include "solve/sieve/samples.h"
#include "solve/sieve/state.h"
#include "solve/sieve/tuning.h"

namespace chaosgrad::internal {

struct SieveContext {
  const Oracle& oracle;
  const Options& options;
  const SieveTuning& tuning;
  Executor& executor;
  Validation validation;
  Probe probe;
};

[[nodiscard]] inline double tolerance(const SieveContext& context, const SieveState& state) {
  // An error of y may be larger, as far as less of it reaches x.
  if (context.oracle.facts().lift)
    return absolute_tolerance(context.options, state.scale.norm) / state.scale.share;
  return absolute_tolerance(context.options, state.u.norm());
}

inline SieveVerdict fail(Status status, std::string reason, Run& run) {
  run.status = status;
  run.stop_reason = std::move(reason);
  return SieveVerdict::failed;
}

// ---- A sample at which the gradient is not a number.

// outside_domain where the problem knows its objective or can explain itself, bad_gradient where
// nothing is known but the gradient. `shortened`: steps were halved before, in vain.
SieveVerdict fail_outside(const Oracle& oracle, const OutsidePoint& point, Run& run,
                          bool shortened = false);

// Takes half of the step back, if there is anything to go back to and it has not been tried too
// often; fails otherwise.
[[nodiscard]] SieveVerdict shorten(const SieveContext& context, const OutsidePoint& point,
                                   SieveState& state, Run& run);

}  // namespace chaosgrad::internal
