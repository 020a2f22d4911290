#pragma once
// One optimisation that arrives from any start in the domain: Newton's method in a trust region
// (Moré and Sorensen 1983). Where f is not convex it follows the direction of negative curvature;
// where f is not a number the region shrinks. It needs values of f.
#include <cstdint>
#include <functional>

#include "chaosgrad/problem.h"

namespace chaosgrad::internal {

// f(·, θ) at one θ. value(x) and gradient(x) are not finite outside the domain. hessian(x) is exact
// or made of differences; it is not called beyond dense_limit variables (curvature/curvature.h),
// where differences of gradients on a Krylov space take its place.
struct PointFunction {
  std::function<double(const Vector&)> value;
  std::function<Vector(const Vector&)> gradient;
  std::function<Matrix(const Vector&)> hessian;
  Index draws = 1;  // of the noise in each
  // Of values, relative, with room for the sums they are made of. Values and gradients of a rule for
  // the noise that is not exact are not of one function: small decreases mean nothing then.
  double rounding = 1e-13;
  [[nodiscard]] bool is_inexact() const { return rounding > 1e-12; }
};

// f of a problem without noise that has values (Oracle::has_value()); its Hessian, or differences.
// The oracle must outlive it.
[[nodiscard]] PointFunction point_function(const Oracle& oracle, const Vector& theta);

struct TrustRegionOptions {
  // On the length of the Newton step that is left: tolerance + relative_tolerance |x|.
  double tolerance = 0, relative_tolerance = 0;
  Index most_steps = 200;
  double runaway_norm = 1e100;  // |x| beyond: f has no minimum
};

struct Minimum {
  enum class Outcome {
    found,           // ∇f = 0 and the Hessian is positive definite
    not_convex,      // ∇f = 0, but the Hessian has an eigenvalue ≤ 0
    unbounded,       // x ran away, or f fell without end
    outside_domain,  // f or its gradient is not finite at the start
    infeasible,      // no x satisfies the constraints
    unfinished       // most_steps were taken, or no step that stays in the domain leads down
  };
  Outcome outcome = Outcome::unfinished;
  Vector x;                    // the best
  double value = 0;            // f there, and
  Vector gradient;             // its gradient
  Matrix hessian;              // at x; empty beyond dense_limit variables
  double eigenvalue = 0;       // its lowest, and
  Vector direction;            // the unit eigenvector
  std::int64_t gradients = 0;  // evaluations of ∇f; values count as one, Hessians as q
  // Under constraints (constrained_descent.h): multipliers and what they amount to, as in
  // Projection.
  Vector force = {}, bound_multipliers = {}, row_multipliers = {};
  double proximal = 0;  // δ, where f is flat (proximal_weight)
  auto members() {
    return std::tie(outcome, x, value, gradient, hessian, eigenvalue, direction, gradients, force,
                    bound_multipliers, row_multipliers);
  }
};

// Whether a decrease of f is below its rounding, where only its gradient can tell whether a step is good.
[[nodiscard]] bool below_rounding(const PointFunction& f, double decrease, double value);

// Whether f rises on the way from a to b above `highest`, or is not defined there: where that is what
// f is at both, they are minima of their own, and not one that was found with two different errors.
[[nodiscard]] bool rises_between(const PointFunction& f, const Vector& a, const Vector& b,
                                 double highest);

[[nodiscard]] Minimum minimise(const PointFunction& f, const Vector& start,
                               const TrustRegionOptions& options);

}  // namespace chaosgrad::internal
