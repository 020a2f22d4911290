#pragma once
// One strip of samples: four packs side by side, so that the steps on one column of values hide
// each other's latency.
#include <algorithm>

#include "chaosgrad/types.h"
#include "numeric/pack.h"

namespace chaosgrad::internal {

inline constexpr int strip_packs = 4;
inline constexpr Index strip_samples = strip_packs * simd::width;

struct Strip {
  simd::Pack pack[strip_packs];

  template <class Function>
  [[gnu::always_inline]] static Strip generate(const Function& function) {
    Strip result;
#pragma GCC unroll 4
    for (int j = 0; j < strip_packs; ++j) result.pack[j] = function(j);
    return result;
  }
  [[gnu::always_inline]] static Strip constant(double x) {
    return generate([&](int) { return simd::broadcast(x); });
  }
  [[gnu::always_inline]] static Strip load(const double* p) {
    return generate([&](int j) { return simd::load(p + j * simd::width); });
  }
  [[gnu::always_inline]] static Strip load_to_registers(const double* p) {
    return generate([&](int j) { return simd::in_register(simd::load(p + j * simd::width)); });
  }
  // Rows first, first + 1, … of a column; past the end its last row is repeated.
  [[gnu::always_inline]] static Strip load_column(const double* column, Index rows, Index first) {
    if (first + strip_samples <= rows)
      return generate([&](int j) { return simd::load(column + first + j * simd::width); });
    alignas(64) double padded[strip_samples];
    Index i = 0;
    for (; first + i + simd::width <= rows; i += simd::width)
      simd::store(padded + i, simd::load(column + first + i));
    for (; i < strip_samples; ++i) padded[i] = column[std::min(first + i, rows - 1)];
    return load(padded);
  }
  [[gnu::always_inline]] void store(double* p) const {
#pragma GCC unroll 4
    for (int j = 0; j < strip_packs; ++j) simd::store(p + j * simd::width, pack[j]);
  }
  // The inverse of load_column: rows past the end are dropped.
  [[gnu::always_inline]] void store_column(double* column, Index rows, Index first) const {
    if (first + strip_samples <= rows) {
#pragma GCC unroll 4
      for (int j = 0; j < strip_packs; ++j) simd::store(column + first + j * simd::width, pack[j]);
    } else if (first < rows) {
      alignas(64) double padded[strip_samples];
      store(padded);
      std::copy_n(padded, rows - first, column + first);
    }
  }
};

[[gnu::always_inline]] inline Strip operator*(const Strip& a, const Strip& b) {
  return Strip::generate([&](int j) { return a.pack[j] * b.pack[j]; });
}
[[gnu::always_inline]] inline Strip operator*(const Strip& a, double b) {
  return Strip::generate([&](int j) { return a.pack[j] * b; });
}
[[gnu::always_inline]] inline Strip fma(const Strip& a, const Strip& b, const Strip& c) {
  return Strip::generate([&](int j) { return simd::fma(a.pack[j], b.pack[j], c.pack[j]); });
}
[[gnu::always_inline]] inline Strip fms(const Strip& a, const Strip& b, const Strip& c) {
  return Strip::generate([&](int j) { return simd::fms(a.pack[j], b.pack[j], c.pack[j]); });
}

}  // namespace chaosgrad::internal
