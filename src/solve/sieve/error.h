#pragma once
// How far the expansion is from the optimum after a stage of the sieve, whether that is near enough,
// and what the next stage may cost. Pure functions.
#include <cstdint>

#include "solve/sieve/sieve_batch.h"
#include "solve/sieve/state.h"
#include "solve/sieve/step.h"
#include "solve/sieve/tuning.h"

namespace chaosgrad::internal {

// How a stage ends.
enum class SieveVerdict {
  go_on,
  converged,  // the error is within the tolerance
  stalled,    // no stages are left
  shortened,  // back towards the last iterate in the domain of F: the stage is taken again
  stopped,    // the budget, the clock or the caller: the monitor has put it into the run
  failed      // the problem: status and reason stand in the run
};

// The upper quantile of a sum of squared normal errors of these variances, relative to its mean:
// that of χ²_k/k with Satterthwaite's k, by Wilson and Hilferty's approximation. The squares of
// variances estimated from G groups are too large by 1 + 2/(G − 1).
[[nodiscard]] double chi_squared_factor(const Coefficients& variances, double confidence);

// z standard deviations of Σ|c_ν|² less its noise: Var |c|² ≤ 2 noise² + 4 |c|² noise for each.
[[nodiscard]] double squared_margin(double z, double squared,
                                    const Eigen::Ref<const Vector>& noise);

// The squared error beyond the basis that the probe shows with confidence, whether or not any
// function next to the basis does: its share of the residual, less that of the basis itself. 0 if
// that does not stand above its noise.
[[nodiscard]] double probed_error(const SieveBatch& batch, double confidence);

// The error of u after the step from `batch`.
//   sampling       the scatter of the replicates;
//   basis          the functions beyond, less their noise, or what the probe shows;
//   optimisation   what of Δ is not noise and is still there after the step.
[[nodiscard]] SieveError measure_error(const SieveBatch& batch, const SieveState& state,
                                       const StepReport& step, double confidence,
                                       const SieveTuning& tuning);

[[nodiscard]] SieveVerdict judge(const SieveError& error, double tolerance, Index stage,
                                 const SieveTuning& tuning);

// ---- What comes next, and what it may cost.

// Gradients of this run: spent so far, and the most there may be.
struct GradientBudget {
  std::int64_t spent = 0, most = 0;
  // Sobol' points: batches double in length, and are powers of two.
  bool sobol = false;
};

// At the start, and whenever the run has become several times as long: the Hessian moves with the
// coefficients, and a longer run deserves a better one. At every stage while f seems not convex.
[[nodiscard]] bool metric_is_due(const SieveState& state, std::int64_t spent,
                                 const SieveTuning& tuning);

// The samples of the next batch: half of all so far, or what seems to be missing; a multiple of
// sieve_chunk.
[[nodiscard]] Index next_batch(const SieveState& state, double tolerance, GradientBudget budget,
                               const SieveTuning& tuning);

// Whether the run has become long enough since the last test for another.
[[nodiscard]] bool test_is_due(const SieveState& state, std::int64_t spent,
                               const SieveTuning& tuning);

}  // namespace chaosgrad::internal
