#pragma once
// The metric of the sieve: H(θ) at x_u(θ), from differences of gradients at samples of the sieve's
// own kind; and its state.
#include <cstdint>
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/problem.h"
#include "chaosgrad/solution.h"
#include "curvature/hessian_noise.h"
#include "curvature/metric.h"
#include "parallel/executor.h"
#include "solve/sieve/samples.h"
#include "solve/sieve/tuning.h"

namespace chaosgrad::internal {

// Blocks of samples for the metric when `gradients` were spent so far: a twentieth of that, at
// least some samples per unknown; and the gradients that they take.
[[nodiscard]] Index metric_blocks(Index d, Index q, std::int64_t gradients);
[[nodiscard]] std::int64_t metric_cost(Index q, Index blocks);

// What was measured, before steps are made of it.
struct MeasuredCurvature {
  Curvature mean;                           // of H̄ as it is
  Vector errors;                            // standard errors of its eigenvalues
  double asymmetry_signal = 0;              // the worst |H̄_ab − H̄_ba| over its standard error
  std::optional<Concavity> concavity = {};  // where f is clearly not convex
  std::optional<OutsidePoint> outside = {};  // ∇F is not finite at x_u itself there
};
struct MeasuredMetric {
  MeasuredCurvature curvature;
  std::optional<LocalMetric> metric = {};  // empty: nothing finite or nothing but 0 was seen
};

// At x_u of the functions of u, with samples of their own for each stage. Eigenvalues that are not
// clear of their noise are raised (damped()).
[[nodiscard]] MeasuredMetric measure_metric(const Oracle& oracle, const Basis& basis,
                                            const Coefficients& u, std::uint64_t seed, Index stage,
                                            Index blocks, const SieveTuning& tuning,
                                            Executor& executor);

// As entries of a SolverState, and back.
void save(const LocalMetric& metric, SolverState& state);
[[nodiscard]] LocalMetric restore_metric(const SolverState& state,
                                         const std::vector<Family>& families);

}  // namespace chaosgrad::internal
