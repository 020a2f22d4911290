#pragma once
// The trigonometric family on [lower, upper], with τ = θ − (lower + upper)/2:
//   1, √2 cos ωτ, √2 sin ωτ, √2 cos 2ωτ, √2 sin 2ωτ, …
#include "chaosgrad/basis.h"

namespace chaosgrad::internal {

// A sum of two doubles, the second below half a unit in the last place of the first.
struct DoubleDouble {
  double high = 0, low = 0;
};

class Fourier {
 public:
  explicit Fourier(const Uniform& interval);

  [[nodiscard]] DoubleDouble middle() const { return middle_; }
  [[nodiscard]] DoubleDouble frequency() const { return frequency_; }

  void values(const double* theta, Index count, BlockOut values) const;
  void derivatives(const double* theta, Index count, BlockOut derivatives) const;
  // Inverse of ∫ B_n² dπ: reduces to u − sin u = M.
  [[nodiscard]] double induced_quantile(Index n, double p) const;
  [[nodiscard]] double supremum(const Vector& c, double& argmax) const;

 private:
  Uniform interval_;
  DoubleDouble middle_;
  DoubleDouble
      frequency_;  // ω = 2π/(upper − lower); exactly 1 when upper − lower is the double next to 2π
};

}  // namespace chaosgrad::internal
