#pragma once
// Recurrence coefficients of distributions without a closed form.
#include <vector>

#include "chaosgrad/basis.h"

namespace chaosgrad::internal {

// Continuous distributions: Stieltjes' procedure on a tanh–sinh discretisation, refined until the
// coefficients stand still. What `known` holds (a lower degree, or nothing) is kept to the bit.
[[nodiscard]] Recurrence stieltjes_recurrence(const Distribution& distribution, Index degree,
                                              const Recurrence& known);

// Finitely many points: Lanczos' procedure, fully reorthogonalised. values(i, n) = p_n(point i),
// orthonormal to rounding for every degree below the number of points, which the recurrence itself
// cannot promise: it is unstable at a point once the polynomials of that degree can single it out.
struct DiscretePolynomials {
  Recurrence recurrence;
  Matrix values;  // points × (degree + 1)
};
[[nodiscard]] DiscretePolynomials lanczos_polynomials(const Discrete& points, Index degree);

}  // namespace chaosgrad::internal
