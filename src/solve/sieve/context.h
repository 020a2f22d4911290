#pragma once
// What the parts of a sieve share: the problem and what does not change from stage to stage.
#include <string>
#include <utility>

#include "chaosgrad/problem.h"
#include "parallel/executor.h"
#include "solve/common/goal.h"
#include "solve/common/validation.h"
#include "solve/sieve/error.h"
#include "solve/sieve/probe.h"
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
  return absolute_tolerance(context.options, state.u.norm());
}

inline SieveVerdict fail(Status status, std::string reason, Run& run) {
  run.status = status;
  run.stop_reason = std::move(reason);
  return SieveVerdict::failed;
}

}  // namespace chaosgrad::internal
