#pragma once
// Hessians by differences of gradients: the step rule, and the two shapes that are needed, at one
// place and at each sample of a block.
//
// The step. A gradient of size G that varies on the scale S is known up to ε G. The error of a
// difference quotient over h, relative to the Hessian G/S, is
//   forward, (g(x + h) − g(x))/h:       h/(2S) + 2ε S/h,     least at h ~ ε^{1/2} S,
//   central, (g(x + h) − g(x − h))/2h:  h²/(6S²) + ε S/h,    least at h ~ ε^{1/3} S.
// S is taken to be 1 + the size of what moves; a factor of ten more or less costs one digit of
// many.
// - central, no noise: ε is that of doubles, h = 6e-6 S, ten digits. Twice the gradients: for
//   estimates, certificates and checks, whose numbers are shown.
// - forward, no noise: solvers count gradients, and need the Hessian to a few digits only, from
//   gradients that may themselves come from an iteration: ε = 1e-10, h = 1e-5 S, five digits.
// - noise: ∇F of one draw may be a step function of x (its mean has a density of kinks), whose
//   difference quotient has a variance ~ 1/h: h is as wide as a bias of h/S allows, 1e-2 S for
//   central and 3e-2 S for forward differences, which average fewer draws.
#include <functional>
#include <vector>

#include "chaosgrad/problem.h"

namespace chaosgrad::internal {

enum class Difference { forward, central };

// h/S.
[[nodiscard]] constexpr double relative_step(Difference kind, bool noisy) {
  if (kind == Difference::forward) return noisy ? 3e-2 : 1e-5;
  return noisy ? 1e-2 : 6e-6;
}
// h for what has this size: |x_a| (or its mean over samples), or ‖x‖ for all axes alike.
[[nodiscard]] constexpr double difference_step(Difference kind, bool noisy, double size) {
  return relative_step(kind, noisy) * (1 + size);
}

// ∇f(x) ∈ R^q at x ∈ R^q, or a mean of ∇F over fixed draws: the same at the same x.
using MeanGradient = std::function<Vector(const Vector&)>;

// Column a holds ∂∇f/∂x_a at x over the step h(a), not symmetrised. Forward: q + 1 gradients;
// central: 2q.
[[nodiscard]] Matrix hessian_by_differences(const MeanGradient& gradient, const Vector& x,
                                            const Vector& h, Difference kind);

// ∂²F/∂x² at each row of x (B×q), with the same θ and noise on both sides; the step along an axis
// is common to all rows. B(q + 1) or 2Bq gradients, and B more along an axis where a forward step
// leaves the domain of F at some row: it is taken backward there.
[[nodiscard]] std::vector<Matrix> sample_hessians(const Oracle& oracle, const Matrix& x,
                                                  const Matrix& theta, const Matrix& noise,
                                                  Difference kind, bool noisy);

}  // namespace chaosgrad::internal
