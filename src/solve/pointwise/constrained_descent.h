#pragma once
// One optimisation over C(θ) that arrives from any start in the domain: sequential quadratic
// programs with the Hessian of f, made positive, and a line search on values. C is convex and every
// step ends in it, so that all iterates are feasible.
#include "constraint/projection.h"
#include "solve/pointwise/trust_region.h"

namespace chaosgrad::internal {

// `start` is projected on C first. Minimum::force and the multipliers are set; found: the step that
// is left is short, and f is convex along what the constraints leave free.
[[nodiscard]] Minimum minimise(const PointFunction& f, const Constraints& set, const Vector& theta,
                               const Vector& start, const TrustRegionOptions& options);

}  // namespace chaosgrad::internal
