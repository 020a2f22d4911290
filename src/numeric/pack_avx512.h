#pragma once
// What pack.h says per machine, with AVX-512.
#include "numeric/instructions.h"

namespace chaosgrad::internal::simd {

[[gnu::always_inline]] inline Pack in_register(Pack a) {
  asm("" : "+v"(a));
  return a;
}

inline constexpr bool has_fused = true;
[[gnu::always_inline]] inline Pack fma(Pack a, Pack b, Pack c) { return _mm512_fmadd_pd(a, b, c); }
[[gnu::always_inline]] inline Pack fms(Pack a, Pack b, Pack c) { return _mm512_fmsub_pd(a, b, c); }
[[gnu::always_inline]] inline Pack fnma(Pack a, Pack b, Pack c) {
  return _mm512_fnmadd_pd(a, b, c);
}

inline Pack sqrt(Pack a) { return _mm512_maskz_sqrt_pd(0xff, a); }
inline Pack abs(Pack a) { return _mm512_abs_pd(a); }
inline Pack lesser(Pack a, Pack b) { return _mm512_maskz_min_pd(0xff, a, b); }
inline Pack greater(Pack a, Pack b) { return _mm512_maskz_max_pd(0xff, a, b); }

inline bool all_less(Pack a, Pack b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ) == 0xff; }
inline bool all_sizes_less(const Pack (&a)[4], Pack b) {
  __mmask8 less = 0xff;
#pragma GCC unroll 4
  for (const Pack& pack : a) less = _mm512_mask_cmp_pd_mask(less, simd::abs(pack), b, _CMP_LT_OQ);
  return less == 0xff;
}

[[gnu::always_inline]] inline Pack if_odd(Integers n, Pack a, Pack b) {
  const auto bits = reinterpret_cast<__m512i>(n);
  return _mm512_mask_blend_pd(_mm512_test_epi64_mask(bits, _mm512_set1_epi64(1)), b, a);
}
[[gnu::always_inline]] inline Pack flip_by_bit_1(Pack a, Integers n) {
  constexpr int a_xor_b_and_c = 0x78;
  return reinterpret_cast<Pack>(
      _mm512_ternarylogic_epi64(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(n << 62),
                                _mm512_set1_epi64(std::int64_t{1} << 63), a_xor_b_and_c));
}

// Each step adds two packs: a blend of them, and the other lanes of both, shuffled to their places.
// Blends run beside the shuffles.
[[gnu::always_inline]] inline Pack sums_of_lanes(const Pack* a) {
  Pack pairs[4], fours[2];
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j)
    pairs[j] = _mm512_mask_blend_pd(0b10101010, a[2 * j], a[2 * j + 1]) +
               __builtin_shufflevector(a[2 * j], a[2 * j + 1], 1, 8, 3, 10, 5, 12, 7, 14);
#pragma GCC unroll 2
  for (int j = 0; j < 2; ++j)
    fours[j] = _mm512_mask_blend_pd(0b11001100, pairs[2 * j], pairs[2 * j + 1]) +
               __builtin_shufflevector(pairs[2 * j], pairs[2 * j + 1], 2, 3, 8, 9, 6, 7, 12, 13);
  return _mm512_mask_blend_pd(0b11110000, fours[0], fours[1]) +
         __builtin_shufflevector(fours[0], fours[1], 4, 5, 6, 7, 8, 9, 10, 11);
}

}  // namespace chaosgrad::internal::simd
