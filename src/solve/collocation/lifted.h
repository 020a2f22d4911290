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

// y_j = x_j + M_j⁻¹ force_j at the points, M that of the lift; empty without one.
[[nodiscard]] Matrix lifted_values(const Context& context, const Lift* lift,
                                   const CollocationState& state);
// What a fit goes through: `lifted` (as above), or the values of the points. All must outlive it.
[[nodiscard]] Targets targets(const Context& context, const Lift* lift, const Matrix& lifted,
                              const CollocationState& state);

// The lifts that a fit may use. The metric that explains secants best is the first; but it may be
// anything where there are none, and then the lift of the fit before is better. Where hardly an
// inequality binds x*(θ) has no kinks, and a stiffer metric, whose y is nearer to x, is better.
struct LiftCandidate {
  std::shared_ptr<const Lift> lift;
  double advantage;  // its squared error over that of the best before it must be below
};
[[nodiscard]] std::vector<LiftCandidate> lift_candidates(const Context& context,
                                                         const CollocationState& state);

}  // namespace chaosgrad::internal::collocation
