#include "basis/family/kernel.h"

#include <algorithm>
#include <cassert>

namespace chaosgrad::internal {
namespace {

// Samples handled together, so that the columns a step reads are still in the first-level cache.
constexpr Index chunk = 256;

void step(double a, double b, double c, const double* __restrict t, const double* __restrict p,
          const double* __restrict p_before, double* __restrict p_next, Index count) {
  for (Index i = 0; i < count; ++i) p_next[i] = (a * t[i] + b) * p[i] - c * p_before[i];
}

void first_step(double a, double b, const double* __restrict t, double* __restrict p_next,
                Index count) {
  for (Index i = 0; i < count; ++i) p_next[i] = a * t[i] + b;
}

// The recurrence differentiated by t: p'_{n+1} = (A t + B) p'_n + A p_n − C p'_{n−1}.
void derivative_step(double a, double b, double c, const double* __restrict t,
                     const double* __restrict p, const double* __restrict d,
                     const double* __restrict d_before, double* __restrict d_next, Index count) {
  for (Index i = 0; i < count; ++i) {
    d_next[i] = (a * t[i] + b) * d[i] + a * p[i] - c * d_before[i];
  }
}

void scaled(const RecurrenceKernel& kernel, const double* __restrict theta, Index count,
            double* __restrict t) {
  for (Index i = 0; i < count; ++i) t[i] = (theta[i] - kernel.center) * kernel.inverse_scale;
}

}  // namespace

RecurrenceKernel recurrence_kernel(const Recurrence& recurrence) {
  const Index n = recurrence.a.size();
  RecurrenceKernel kernel;
  kernel.center = recurrence.center;
  kernel.inverse_scale = 1 / recurrence.scale;
  const auto next = recurrence.b.tail(n).array();
  kernel.A = 1 / next;
  kernel.B = -recurrence.a.array() / next;
  kernel.C = recurrence.b.head(n).array() / next;
  return kernel;
}

void polynomial_values(const RecurrenceKernel& kernel, const double* theta, Index count,
                       BlockOut values) {
  const Index columns = values.cols();
  assert(columns <= kernel.degrees() + 1 && values.rows() >= count);
  double t[chunk];
  for (Index begin = 0; begin < count; begin += chunk) {
    const Index size = std::min(chunk, count - begin);
    scaled(kernel, theta + begin, size, t);
    if (columns > 0) values.col(0).segment(begin, size).setOnes();
    const auto column = [&](Index n) { return values.data() + n * values.outerStride() + begin; };
    if (columns > 1) first_step(kernel.A[0], kernel.B[0], t, column(1), size);
    for (Index n = 1; n + 1 < columns; ++n) {
      step(kernel.A[n], kernel.B[n], kernel.C[n], t, column(n), column(n - 1), column(n + 1), size);
    }
  }
}

void polynomial_derivatives(const RecurrenceKernel& kernel, const double* theta, Index count,
                            BlockOut derivatives) {
  const Index columns = derivatives.cols();
  assert(columns <= kernel.degrees() + 1 && derivatives.rows() >= count);
  Matrix p(std::min(count, chunk), columns);
  double t[chunk];
  for (Index begin = 0; begin < count; begin += chunk) {
    const Index size = std::min(chunk, count - begin);
    scaled(kernel, theta + begin, size, t);
    polynomial_values(kernel, theta + begin, size, p);
    const auto column = [&](Index n) {
      return derivatives.data() + n * derivatives.outerStride() + begin;
    };
    if (columns > 0) std::fill_n(column(0), size, 0.0);
    if (columns > 1) std::fill_n(column(1), size, kernel.A[0]);
    for (Index n = 1; n + 1 < columns; ++n) {
      derivative_step(kernel.A[n], kernel.B[n], kernel.C[n], t, p.col(n).data(), column(n),
                      column(n - 1), column(n + 1), size);
    }
  }
  derivatives.topRows(count) *= kernel.inverse_scale;
}

PolynomialPoint polynomial_point(const RecurrenceKernel& kernel, Index n, double theta) {
  const double t = (theta - kernel.center) * kernel.inverse_scale;
  double p = 1, p_before = 0, d = 0, d_before = 0, squares = 0;
  for (Index k = 0; k < n; ++k) {
    squares += p * p;
    const double factor = kernel.A[k] * t + kernel.B[k];
    const double p_next = factor * p - kernel.C[k] * p_before;
    const double d_next = factor * d + kernel.A[k] * p - kernel.C[k] * d_before;
    p_before = p, p = p_next;
    d_before = d, d = d_next;
  }
  return {p, d * kernel.inverse_scale, squares};
}

void polynomial_degree(const RecurrenceKernel& kernel, Index n, const double* theta, Index count,
                       double* p) {
  double t[chunk], ring[3][chunk];
  for (Index begin = 0; begin < count; begin += chunk) {
    const Index size = std::min(chunk, count - begin);
    scaled(kernel, theta + begin, size, t);
    std::copy_n(p + begin, size, ring[0]);
    std::fill_n(ring[2], size, 0.0);
    for (Index k = 0; k < n; ++k) {
      step(kernel.A[k], kernel.B[k], kernel.C[k], t, ring[k % 3], ring[(k + 2) % 3],
           ring[(k + 1) % 3], size);
    }
    std::copy_n(ring[n % 3], size, p + begin);
  }
}

}  // namespace chaosgrad::internal
