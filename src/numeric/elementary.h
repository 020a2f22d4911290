#pragma once
// exp, sin and cos of moderate arguments, short enough to be inlined and interleaved: within 1.5
// ulp, three times as fast as calls of SLEEF. They need the fused multiply-add (has_fused).
#include "numeric/pack.h"

namespace chaosgrad::internal::simd::quick {

inline constexpr double to_integer = 0x1.8p52;  // adding it rounds; the low bits hold the integer

// Σ_j coefficients[j] x^j
template <std::size_t count>
[[gnu::always_inline]] inline Pack polynomial(const double (&coefficients)[count], Pack x) {
  Pack sum = broadcast(coefficients[count - 1]);
  for (std::size_t j = count - 1; j-- > 0;) sum = fma(sum, x, broadcast(coefficients[j]));
  return sum;
}

// |x| < exp_range: x = n log 2 + r, e^x = 2^n (1 + r + r² p(r)); p to 1.3e-17 in e^r.
inline constexpr double exp_range = 707;
inline constexpr double exp_terms[] = {
    0.5,
    0.16666666666666669,
    0.041666666666624164,
    0.008333333333330065,
    0.0013888888917196736,
    0.00019841269863040559,
    2.480152132234228e-05,
    2.7557268480289716e-06,
    2.7620075892548164e-07,
    2.51003758422237e-08,
};
struct ExpReduction {
  Pack r;
  Integers exponent;  // n, in the place of the exponent of a double

  [[gnu::always_inline]] explicit ExpReduction(Pack x) {
    const Pack shifted = fma(x, broadcast(0x1.71547652b82fep+0), broadcast(to_integer));
    const Pack n = shifted - to_integer;
    r = fma(n, broadcast(-0x1.abc9e3b39803fp-56), fma(n, broadcast(-0x1.62e42fefa39efp-1), x));
    exponent = reinterpret_cast<Integers>(shifted) << 52;
  }
};
[[gnu::always_inline]] inline Pack exp(Pack x) {
  const ExpReduction reduced(x);
  const Pack r = reduced.r, value = 1.0 + fma(r * r, polynomial(exp_terms, r), r);
  return reinterpret_cast<Pack>(reinterpret_cast<Integers>(value) + reduced.exponent);
}

// 2^n e^r/2 + 2^−n e^−r/2, with the even and the odd part of e^r/2.
[[gnu::always_inline]] inline Pack cosh(Pack x) {
  const auto& p = exp_terms;
  const double even_terms[] = {p[0], p[2], p[4], p[6], p[8]};
  const double odd_terms[] = {p[1], p[3], p[5], p[7], p[9]};
  const ExpReduction reduced(x);
  const Pack r = reduced.r, y = r * r;
  const Pack even = 0.5 * y * polynomial(even_terms, y);  // without its constant 1/2
  const Pack half_r = 0.5 * r, odd = fma(half_r * y, polynomial(odd_terms, y), half_r);
  const auto up = reinterpret_cast<Integers>(0.5 + (even + odd)) + reduced.exponent;
  const auto down = reinterpret_cast<Integers>(0.5 + (even - odd)) - reduced.exponent;
  return reinterpret_cast<Pack>(up) + reinterpret_cast<Pack>(down);
}

// |x| < turn_range: x = n π/2 + r in three parts. The first difference is exact, as both sides are
// multiples of 2^-53 and it is below 1; polynomials to 2e-17.
inline constexpr double turn_range = 1e5;
struct Turned {  // sin and cos of r, and n in the low bits
  Pack s, c;
  Integers n;
};
[[gnu::always_inline]] inline Turned turned(Pack x) {
  constexpr double sin_terms[] = {
      -0.16666666666666666,  0.008333333333330948,    -0.0001984126983675857,
      2.755731610255057e-06, -2.5051131844614108e-08, 1.5918129266803394e-10,
  };
  constexpr double cos_terms[] = {
      -0.5,
      0.041666666666666664,
      -0.0013888888888887398,
      2.4801587298765686e-05,
      -2.7557317271728623e-07,
      2.087614626815952e-09,
      -1.1382632407965617e-11,
  };
  const Pack shifted = fma(x, broadcast(0x1.45f306dc9c883p-1), broadcast(to_integer));
  const Pack n = shifted - to_integer;
  Pack r = fma(n, broadcast(-0x1.921fb54442d18p+0), x);
  r = fma(n, broadcast(-0x1.1a62633145c07p-54), r);
  r = fma(n, broadcast(0x1.f1976b7ed8fbcp-110), r);
  const Pack y = r * r;
  const Pack s = fma(r * y, polynomial(sin_terms, y), r);
  const Pack c = fma(y, polynomial(cos_terms, y), broadcast(1));
  return {s, c, reinterpret_cast<Integers>(shifted)};
}
// Quarter n: (sin, cos) of r turned by n quarters.
[[gnu::always_inline]] inline SinCos sincos(Pack x) {
  const auto [s, c, n] = turned(x);
  return {flip_by_bit_1(if_odd(n, c, s), n), flip_by_bit_1(if_odd(n, s, c), n + 1)};
}
[[gnu::always_inline]] inline Pack sin(Pack x) { return sincos(x).sin; }
[[gnu::always_inline]] inline Pack cos(Pack x) { return sincos(x).cos; }

struct DoubleSine {
  Pack sine, twice;  // sin x, sin 2x
};
// sin 2x = 2 sin x cos x = (−1)ⁿ 2 sin r cos r; rounding must not lead out of [−1, 1].
[[gnu::always_inline]] inline DoubleSine double_sine(Pack x) {
  const auto [s, c, n] = turned(x);
  return {flip_by_bit_1(if_odd(n, c, s), n), flip_by_bit_1(clamp((s + s) * c, -1, 1), n << 1)};
}

}  // namespace chaosgrad::internal::simd::quick
