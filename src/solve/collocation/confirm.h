#pragma once
// The test that confirms (docs/algorithms.md, Algorithm 4).
#include "solve/collocation/context.h"
#include "solve/collocation/design.h"
#include "solve/collocation/state.h"

namespace chaosgrad::internal::collocation {

enum class Confirmation {
  confirmed,  // the run has converged
  refuted,    // the samples of the test are points like the others now
  stopped     // the run is over before the test was decided
};

// Fresh samples from π, as many as it takes to be sure, confirm that the error is within the
// target. Their gradients at the expansion give the bound.
[[nodiscard]] Confirmation confirm(const Context& context, Design& design, CollocationState& state);

// ∇f that the first round of the test may take, for so many points.
[[nodiscard]] Index first_round_price(const CollocationTuning& tuning, Index points);

// What the squared errors of a test say together with those of the fit. Pure.
struct TestResult {
  enum class Outcome { undecided, passed, failed };
  Outcome outcome = Outcome::undecided;
  double squared = 0, upper = 0;  // mean square of the error, and the limit of its root
};
[[nodiscard]] TestResult judge_test(const Vector& tested, const StageError& error, double target,
                                    double confidence, double contradiction);

}  // namespace chaosgrad::internal::collocation
