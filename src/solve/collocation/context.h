#pragma once
// What does not change while collocation runs.
#include "chaosgrad/options.h"
#include "chaosgrad/problem.h"
#include "parallel/executor.h"
#include "samples/mixture.h"
#include "solve/collocation/tuning.h"
#include "solve/common/monitor.h"
#include "solve/common/validation.h"
#include "solve/pointwise/pointwise.h"

namespace chaosgrad::internal::collocation {

struct Context {
  const Oracle& oracle;
  const Options& options;
  const CollocationTuning& tuning;
  const PointwiseTuning& pointwise;
  Monitor& monitor;
  Executor& executor;
  PointGradient gradient;                    // ∇f at rows of points
  MixtureSampler sampler;                    // of θ
  Validation validation;                     // the distance to a known optimum, for the history
  const Constraints* constraints = nullptr;  // of x
};

}  // namespace chaosgrad::internal::collocation
