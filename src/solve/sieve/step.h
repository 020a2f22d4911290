#pragma once
// One averaged Newton step of the sieve on all coefficients.
#include <span>

#include "solve/sieve/sieve_batch.h"
#include "solve/sieve/state.h"
#include "solve/sieve/tuning.h"

namespace chaosgrad::internal {

// What of a step is not noise.
struct StepReport {
  double optimisation = 0;  // squared norm of what is still to come
  bool drifting = false;    // the coefficients together move on along the path of the steps before
  double drift = 0;         // squared norm of where they may end up from here; 0 if they do not
};

// Variances of the mean of the groups, entry by entry, from their scatter.
[[nodiscard]] Coefficients scatter(std::span<const Coefficients> groups, const Coefficients& mean);

// The factor on the next step: cut when the step turns back most of the one before, which then went
// too far (where f is flatter at the iterate than on the way, Newton steps overshoot). Steps that
// go on, or are noise, may become full again. `noise` is E‖step‖² if there is nothing but noise.
[[nodiscard]] double adapted_damping(double damping, const Coefficients& step,
                                     const Coefficients& last_step, double noise,
                                     const SieveTuning& tuning);

// Whether the coefficients together still move on, although none stands out. Averages of all
// samples so far leave steps that are not correlated with those before; so Δ·D has mean 0 and
// variance Σ Var Δ_i Var D_i unless they do.
[[nodiscard]] bool moves_on(const Coefficients& step, const Coefficients& step_variances,
                            const Coefficients& path, const Coefficients& path_variances,
                            const SieveTuning& tuning);

// Whether the step before has led far away from where it was taken: Δ is many times as long as it,
// and that is not noise. Where f is flat in the tails of θ, polynomials that leave the region in
// which H holds leave it for good.
[[nodiscard]] bool overshoots(const Coefficients& step, const SieveState& state,
                              const SieveTuning& tuning);

// u_i ← u_i − γ n/(N_i + n) Δ_i, N_i ← N_i + n, γ the damping; N_i is cut first where Δ_i stands
// far above its own noise and goes on in the direction of the step before. The replicates take the
// steps of their groups.
[[nodiscard]] StepReport take_step(const SieveBatch& batch, const SieveTuning& tuning,
                                   SieveState& state);

}  // namespace chaosgrad::internal
