#pragma once
// The nominal point: the median of every germ.
#include "solve/collocation/context.h"
#include "solve/collocation/state.h"

namespace chaosgrad::internal::collocation {

// Solves the nominal point. Its optimum is the first expansion (state.run.u), its Hessian the
// common preconditioner (state.model); the first curvatures are seen. Gives the point.
[[nodiscard]] Verdict solve_nominal(const Context& context, CollocationState& state,
                                    Points& nominal);

}  // namespace chaosgrad::internal::collocation
