#pragma once
// The widest vector of doubles the compiler may use, with the operations that every machine has in
// its own way. Plain + − * / and comparisons work on Pack; fused operations are spelled out so that
// every build rounds the same way.
#include <cmath>
#include <cstdint>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace chaosgrad::internal::simd {

#if defined(__AVX512F__)
inline constexpr int width = 8;
inline constexpr int registers = 32;
#elif defined(__AVX2__) && defined(__FMA__)
inline constexpr int width = 4;
inline constexpr int registers = 16;
#else
inline constexpr int width = 2;
inline constexpr int registers = 16;
#endif

// A comparison of Packs is Integers (−1 or 0 per lane); mask ? a : b blends.
typedef double Pack __attribute__((vector_size(width * sizeof(double))));
typedef double UnalignedPack
    __attribute__((vector_size(width * sizeof(double)), aligned(sizeof(double))));
typedef std::int64_t Integers __attribute__((vector_size(width * sizeof(double))));

struct SinCos {
  Pack sin, cos;
};

[[gnu::always_inline]] inline Pack load(const double* p) {
  return *reinterpret_cast<const UnalignedPack*>(p);
}
[[gnu::always_inline]] inline void store(double* p, Pack a) {
  *reinterpret_cast<UnalignedPack*>(p) = a;
}
[[gnu::always_inline]] inline Pack broadcast(double x) { return x - Pack{}; }
// a, in a register: a value that is used several times is loaded once, where the compiler would
// make a load part of every use and the loads would be the limit.
[[gnu::always_inline]] inline Pack in_register(Pack a) {
#if defined(__AVX__)
  asm("" : "+v"(a));
#elif defined(__SSE2__)
  asm("" : "+x"(a));
#endif
  return a;
}

// a·b + c, a·b − c and c − a·b with one rounding where the machine can, also for one number.
#if defined(__AVX512F__)
inline constexpr bool has_fused = true;
[[gnu::always_inline]] inline Pack fma(Pack a, Pack b, Pack c) { return _mm512_fmadd_pd(a, b, c); }
[[gnu::always_inline]] inline Pack fms(Pack a, Pack b, Pack c) { return _mm512_fmsub_pd(a, b, c); }
[[gnu::always_inline]] inline Pack fnma(Pack a, Pack b, Pack c) {
  return _mm512_fnmadd_pd(a, b, c);
}
#elif defined(__AVX2__) && defined(__FMA__)
inline constexpr bool has_fused = true;
[[gnu::always_inline]] inline Pack fma(Pack a, Pack b, Pack c) { return _mm256_fmadd_pd(a, b, c); }
[[gnu::always_inline]] inline Pack fms(Pack a, Pack b, Pack c) { return _mm256_fmsub_pd(a, b, c); }
[[gnu::always_inline]] inline Pack fnma(Pack a, Pack b, Pack c) {
  return _mm256_fnmadd_pd(a, b, c);
}
#else
inline constexpr bool has_fused = false;
[[gnu::always_inline]] inline Pack fma(Pack a, Pack b, Pack c) { return a * b + c; }
[[gnu::always_inline]] inline Pack fms(Pack a, Pack b, Pack c) { return a * b - c; }
[[gnu::always_inline]] inline Pack fnma(Pack a, Pack b, Pack c) { return c - a * b; }
#endif
inline double fma(double a, double b, double c) {
  if constexpr (has_fused) return std::fma(a, b, c);
  return a * b + c;
}

// What rounding the product a·b lost, exactly.
[[gnu::always_inline]] inline Pack product_error(Pack a, Pack b) {
  if constexpr (has_fused) return fms(a, b, a * b);
  constexpr double half = 0x1p27 + 1;  // Dekker: exact products of halves of 26 bits
  const Pack a_high = a * half - (a * half - a), a_low = a - a_high;
  const Pack b_high = b * half - (b * half - b), b_low = b - b_high;
  return ((a_high * b_high - a * b) + a_high * b_low + a_low * b_high) + a_low * b_low;
}

// √a, |a|; the smaller and the larger number, b if either is not one; whether a < b in all lanes,
// and |a_j| < b in all lanes of four packs.
#if defined(__AVX512F__)
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
#else
#if defined(__AVX2__) && defined(__FMA__)
inline Pack sqrt(Pack a) { return _mm256_sqrt_pd(a); }
inline Pack abs(Pack a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
inline Pack lesser(Pack a, Pack b) { return _mm256_min_pd(a, b); }
inline Pack greater(Pack a, Pack b) { return _mm256_max_pd(a, b); }
inline bool all_less(Pack a, Pack b) {
  return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)) == 0xf;
}
#else
inline Pack sqrt(Pack a) { return _mm_sqrt_pd(a); }
inline Pack abs(Pack a) { return _mm_andnot_pd(_mm_set1_pd(-0.0), a); }
inline Pack lesser(Pack a, Pack b) { return _mm_min_pd(a, b); }
inline Pack greater(Pack a, Pack b) { return _mm_max_pd(a, b); }
inline bool all_less(Pack a, Pack b) { return _mm_movemask_pd(_mm_cmplt_pd(a, b)) == 0x3; }
#endif
inline bool all_sizes_less(const Pack (&a)[4], Pack b) {
  return all_less(simd::abs(a[0]), b) && all_less(simd::abs(a[1]), b) &&
         all_less(simd::abs(a[2]), b) && all_less(simd::abs(a[3]), b);
}
#endif

// Whether the mask is set anywhere.
inline bool any(Integers mask) {
  std::int64_t bits = 0;
  for (int i = 0; i < width; ++i) bits |= mask[i];
  return bits != 0;
}

// The nearest number in [lower, upper]; what is not a number stays so.
inline Pack clamp(Pack a, double lower, double upper) {
  return lesser(broadcast(upper), greater(broadcast(lower), a));
}

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

// Lane j of the result is the sum of all lanes of a[j], by pairs (0+1), (2+3), …, then pairs of
// those.
[[gnu::always_inline]] inline Pack sums_of_lanes(const Pack* a) {
#if defined(__AVX512F__)
  Pack pairs[4], fours[2];
  // Each step adds two packs: a blend of them, and the other lanes of both, shuffled to their
  // places. Blends run beside the shuffles.
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
#elif defined(__AVX2__) && defined(__FMA__)
  const Pack low = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6) +
                   __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
  const Pack high = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6) +
                    __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
  return __builtin_shufflevector(low, high, 0, 1, 4, 5) +
         __builtin_shufflevector(low, high, 2, 3, 6, 7);
#else
  return __builtin_shufflevector(a[0], a[1], 0, 2) + __builtin_shufflevector(a[0], a[1], 1, 3);
#endif
}

}  // namespace chaosgrad::internal::simd
