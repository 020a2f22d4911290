#pragma once
// gd, agd, masg, uqsa: descent on the coefficients with a growing basis.
#include "parallel/executor.h"
#include "solve/common/monitor.h"
#include "solve/common/plan.h"
#include "solve/common/run.h"

namespace chaosgrad::internal {

// Fills a run whose basis, constants and notes are already there.
void solve_descent(const Oracle& oracle, const Options& options, const Plan& plan, Monitor& monitor,
                   Executor& executor, Run& run);

}  // namespace chaosgrad::internal
