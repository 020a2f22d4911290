#pragma once
// What statistics say of samples at which there is no x.
#include <string>
#include <vector>

#include "chaosgrad/statistics.h"

namespace chaosgrad::internal {

// "no x satisfies the constraints: 'rest', 'there' contradict each other at 0.02 % of theta, for
// example at v0 = 1; statistics are of the others"; empty where all θ of the samples have an x.
[[nodiscard]] std::string infeasible_note(const InfeasibleSamples& found,
                                          const Constraints& constraints,
                                          const std::vector<std::string>& parameters);
// Of both kinds of statistics, each of which samples θ of its own; empty without constraints.
[[nodiscard]] std::string infeasible_note(const Expansion& expansion,
                                          const InfeasibleSamples& of_constraints,
                                          const InfeasibleSamples& of_x,
                                          const std::vector<std::string>& parameters);

}  // namespace chaosgrad::internal
