#pragma once
// Parts of the adaptive solvers as entries of a SolverState, to the bit, and back.
#include <string>

#include "chaosgrad/index_set.h"
#include "chaosgrad/solver_state.h"
#include "solve/adaptive/curvature.h"
#include "solve/adaptive/goal.h"
#include "solve/pointwise.h"

namespace chaosgrad {

void save(const Points& points, SolverState& state);
[[nodiscard]] Points restore_points(const SolverState& state);

void save(const Curvature& curvature, SolverState& state);
[[nodiscard]] Curvature restore_curvature(const SolverState& state);

void save(const CurvatureSeen& seen, SolverState& state);
[[nodiscard]] CurvatureSeen restore_seen(const SolverState& state);

void save(const IndexSet& indices, SolverState& state);
[[nodiscard]] IndexSet restore_indices(const SolverState& state);

// The history and the gradients spent before the stage to go on with; gives its number.
[[nodiscard]] Index restore_stages(const Run& before, Run& run);

}  // namespace chaosgrad
