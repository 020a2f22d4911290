#pragma once
// A solution as JSON: the contract of `chaosgrad solve --json`.
#include "io/run_statistics.h"

namespace chaosgrad::internal {

// NaN never appears: what is unknown is null.
[[nodiscard]] std::string full_summary(const Record& record, const Digest& digest);
// Without the quantities and the errors of mean and sd, which take samples: for a run underway.
[[nodiscard]] std::string brief_summary(const Record& record);

}  // namespace chaosgrad::internal
