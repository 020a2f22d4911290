#pragma once
// Where the sieve begins. Newton's steps from a start far away can be anything: the curvature of a
// loss with a kink is 0 where no draw crosses it, that of log cosh is tiny. So the mean of F over θ
// and v at a constant x is descended first, from any start in its domain, until Newton's step does
// what it promises. It needs gradients only, and takes F to be convex on the way.
#include <functional>
#include <optional>
#include <string>

#include "solve/sieve/context.h"

namespace chaosgrad::internal {

struct FirstDescent {
  enum class Outcome {
    good_start,      // Newton's step from the start is sound: nothing was done
    moved,           // x is such a point
    unbounded,       // the mean of F falls without end; x is far away
    outside_domain,  // ∇F is not finite at the start
    stopped,         // budget, clock or caller
    unfinished       // no such point was found in as many steps as there may be
  };
  Outcome outcome = Outcome::unfinished;
  Vector x;
  Vector direction;     // of the last step, a unit vector
  Curvature curvature;  // at x, with
  Vector errors;        // the standard errors of its eigenvalues
  std::optional<OutsidePoint> outside = {};
  std::int64_t gradients = 0;
};
// may_continue(n): whether n gradients may have been spent in all; asked before every step but the
// first, which only looks at the start.
[[nodiscard]] FirstDescent first_descent(const SieveContext& context, const Basis& basis,
                                         const Vector& start,
                                         const std::function<bool(std::int64_t)>& may_continue);

// The minimiser of g·p + ½ p·Hp over |p| ≤ radius, H = V diag(λ) Vᵀ with λ ≥ 0.
[[nodiscard]] Vector bounded_step(const Matrix& vectors, const Vector& eigenvalues, const Vector& g,
                                  double radius);

}  // namespace chaosgrad::internal
