#pragma once
// Parts of the adaptive solvers as entries of a SolverState, to the bit, and back.
#include <string>

#include "chaosgrad/basis.h"
#include "chaosgrad/solution.h"
#include "curvature/curvature.h"
#include "solve/common/goal.h"
#include "solve/pointwise/pointwise.h"

namespace chaosgrad::internal {

void save(const Points& points, SolverState& state);
[[nodiscard]] Points restore_points(const SolverState& state);

void save(const Curvature& curvature, SolverState& state);
[[nodiscard]] Curvature restore_curvature(const SolverState& state);

void save(const CurvatureSeen& seen, SolverState& state);
[[nodiscard]] CurvatureSeen restore_seen(const SolverState& state);

void save(const IndexSet& indices, SolverState& state);
[[nodiscard]] IndexSet restore_indices(const SolverState& state);

// The history and the gradients spent before the stage to go on with; gives its number.
[[nodiscard]] Index restore_stages(const Solution& before, Run& run);

}  // namespace chaosgrad::internal
