#pragma once
// One optimisation per sample of θ, then projection and least squares.
#include <optional>

#include "parallel/executor.h"
#include "solve/common/monitor.h"
#include "solve/common/plan.h"
#include "solve/common/run.h"

namespace chaosgrad::internal {

// Fills a run whose basis, constants and notes are already there.
void solve_nested(const Oracle& oracle, const Options& options, const Plan& plan, Monitor& monitor,
                  const std::optional<ReferenceExpansion>& reference, Executor& executor, Run& run);

}  // namespace chaosgrad::internal
