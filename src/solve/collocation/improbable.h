#pragma once
// Points where θ practically never is. High degrees ask for them, and f may have no optimum there
// that numbers of 16 digits can tell. What such a point is missing does not matter in L²_π: it is left
// out. Where many are, the functions that ask for them cannot be had.
#include <vector>

#include "solve/collocation/context.h"
#include "solve/collocation/state.h"

namespace chaosgrad::internal::collocation {

[[nodiscard]] bool is_improbable(const Context& context, const Vector& theta);

// Whether point i, whose optimum was not found, may be left out, beside `others` of this round.
[[nodiscard]] bool may_leave_out(const Context& context, Index i, Index others,
                                 const CollocationState& state);

// Removes them from the points.
void leave_out(const std::vector<Index>& numbers, CollocationState& state);

// Removes those where no x satisfies the constraints; stops where θ is not improbable.
[[nodiscard]] Verdict leave_out_infeasible(const Context& context, CollocationState& state);

}  // namespace chaosgrad::internal::collocation
