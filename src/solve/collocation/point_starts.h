#pragma once
// New points: where their optimisation starts.
#include "solve/collocation/context.h"
#include "solve/collocation/state.h"

namespace chaosgrad::internal::collocation {

// Appends points with these germs (n×d), each started from the prediction of the expansion so far,
// or from the nearest known optimum where that is a wild extrapolation. Gives the predictions.
Matrix append(const Context& context, const Matrix& eta, CollocationState& state);

// ∇f at the points that do not have it, the last ones. Where the prediction turns out to be a bad
// start, the nearest known point lends its optimum.
[[nodiscard]] Verdict evaluate_points(const Context& context, CollocationState& state);

}  // namespace chaosgrad::internal::collocation
