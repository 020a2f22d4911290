#pragma once
// θ at which ∇f fails (ProblemFacts::may_fail): they are no points any more, and are counted.
#include <vector>

#include "solve/collocation/context.h"
#include "solve/collocation/state.h"

namespace chaosgrad::internal::collocation {

// Whether so many failures are more than a run goes on with.
[[nodiscard]] bool too_many_skipped(const CollocationTuning& tuning, Index skipped, Index tried);

// Takes points out at which ∇f fails; ends the run if they are not few.
[[nodiscard]] Verdict skip(const Context& context, const std::vector<Index>& failed,
                           CollocationState& state);

// At the end of a run: where gradients failed x*(θ) is what the other points say. Scattered failures
// are told. Where they lie together the expansion extrapolates: nothing has tested it there, the run
// has not converged, and the estimate takes in what extrapolation may do.
void note_skipped(const Context& context, CollocationState& state);

}  // namespace chaosgrad::internal::collocation
