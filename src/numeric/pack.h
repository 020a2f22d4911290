#pragma once
// The widest vector of doubles the compiler may use, with the operations that every machine has in
// its own way. Plain + − * / and comparisons work on Pack; fused operations are spelled out so that
// every build rounds the same way.
//
// Per machine, in pack_*.h:
//   in_register(a)       a, in a register: a value that is used several times is loaded once, where
//                        the compiler would make a load part of every use and be limited by loads
//   fma, fms, fnma       a·b + c, a·b − c and c − a·b with one rounding where the machine can, which
//                        has_fused says
//   sqrt, abs            √a, |a|
//   lesser, greater      the smaller and the larger number, b if either is not one
//   all_less(a, b)       whether a < b in all lanes
//   sums_of_lanes(a)     lane j is the sum of all lanes of a[j], by pairs (0+1), (2+3), …, then
//                        pairs of those
#include <cmath>

#include "numeric/instructions.h"
#if defined(CHAOSGRAD_AVX512)
#include "numeric/pack_avx512.h"
#elif defined(CHAOSGRAD_AVX2)
#include "numeric/pack_avx2.h"
#else
#include "numeric/pack_plain.h"
#endif

namespace chaosgrad::internal::simd {

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

// The same rounding for one number.
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

#if !defined(CHAOSGRAD_AVX512)
// Whether |a_j| < b in all lanes of four packs.
inline bool all_sizes_less(const Pack (&a)[4], Pack b) {
  return all_less(simd::abs(a[0]), b) && all_less(simd::abs(a[1]), b) &&
         all_less(simd::abs(a[2]), b) && all_less(simd::abs(a[3]), b);
}

// a where bit 0 of n is set, b elsewhere.
[[gnu::always_inline]] inline Pack if_odd(Integers n, Pack a, Pack b) {
  return (n & 1) != 0 ? a : b;
}
// a with its sign changed where bit 1 of n is set.
[[gnu::always_inline]] inline Pack flip_by_bit_1(Pack a, Integers n) {
  return reinterpret_cast<Pack>(reinterpret_cast<Integers>(a) ^ ((n & 2) << 62));
}
#endif

}  // namespace chaosgrad::internal::simd
