#pragma once
// The test that confirms (docs/algorithms.md, Algorithm 4).
#include "solve/collocation/context.h"
#include "solve/collocation/design/design.h"
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

}  // namespace chaosgrad::internal::collocation
