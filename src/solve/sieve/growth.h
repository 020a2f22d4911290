#pragma once
// The functions beyond the basis of the sieve: which are watched, and which are added. Pure
// functions.
#include <vector>

#include "solve/sieve/sieve_batch.h"
#include "solve/sieve/state.h"
#include "solve/sieve/tuning.h"

namespace chaosgrad::internal {

// The basis, and after it the neighbours of its significant functions.
[[nodiscard]] Basis with_candidates(const SieveState& state, const SieveTuning& tuning);

// Of the candidates in `wide` those that stand clear of their noise, the largest first, while the
// basis limits the error. None if it does not.
[[nodiscard]] std::vector<MultiIndex> functions_to_add(const Basis& wide, const SieveBatch& batch,
                                                       const SieveError& error, double tolerance,
                                                       const SieveTuning& tuning);

}  // namespace chaosgrad::internal
