#pragma once
// The global maximum of an oscillating smooth function of one variable.
#include <functional>

#include "chaosgrad/basis.h"

namespace chaosgrad::internal {

using BatchFunction = std::function<void(const double* t, Index count, double* values)>;

// Maximum of f on [lower, upper] from `points` samples (at Chebyshev points when `clustered`, else
// evenly spaced; both with the ends), every promising peak refined.
[[nodiscard]] double maximise(const BatchFunction& f, double lower, double upper, Index points,
                              bool clustered, double& argmax);

}  // namespace chaosgrad::internal
