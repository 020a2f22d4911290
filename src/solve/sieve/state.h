#pragma once
// What a stage of the sieve hands to the next.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/problem.h"
#include "constraint/lifted_scale.h"
#include "solve/common/goal.h"
#include "solve/sieve/local_metric.h"
#include "solve/sieve/tuning.h"

namespace chaosgrad::internal {

// Squared norms ‖·‖²_π, and an upper confidence limit of ‖x_u − x*‖_π.
struct SieveError {
  double sampling = 0, basis = 0, optimisation = 0;
  double sampling_factor = 1;   // from the sampling error's square to its upper confidence limit
  double upper = infinity;      // ∞: the run may not end here
  double hidden = 0;            // what the last test showed beyond all of that
  bool drifting = false;        // the coefficients together still move on
  Coefficients variances = {};  // of the coefficients, m×q

  [[nodiscard]] double outside() const { return std::max(basis, hidden); }
  [[nodiscard]] double squared() const { return sampling + outside() + optimisation; }
};

struct SieveState {
  Index stage = 1;
  Basis basis;
  Coefficients u;                        // m×q
  std::vector<Coefficients> replicates;  // one per group of samples; their mean is u
  Vector averaged;                       // N_i: the samples that u_i is an average of
  Coefficients last_step;                // Δ of the stage before
  Coefficients path, path_variances;     // D = Σ Δ with fading memory, and Var D_i
  double damping = 1;
  double smallest_step = infinity;  // ‖Δ‖
  std::optional<LocalMetric> metric = {};
  std::int64_t metric_made_at = 0;  // gradients
  CurvatureSeen seen = {};
  double lowest_slack = 0, highest_slack = 0;  // how far off they may be, by the noise
  std::string concave = {};  // where f is clearly not convex at the iterate, in words
  Coefficients inside = {};  // the last u whose samples were in the domain of F; empty: none yet
  Index halvings = 0;        // of the way back to it, in a row
  SieveError error = {};     // of the stage before
  LiftedScale scale = {};    // where x is constrained and u are coefficients of y
  // Of the tests on fresh samples: how many there were, the gradients spent before the last, and
  // how many times larger than its scatter the sampling error may be.
  Index looks = 0;
  std::int64_t tested_at = 0;
  double doubt = 1;
  Index vain_tests = 0;  // in a row: the same error, and no function that holds it
};

// The constant and linear functions, the start of the problem as the constant one.
[[nodiscard]] SieveState start_state(const Oracle& oracle, const std::vector<Family>& families,
                                     const Options& options);

// Adds functions whose coefficients are 0 and to be learnt.
void extend(const std::vector<MultiIndex>& added, SieveState& state);

// Whether there is an iterate to go back to, and it has not been tried too often.
[[nodiscard]] bool can_return(const SieveState& state, const SieveTuning& tuning);
// Half of the way back to `inside`, replicates and all, and shorter steps from now on.
void halve_step(const SieveTuning& tuning, SieveState& state);

// The expansion alone: basis, coefficients, replicates.
void publish(const SieveState& state, Run& run);

// Also all that the stage to come rests on. A run that ends within a stage resumes at its
// beginning.
void save(const SieveState& state, Run& run);

// As save() left it, with the history and the gradients spent before that stage.
[[nodiscard]] SieveState restore_state(const Solution& before, Run& run);

}  // namespace chaosgrad::internal
