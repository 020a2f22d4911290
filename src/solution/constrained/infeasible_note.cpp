#include "solution/constrained/infeasible_note.h"

#include <fmt/format.h>

#include "constraint/infeasible.h"
#include "solve/common/goal.h"

namespace chaosgrad::internal {

std::string infeasible_note(const InfeasibleSamples& found, const Constraints& constraints,
                            const std::vector<std::string>& parameters) {
  if (found.theta.size() == 0) return {};
  return fmt::format("{} at {:.2g} % of theta, for example at {}; statistics are of the others",
                     why_infeasible(constraints, found.theta), 100 * found.share,
                     named_values(parameters, found.theta));
}

std::string infeasible_note(const Expansion& expansion, const InfeasibleSamples& of_constraints,
                            const InfeasibleSamples& of_x,
                            const std::vector<std::string>& parameters) {
  if (!expansion.lift()) return {};
  return infeasible_note(of_constraints.share > 0 ? of_constraints : of_x,
                         expansion.lift()->constraints(), parameters);
}

}  // namespace chaosgrad::internal
