#pragma once
// The momentum that belongs to a step of the accelerated method.
#include <algorithm>
#include <cmath>

namespace chaosgrad::internal {

// β = (1 − √(αμ))/(1 + √(αμ)).
[[nodiscard]] inline double paired_momentum(double alpha, double mu) {
  const double root = std::sqrt(std::min(1.0, alpha * mu));
  return (1 - root) / (1 + root);
}

}  // namespace chaosgrad::internal
