#pragma once
// The metric of the sieve: H(θ) at x_u(θ), from differences of gradients at samples of the sieve's
// own kind; and its state.
#include <cstdint>
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/problem.h"
#include "chaosgrad/solution.h"
#include "curvature/metric.h"
#include "parallel/executor.h"

namespace chaosgrad::internal {

// Blocks of samples for the metric when `gradients` were spent so far: a twentieth of that, at
// least some samples per unknown; and the gradients that they take.
[[nodiscard]] Index metric_blocks(Index d, Index q, std::int64_t gradients);
[[nodiscard]] std::int64_t metric_cost(Index q, Index blocks);

// At x_u of the functions of u, with samples of their own for each stage.
[[nodiscard]] LocalMetric measure_metric(const Oracle& oracle, const Basis& basis,
                                         const Coefficients& u, std::uint64_t seed, Index stage,
                                         Index blocks, Executor& executor);

// As entries of a SolverState, and back.
void save(const LocalMetric& metric, SolverState& state);
[[nodiscard]] LocalMetric restore_metric(const SolverState& state,
                                         const std::vector<Family>& families);

}  // namespace chaosgrad::internal
