#pragma once
// One run of a method: what solve() does before it measures the error.
#include "chaosgrad/problem.h"
#include "solve/common/run.h"

namespace chaosgrad::internal {

// Throws InputError or FormulaError for bad options; numerical trouble is a status.
[[nodiscard]] Run run(const Oracle& oracle, const Options& options);

}  // namespace chaosgrad::internal
