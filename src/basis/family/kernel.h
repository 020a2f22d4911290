#pragma once
// Three-term recurrences as the inner loops want them, one fused multiply-add chain per value.
#include "chaosgrad/basis.h"

namespace chaosgrad::internal {

// p_{n+1}(t) = (A_n t + B_n) p_n(t) − C_n p_{n−1}(t),  t = (θ − center) · inverse_scale,  p_0 = 1,
// C_0 = 0. A, B, C have one entry per degree 0..degrees()−1 that can be stepped from.
struct RecurrenceKernel {
  Vector A, B, C;
  double center = 0, inverse_scale = 1;

  [[nodiscard]] Index degrees() const { return A.size(); }
};

// A_n = 1/b_{n+1}, B_n = −a_n/b_{n+1}, C_n = b_n/b_{n+1}.
[[nodiscard]] RecurrenceKernel recurrence_kernel(const Recurrence& recurrence);

// values(i, n) = p_n(θ_i), n = 0..values.cols()−1 ≤ kernel.degrees().
void polynomial_values(const RecurrenceKernel& kernel, const double* theta, Index count,
                       BlockOut values);
// derivatives(i, n) = dp_n/dθ(θ_i).
void polynomial_derivatives(const RecurrenceKernel& kernel, const double* theta, Index count,
                            BlockOut derivatives);

// The last two of p_0..p_n at one point, with their derivatives by θ, and Σ_{k<n} p_k²: what Newton
// steps on p_n and Gauss weights need.
struct PolynomialPoint {
  double value = 0, derivative = 0, squares = 0;
};
[[nodiscard]] PolynomialPoint polynomial_point(const RecurrenceKernel& kernel, Index n,
                                               double theta);

// p[i] holds a factor f_i on entry, f_i p_n(θ_i) on return. A small f_i (the root of a density)
// keeps p_n from overflowing far out in a tail.
void polynomial_degree(const RecurrenceKernel& kernel, Index n, const double* theta, Index count,
                       double* p);

}  // namespace chaosgrad::internal
