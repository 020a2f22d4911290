#pragma once
// Factors R of inverse metrics at points, fitted by functions of θ that are chosen for them.
#include <vector>

#include "chaosgrad/basis.h"

namespace chaosgrad::internal {

// What limits the functions: how many, and the total degree in germs that are unbounded: far out M
// must not be anything.
struct MetricFunctions {
  Index most = 1;
  Index unbounded_degree = 3;
};

struct FittedFactors {
  Basis basis;
  Coefficients entries;  // of R, as Lift::factor() has them
  double error = 0;  // of a factor that is left out, relative: √(mean |R̄⁻¹(R − R_fit)|²/q)
};

// Greedy: of the neighbours of the functions so far, those that the residual is largest on, a third
// as many at a time; the number with the smallest error of a factor that is left out is kept.
// With the weights means over the points are means over π. `factors` are lower triangular; R̄ (`mean`) is what errors are relative to.
[[nodiscard]] FittedFactors fit_factors(const std::vector<Family>& families, const Matrix& eta,
                                        const Vector& weights, const std::vector<Matrix>& factors,
                                        const Matrix& mean, const MetricFunctions& limits);

}  // namespace chaosgrad::internal
