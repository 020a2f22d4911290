#pragma once
// The summary of a run underway.
#include "io/store/run_store.h"

namespace chaosgrad::internal {

// summary_json() without the quantities and the errors of mean and sd, which take samples.
[[nodiscard]] std::string brief_summary(const ProblemFile& file, const Solution& solution);

}  // namespace chaosgrad::internal
