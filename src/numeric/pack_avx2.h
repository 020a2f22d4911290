#pragma once
// What pack.h says per machine, with AVX2 and fused multiply-add.
#include "numeric/instructions.h"

namespace chaosgrad::internal::simd {

[[gnu::always_inline]] inline Pack in_register(Pack a) {
  asm("" : "+x"(a));
  return a;
}

inline constexpr bool has_fused = true;
[[gnu::always_inline]] inline Pack fma(Pack a, Pack b, Pack c) { return _mm256_fmadd_pd(a, b, c); }
[[gnu::always_inline]] inline Pack fms(Pack a, Pack b, Pack c) { return _mm256_fmsub_pd(a, b, c); }
[[gnu::always_inline]] inline Pack fnma(Pack a, Pack b, Pack c) {
  return _mm256_fnmadd_pd(a, b, c);
}

inline Pack sqrt(Pack a) { return _mm256_sqrt_pd(a); }
inline Pack abs(Pack a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
inline Pack lesser(Pack a, Pack b) { return _mm256_min_pd(a, b); }
inline Pack greater(Pack a, Pack b) { return _mm256_max_pd(a, b); }

inline bool all_less(Pack a, Pack b) {
  return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)) == 0xf;
}

[[gnu::always_inline]] inline Pack sums_of_lanes(const Pack* a) {
  const Pack low = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6) +
                   __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
  const Pack high = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6) +
                    __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
  return __builtin_shufflevector(low, high, 0, 1, 4, 5) +
         __builtin_shufflevector(low, high, 2, 3, 6, 7);
}

}  // namespace chaosgrad::internal::simd
