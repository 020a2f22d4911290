#pragma once
// What stands between x and what is expanded: nothing, or the lift where x is constrained.
#include <functional>

#include "solve/collocation/context.h"
#include "solve/collocation/design/design.h"
#include "solve/collocation/state.h"
#include "solve/pointwise/constrained_step.h"

namespace chaosgrad::internal::collocation {

// x_u at germs (n×d), with theta (n×d), and what binds there, Σ λ_i ∇c_i (zero without constraints).
struct Predicted {
  Matrix x, force;
};
[[nodiscard]] Predicted predict(const Context& context, const Matrix& eta, const Matrix& theta,
                                const CollocationState& state);

// Projects rows of x (n×q) on C at rows of theta; as they are where C is empty, or there are no
// constraints.
[[nodiscard]] Matrix feasible(const Context& context, const Matrix& theta, Matrix x,
                              const CollocationState& state);

// The constraints of points with the metric of this stage; empty without constraints.
[[nodiscard]] std::optional<PointConstraints> point_constraints(const Context& context,
                                                                const CollocationState& state);

// The next step of the points first, …, first + count − 1, from their gradients and the common
// curvature.
[[nodiscard]] Matrix next_steps(const Context& context, PointRange range,
                                const CollocationState& state);

// y_j = x_j + M_j⁻¹ force_j at the points; empty without constraints.
[[nodiscard]] Matrix lifted_values(const Context& context, const CollocationState& state);
// What a fit goes through: `lifted` (as above), or the values of the points. Both must outlive it.
[[nodiscard]] Targets targets(const Context& context, const Matrix& lifted,
                              const CollocationState& state);

}  // namespace chaosgrad::internal::collocation
