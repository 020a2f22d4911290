#pragma once
// What pack.h says per machine, for any machine: two lanes, one after the other.
#include <cmath>

#include "numeric/instructions.h"

namespace chaosgrad::internal::simd {

[[gnu::always_inline]] inline Pack in_register(Pack a) { return a; }

#if defined(__FP_FAST_FMA)
inline constexpr bool has_fused = true;
[[gnu::always_inline]] inline Pack fma(Pack a, Pack b, Pack c) {
  return Pack{std::fma(a[0], b[0], c[0]), std::fma(a[1], b[1], c[1])};
}
[[gnu::always_inline]] inline Pack fms(Pack a, Pack b, Pack c) { return fma(a, b, -c); }
[[gnu::always_inline]] inline Pack fnma(Pack a, Pack b, Pack c) { return fma(-a, b, c); }
#else
inline constexpr bool has_fused = false;
[[gnu::always_inline]] inline Pack fma(Pack a, Pack b, Pack c) { return a * b + c; }
[[gnu::always_inline]] inline Pack fms(Pack a, Pack b, Pack c) { return a * b - c; }
[[gnu::always_inline]] inline Pack fnma(Pack a, Pack b, Pack c) { return c - a * b; }
#endif

inline Pack sqrt(Pack a) { return Pack{std::sqrt(a[0]), std::sqrt(a[1])}; }
inline Pack abs(Pack a) { return Pack{std::abs(a[0]), std::abs(a[1])}; }
inline Pack lesser(Pack a, Pack b) { return a < b ? a : b; }
inline Pack greater(Pack a, Pack b) { return a > b ? a : b; }

inline bool all_less(Pack a, Pack b) { return a[0] < b[0] && a[1] < b[1]; }

[[gnu::always_inline]] inline Pack sums_of_lanes(const Pack* a) {
  return Pack{a[0][0] + a[0][1], a[1][0] + a[1][1]};
}

}  // namespace chaosgrad::internal::simd
