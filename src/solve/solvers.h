#pragma once
// The solvers behind run(). Each fills a Run whose basis, constants and notes are already there.
#include "parallel/executor.h"
#include "solve/collocation/tuning.h"
#include "solve/common/monitor.h"
#include "solve/common/plan.h"
#include "solve/common/run.h"
#include "solve/pointwise/tuning.h"
#include "solve/sieve/tuning.h"

namespace chaosgrad::internal {

// gd, agd, masg, uqsa: descent on the coefficients with a growing basis.
void solve_descent(const Oracle& oracle, const Options& options, const Plan& plan, Monitor& monitor,
                   Executor& executor, Run& run);

// One optimisation per sample of θ, then projection and least squares.
void solve_nested(const Oracle& oracle, const Options& options, const Plan& plan, Monitor& monitor,
                  const std::optional<ReferenceExpansion>& reference, Executor& executor, Run& run);

// The adaptive methods. They choose the basis themselves: run.basis gives its families only.
void solve_collocation(const Oracle& oracle, const Options& options, Monitor& monitor,
                       Executor& executor, Run& run, const CollocationTuning& tuning = {},
                       const PointwiseTuning& pointwise = {});
void solve_sieve(const Oracle& oracle, const Options& options, Monitor& monitor, Executor& executor,
                 Run& run, const SieveTuning& tuning = {});

}  // namespace chaosgrad::internal
