#pragma once
// New points: where their optimisation starts.
#include <optional>

#include "solve/collocation/context.h"
#include "solve/collocation/state.h"

namespace chaosgrad::internal::collocation {

// Appends points with these germs (n×d), each started from the prediction of the expansion so far,
// or from the nearest known optimum where that is a wild extrapolation.
void append(const Context& context, const Matrix& eta, CollocationState& state);
// Appends points that start from the prediction wherever it leads to. Gives the predictions.
[[nodiscard]] Matrix append_at_expansion(const Context& context, const Matrix& eta,
                                         CollocationState& state);

// ∇f at the points that do not have it, the last ones. Where the prediction turns out to be a bad
// start, the nearest known point lends its optimum.
[[nodiscard]] Verdict evaluate_points(const Context& context, CollocationState& state);
// The second half of that, for the points from number `known` on, which have been evaluated.
[[nodiscard]] Verdict replace_bad_starts(const Context& context, Index known,
                                         CollocationState& state);

// The point without trouble that is nearest to point i; empty if there is none.
[[nodiscard]] std::optional<Index> nearest_solved(const Points& points, Index i);

}  // namespace chaosgrad::internal::collocation
