#pragma once
// Elementwise functions over arrays, one pack at a time. Every value passes through the same code
// whatever its position and the length of the array (a short end is padded), so the bits of a
// result depend on its argument only.
#include <algorithm>

#include "chaosgrad/types.h"
#include "numeric/sleef.h"

namespace chaosgrad::internal::simd {

// out[i] = f(in[i]), i < n, for f: Pack → Pack; in may be out. `padding` is any harmless argument.
template <class F>
void transform(const double* in, double* out, Index n, double padding, F&& f) {
  Index i = 0;
  for (; i + width <= n; i += width) store(out + i, f(load(in + i)));
  if (i == n) return;
  double padded[width];
  std::fill_n(padded, width, padding);
  std::copy(in + i, in + n, padded);
  store(padded, f(load(padded)));
  std::copy_n(padded, n - i, out + i);
}

}  // namespace chaosgrad::internal::simd
