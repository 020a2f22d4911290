#pragma once
// Why there is no x*(θ).
#include <string>

#include "chaosgrad/solution.h"

namespace chaosgrad::internal {

// "no x satisfies the constraints: 'budget', 'w.lower' contradict each other"; empty where some x
// does.
[[nodiscard]] std::string why_infeasible(const Constraints& constraints, const Vector& theta);

}  // namespace chaosgrad::internal
