#pragma once
// What the next part of a sieve may cost. Pure functions.
#include <cstdint>

#include "solve/sieve/state.h"
#include "solve/sieve/tuning.h"

namespace chaosgrad::internal {

// Gradients of this run: spent so far, and the most there may be.
struct GradientBudget {
  std::int64_t spent = 0, most = 0;
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
