#pragma once
// f(·, θ) at one θ for minimise(), where f is a mean over draws of the noise.
#include "solve/pointwise/trust_region.h"

namespace chaosgrad::internal {

// noise: draws × r, the same at every x; not looked at where the problem has no noise. The problem
// has values of F, and must outlive the result.
[[nodiscard]] PointFunction averaged_function(const Oracle& oracle, const Vector& theta,
                                              Matrix noise);

}  // namespace chaosgrad::internal
