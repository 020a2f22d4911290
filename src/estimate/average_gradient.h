#pragma once
// ∇f(·, θ) at one θ as a mean over draws of the noise.
#include <cstdint>

#include "chaosgrad/problem.h"

namespace chaosgrad::internal {

// The draws are the same at every x, so that differences see no noise.
class AverageGradient {
 public:
  // noise: draws × r; one row of no numbers where there is no noise.
  AverageGradient(const Oracle& oracle, const Vector& theta, Matrix noise);

  [[nodiscard]] Vector operator()(const Vector& x);
  // Σ over components of the variance of ∇F over the noise, at x.
  [[nodiscard]] double variance(const Vector& x);
  [[nodiscard]] std::int64_t count() const { return count_; }  // gradients of F so far

 private:
  template <class Use>
  void for_each_block(const Vector& x, const Use& use);

  const Oracle& oracle_;
  Matrix theta_, noise_;
  std::int64_t count_ = 0;
};

}  // namespace chaosgrad::internal
