#pragma once
// The widest vector of doubles the compiler may use, with the few operations the kernels need.
// Plain
// + − * work on Pack; fused operations are spelled out so that every build rounds the same way.
#include <cmath>
#include <cstdint>
#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace chaosgrad::simd {

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

typedef double Pack __attribute__((vector_size(width * sizeof(double))));
typedef double UnalignedPack
    __attribute__((vector_size(width * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef std::int64_t Integers __attribute__((vector_size(width * sizeof(double))));

[[gnu::always_inline]] inline Pack load(const double* p) {  // p aligned to the width
  return *reinterpret_cast<const Pack*>(p);
}
[[gnu::always_inline]] inline void store(double* p, Pack a) { *reinterpret_cast<Pack*>(p) = a; }
[[gnu::always_inline]] inline Pack load_unaligned(const double* p) {
  return *reinterpret_cast<const UnalignedPack*>(p);
}
[[gnu::always_inline]] inline void store_unaligned(double* p, Pack a) {
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

// a·b + c, a·b − c and c − a·b with one rounding where the machine can, also for one number; and
// what rounding the product a·b lost, exactly.
#if defined(__AVX512F__)
[[gnu::always_inline]] inline Pack fma(Pack a, Pack b, Pack c) { return _mm512_fmadd_pd(a, b, c); }
[[gnu::always_inline]] inline Pack fms(Pack a, Pack b, Pack c) { return _mm512_fmsub_pd(a, b, c); }
[[gnu::always_inline]] inline Pack fnma(Pack a, Pack b, Pack c) {
  return _mm512_fnmadd_pd(a, b, c);
}
#elif defined(__AVX2__) && defined(__FMA__)
[[gnu::always_inline]] inline Pack fma(Pack a, Pack b, Pack c) { return _mm256_fmadd_pd(a, b, c); }
[[gnu::always_inline]] inline Pack fms(Pack a, Pack b, Pack c) { return _mm256_fmsub_pd(a, b, c); }
[[gnu::always_inline]] inline Pack fnma(Pack a, Pack b, Pack c) {
  return _mm256_fnmadd_pd(a, b, c);
}
#else
[[gnu::always_inline]] inline Pack fma(Pack a, Pack b, Pack c) { return a * b + c; }
[[gnu::always_inline]] inline Pack fms(Pack a, Pack b, Pack c) { return a * b - c; }
[[gnu::always_inline]] inline Pack fnma(Pack a, Pack b, Pack c) { return c - a * b; }
#endif
#if defined(__FMA__)
inline double fma(double a, double b, double c) { return std::fma(a, b, c); }
[[gnu::always_inline]] inline Pack product_error(Pack a, Pack b) { return fms(a, b, a * b); }
#else
inline double fma(double a, double b, double c) { return a * b + c; }
[[gnu::always_inline]] inline Pack product_error(Pack a, Pack b) {  // Dekker: exact half products
  constexpr double half = 0x1p27 + 1;
  const Pack a_high = a * half - (a * half - a), a_low = a - a_high;
  const Pack b_high = b * half - (b * half - b), b_low = b - b_high;
  return ((a_high * b_high - a * b) + a_high * b_low + a_low * b_high) + a_low * b_low;
}
#endif

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

}  // namespace chaosgrad::simd
