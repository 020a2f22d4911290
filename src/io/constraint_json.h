#pragma once
// How constraints bind, as JSON: the contract of `chaosgrad solve --json`.
#include "chaosgrad/statistics.h"
#include "io/json_numbers.h"

namespace chaosgrad::internal {

// Puts "constraints", "kinks" (where there are some), "violation" and "infeasible" into `json`.
void add_constraints(const ConstraintReport& report, Json& json);

}  // namespace chaosgrad::internal
