#pragma once
// Separate optimisations at samples of θ and weighted least squares through them, on a basis that
// grows until the error is below the tolerance. For gradients without noise.
#include "parallel/executor.h"
#include "solve/collocation/tuning.h"
#include "solve/common/monitor.h"
#include "solve/common/run.h"
#include "solve/pointwise/tuning.h"

namespace chaosgrad::internal {

// Chooses the basis itself: run.basis gives its families only.
void solve_collocation(const Oracle& oracle, const Options& options, Monitor& monitor,
                       Executor& executor, Run& run, const CollocationTuning& tuning = {},
                       const PointwiseTuning& pointwise = {});

}  // namespace chaosgrad::internal
