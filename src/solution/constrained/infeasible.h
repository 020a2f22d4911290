#pragma once
// Why there is no x*(θ).
#include <string>

#include <vector>

#include "chaosgrad/statistics.h"

namespace chaosgrad::internal {

// "no x satisfies the constraints: 'budget', 'w.lower' contradict each other"; empty where some x
// does.
[[nodiscard]] std::string why_infeasible(const Constraints& constraints, const Vector& theta);

// "no x satisfies the constraints: 'rest', 'there' contradict each other at 0.02 % of theta, for
// example at v0 = 1; statistics are of the others"; empty where all θ of the samples have an x.
[[nodiscard]] std::string infeasible_note(const InfeasibleSamples& found,
                                          const Constraints& constraints,
                                          const std::vector<std::string>& parameters);

}  // namespace chaosgrad::internal
