#pragma once
// Packs of samples: the machine's widest vector of doubles, and SLEEF's functions on it (1 ulp).
#include <immintrin.h>
#include <sleef.h>

#include <cstdint>
#include <cstring>

#include "chaosgrad/types.h"

namespace chaosgrad::simd {

#if defined(__AVX512F__)
using Pack = __m512d;
struct Machine {
  static constexpr auto sin = Sleef_sind8_u10avx512f, cos = Sleef_cosd8_u10avx512f;
  static constexpr auto tan = Sleef_tand8_u10avx512f, asin = Sleef_asind8_u10avx512f;
  static constexpr auto acos = Sleef_acosd8_u10avx512f, atan = Sleef_atand8_u10avx512f;
  static constexpr auto sinh = Sleef_sinhd8_u10avx512f;
  static constexpr auto tanh = Sleef_tanhd8_u10avx512f, exp = Sleef_expd8_u10avx512f;
  static constexpr auto log = Sleef_logd8_u10avx512f, log1p = Sleef_log1pd8_u10avx512f;
  static constexpr auto erf = Sleef_erfd8_u10avx512f, erfc = Sleef_erfcd8_u15avx512f;
  static constexpr auto floor = Sleef_floord8_avx512f, ceil = Sleef_ceild8_avx512f;
  static constexpr auto power = Sleef_powd8_u10avx512f;
  static constexpr auto sincos = Sleef_sincosd8_u10avx512f;
};
inline constexpr bool has_fused = true;
inline Pack broadcast(double value) { return _mm512_set1_pd(value); }
inline Pack sqrt(Pack a) { return _mm512_maskz_sqrt_pd(0xff, a); }
inline Pack abs(Pack a) { return _mm512_abs_pd(a); }
inline Pack fused(Pack a, Pack b, Pack c) { return _mm512_fmadd_pd(a, b, c); }
// a·b − product, exactly, where product is a·b rounded
inline Pack rounding_error(Pack a, Pack b, Pack product) { return fused(a, b, -product); }
inline bool all_less(Pack a, Pack b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ) == 0xff; }
// |a_j| < b for all lanes of four packs
inline bool all_sizes_less(const Pack (&a)[4], Pack b) {
  __mmask8 less = 0xff;
#pragma GCC unroll 4
  for (const Pack& pack : a) less = _mm512_mask_cmp_pd_mask(less, simd::abs(pack), b, _CMP_LT_OQ);
  return less == 0xff;
}
// The smaller and the larger number; b if either is not one.
inline Pack lesser(Pack a, Pack b) { return _mm512_maskz_min_pd(0xff, a, b); }
inline Pack greater(Pack a, Pack b) { return _mm512_maskz_max_pd(0xff, a, b); }
#elif defined(__AVX2__) && defined(__FMA__)
using Pack = __m256d;
struct Machine {
  static constexpr auto sin = Sleef_sind4_u10avx2, cos = Sleef_cosd4_u10avx2;
  static constexpr auto tan = Sleef_tand4_u10avx2, asin = Sleef_asind4_u10avx2;
  static constexpr auto acos = Sleef_acosd4_u10avx2, atan = Sleef_atand4_u10avx2;
  static constexpr auto sinh = Sleef_sinhd4_u10avx2;
  static constexpr auto tanh = Sleef_tanhd4_u10avx2, exp = Sleef_expd4_u10avx2;
  static constexpr auto log = Sleef_logd4_u10avx2, log1p = Sleef_log1pd4_u10avx2;
  static constexpr auto erf = Sleef_erfd4_u10avx2, erfc = Sleef_erfcd4_u15avx2;
  static constexpr auto floor = Sleef_floord4_avx2, ceil = Sleef_ceild4_avx2;
  static constexpr auto power = Sleef_powd4_u10avx2;
  static constexpr auto sincos = Sleef_sincosd4_u10avx2;
};
inline constexpr bool has_fused = true;
inline Pack broadcast(double value) { return _mm256_set1_pd(value); }
inline Pack sqrt(Pack a) { return _mm256_sqrt_pd(a); }
inline Pack abs(Pack a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
inline Pack fused(Pack a, Pack b, Pack c) { return _mm256_fmadd_pd(a, b, c); }
inline Pack rounding_error(Pack a, Pack b, Pack product) { return fused(a, b, -product); }
inline bool all_less(Pack a, Pack b) {
  return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)) == 0xf;
}
inline bool all_sizes_less(const Pack (&a)[4], Pack b) {
  return all_less(simd::abs(a[0]), b) && all_less(simd::abs(a[1]), b) &&
         all_less(simd::abs(a[2]), b) && all_less(simd::abs(a[3]), b);
}
inline Pack lesser(Pack a, Pack b) { return _mm256_min_pd(a, b); }
inline Pack greater(Pack a, Pack b) { return _mm256_max_pd(a, b); }
#else
using Pack = __m128d;
struct Machine {
  static constexpr auto sin = Sleef_sind2_u10sse2, cos = Sleef_cosd2_u10sse2;
  static constexpr auto tan = Sleef_tand2_u10sse2, asin = Sleef_asind2_u10sse2;
  static constexpr auto acos = Sleef_acosd2_u10sse2, atan = Sleef_atand2_u10sse2;
  static constexpr auto sinh = Sleef_sinhd2_u10sse2;
  static constexpr auto tanh = Sleef_tanhd2_u10sse2, exp = Sleef_expd2_u10sse2;
  static constexpr auto log = Sleef_logd2_u10sse2, log1p = Sleef_log1pd2_u10sse2;
  static constexpr auto erf = Sleef_erfd2_u10sse2, erfc = Sleef_erfcd2_u15sse2;
  static constexpr auto floor = Sleef_floord2_sse2, ceil = Sleef_ceild2_sse2;
  static constexpr auto power = Sleef_powd2_u10sse2;
  static constexpr auto sincos = Sleef_sincosd2_u10sse2;
};
inline constexpr bool has_fused = false;
inline Pack broadcast(double value) { return _mm_set1_pd(value); }
inline Pack sqrt(Pack a) { return _mm_sqrt_pd(a); }
inline Pack abs(Pack a) { return _mm_andnot_pd(_mm_set1_pd(-0.0), a); }
inline Pack fused(Pack a, Pack b, Pack c) { return a * b + c; }
// Without a fused multiply-add: by halves of 26 bits (Dekker).
inline Pack upper_half(Pack a) {
  const Pack scaled = a * 134217729.0;
  return scaled - (scaled - a);
}
inline Pack rounding_error(Pack a, Pack b, Pack product) {
  const Pack a_high = upper_half(a), b_high = upper_half(b);
  const Pack a_low = a - a_high, b_low = b - b_high;
  return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
}
inline bool all_less(Pack a, Pack b) { return _mm_movemask_pd(_mm_cmplt_pd(a, b)) == 0x3; }
inline bool all_sizes_less(const Pack (&a)[4], Pack b) {
  return all_less(simd::abs(a[0]), b) && all_less(simd::abs(a[1]), b) &&
         all_less(simd::abs(a[2]), b) && all_less(simd::abs(a[3]), b);
}
inline Pack lesser(Pack a, Pack b) { return _mm_min_pd(a, b); }
inline Pack greater(Pack a, Pack b) { return _mm_max_pd(a, b); }
#endif

inline constexpr Index width = sizeof(Pack) / sizeof(double);
typedef std::int64_t Integers __attribute__((vector_size(sizeof(Pack))));

// a where bit 0 of n is set, b elsewhere; and a with its sign changed where bit 1 of n is set.
#if defined(__AVX512F__)
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
#else
[[gnu::always_inline]] inline Pack if_odd(Integers n, Pack a, Pack b) {
  return (n & 1) != 0 ? a : b;
}
[[gnu::always_inline]] inline Pack flip_by_bit_1(Pack a, Integers n) {
  return reinterpret_cast<Pack>(reinterpret_cast<Integers>(a) ^ ((n & 2) << 62));
}
#endif

// The nearest number in [−bound, bound].
inline Pack clamped(Pack a, double bound) {
  return greater(broadcast(-bound), lesser(broadcast(bound), a));
}

inline Pack load(const double* from) {
  Pack pack;
  std::memcpy(&pack, from, sizeof pack);
  return pack;
}
inline void store(double* to, Pack pack) { std::memcpy(to, &pack, sizeof pack); }

}  // namespace chaosgrad::simd
