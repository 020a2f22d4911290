#pragma once
// The test that confirms (docs/algorithms.md, Algorithm 4).
#include "solve/collocation/context.h"
#include "solve/collocation/design.h"
#include "solve/collocation/state.h"

namespace chaosgrad::internal::collocation {

enum class Confirmation {
  confirmed,  // the run has converged
  refuted,    // what the test has shown are points like the others now
  stopped     // the run is over: the test met a failure, or was cut short
};

// Fresh samples, which nothing has seen, confirm that the error is within the target: very many
// where gradients are cheap, as many as it takes to be sure where they are not. Their gradients at
// the expansion give the bound.
[[nodiscard]] Confirmation confirm(const Context& context, Design& design, CollocationState& state);

// ∇f that the first round of the test may take.
[[nodiscard]] Index first_round_price(const CollocationTuning& tuning);

// What the squared errors of a test say. Pure.
struct TestResult {
  enum class Outcome { undecided, passed, failed };
  Outcome outcome = Outcome::undecided;
  double squared = 0, upper = 0;  // mean square of the error, and the limit of its root
};
// `rest` is what the optima themselves lack (norm).
[[nodiscard]] TestResult judge_test(const Vector& squares, double rest, double target,
                                    double confidence);

}  // namespace chaosgrad::internal::collocation
