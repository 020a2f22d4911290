#pragma once
// index_set = "adaptive" for the methods that are told their basis sizes: which functions, and in
// which order, an adaptive run to a coarse tolerance tells.
#include "chaosgrad/problem.h"
#include "solve/common/plan.h"
#include "solve/common/run.h"

namespace chaosgrad::internal {

struct Pilot {
  IndexSet indices;  // by falling size of their coefficients, each after those below it
  std::int64_t gradients = 0;
};

// Throws InputError if the pilot run fails.
[[nodiscard]] Pilot run_pilot(const Oracle& oracle, const Options& options);

// The first m functions: those of the pilot, then the others by total degree.
[[nodiscard]] IndexSet pilot_indices(const Pilot& pilot, const std::vector<Family>& families,
                                     Index m);

// Runs the pilot when it is asked.
[[nodiscard]] IndexChooser pilot_chooser(const Oracle& oracle, const Options& options);

// A resumed run does not run its pilot again.
void save(const Pilot& pilot, SolverState& state);
[[nodiscard]] Pilot restore_pilot(const SolverState& state);

}  // namespace chaosgrad::internal
