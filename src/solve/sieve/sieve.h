#pragma once
// Averaged stochastic Newton steps on the coefficients, on a basis that grows until the error is
// below the tolerance. For gradients with noise.
#include "parallel/executor.h"
#include "solve/common/monitor.h"
#include "solve/common/run.h"
#include "solve/sieve/tuning.h"

namespace chaosgrad::internal {

// Chooses the basis itself: run.basis gives its families only.
void solve_sieve(const Oracle& oracle, const Options& options, Monitor& monitor, Executor& executor,
                 Run& run, const SieveTuning& tuning = {});

}  // namespace chaosgrad::internal
