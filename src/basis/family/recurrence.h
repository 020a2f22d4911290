#pragma once
// Recurrence coefficients known in closed form, and how far each distribution's polynomials can be
// taken in double.
#include <optional>

#include "chaosgrad/basis.h"

namespace chaosgrad::internal {

// Legendre, Hermite, Jacobi, Laguerre and (lognormal) Stieltjes–Wigert; nothing for other
// distributions.
[[nodiscard]] std::optional<Recurrence> closed_form_recurrence(const Distribution& distribution,
                                                               Index degree);
[[nodiscard]] bool has_closed_form(const Distribution& distribution);

// max_degree: p_n² stays finite wherever p_n² π has mass worth 1e-17, so that weights of induced
// sampling are finite. recurrence_limit ≥ max_degree: the coefficients themselves are available
// (Gauss rules may use them).
struct DegreeLimits {
  Index max_degree = 0, recurrence_limit = 0;
};
[[nodiscard]] DegreeLimits degree_limits(const Distribution& distribution);

// For the Weibull density of shape c, p_n² π reaches up to (θ/scale)^c ≈ weibull_reach(c) · n (the
// Mhaskar–Rakhmanov–Saff number): 2√π Γ(c)/Γ(c + ½), which is 4 for the exponential distribution.
[[nodiscard]] double weibull_reach(double shape);

}  // namespace chaosgrad::internal
