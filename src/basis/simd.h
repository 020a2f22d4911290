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

// Lane j of the result is the sum of all lanes of a[j], by pairs (0+1), (2+3), …, then pairs of
// those.
[[gnu::always_inline]] inline Pack sums_of_lanes(const Pack* a) {
#if defined(__AVX512F__)
  Pack pairs[4], fours[2];
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j)
    pairs[j] = __builtin_shufflevector(a[2 * j], a[2 * j + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(a[2 * j], a[2 * j + 1], 1, 9, 3, 11, 5, 13, 7, 15);
#pragma GCC unroll 2
  for (int j = 0; j < 2; ++j)
    fours[j] = __builtin_shufflevector(pairs[2 * j], pairs[2 * j + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
               __builtin_shufflevector(pairs[2 * j], pairs[2 * j + 1], 2, 3, 10, 11, 6, 7, 14, 15);
  return __builtin_shufflevector(fours[0], fours[1], 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(fours[0], fours[1], 4, 5, 6, 7, 12, 13, 14, 15);
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
