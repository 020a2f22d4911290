#pragma once
// Why there is no x*(θ).
#include <string>

#include "chaosgrad/constraints.h"

namespace chaosgrad::internal {

// "'budget', 'w.lower' contradict each other"; empty where some x satisfies the constraints.
[[nodiscard]] std::string contradiction(const Constraints& constraints, const Vector& theta);
// The same as a sentence: "no x satisfies the constraints: 'budget', 'w.lower' contradict each other".
[[nodiscard]] std::string why_infeasible(const Constraints& constraints, const Vector& theta);

}  // namespace chaosgrad::internal
