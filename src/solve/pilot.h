#pragma once
// index_set = "adaptive" for the methods that are told their basis sizes: which functions, and in
// which order, an adaptive run to a coarse tolerance tells.
#include "chaosgrad/options.h"
#include "chaosgrad/problem.h"

namespace chaosgrad::internal {

struct PilotIndices {
  IndexSet indices;  // m of them
  Index found = 0;   // the first of them, by the pilot; the others in total-degree order
  std::int64_t gradients = 0;
};

// Throws InputError if the pilot fails.
[[nodiscard]] PilotIndices pilot_indices(const Oracle& oracle, const Options& options, Index m);

}  // namespace chaosgrad::internal
