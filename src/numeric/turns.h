#pragma once
// sin and cos of an angle in turns, to within an ulp or two: the reduction to an eighth of a turn
// is exact, so no accuracy is lost near the multiples of a quarter turn, however large the phase.
#include "numeric/pack.h"

namespace chaosgrad::internal::simd {

// The angle high + rest (|rest| far below one ulp of high's range), |high| < 2^40.
struct Turns {
  Pack high, rest;
};

// Polynomials: Chebyshev fits on |r| ≤ 1/8 of (sin(2πr)/r − 2π)/r² and (cos(2πr) − 1 + 2π²r²)/r⁴
// in r², with errors 1e-17 and 5e-19 in the function values.
[[gnu::always_inline]] inline SinCos sincos_turns(const Turns& angle) {
  constexpr double two_pi = 0x1.921fb54442d18p+2, two_pi_rest = 2.4492935982947064e-16;
  constexpr double to_integer = 0x1.8p52;  // adding it rounds to an integer, kept in the low bits
  const auto constant = [](double c) { return broadcast(c); };

  const Pack shifted = fma(angle.high, constant(4), constant(to_integer));
  const Pack r = fnma(shifted - to_integer, constant(0.25), angle.high) + angle.rest;
  const Pack y = r * r;
  Pack s = fma(y, constant(3.7864333495654501), constant(-15.094054182079999));
  Pack c = fma(y, constant(-1.7012215232036352), constant(7.9033051647423553));
  s = fma(s, y, constant(42.058689180885118));
  c = fma(c, y, constant(-26.426254911246687));
  s = fma(s, y, constant(-76.705859735620933));
  c = fma(c, y, constant(60.24464136502278));
  s = fma(s, y, constant(81.605249276051694));
  c = fma(c, y, constant(-85.456817206684548));
  s = fma(s, y, constant(-41.341702240399755));
  c = fma(c, y, constant(64.939394022668296));
  s = fma(fma(s, y, constant(two_pi_rest)), r, r * two_pi);
  c = fma(fma(c, y, constant(-19.739208802178716)), y, constant(1));

  // Quarter k: (sin, cos) of r turned by k quarters.
  const auto quarter = reinterpret_cast<Integers>(shifted);
  return {flip_by_bit_1(if_odd(quarter, c, s), quarter),
          flip_by_bit_1(if_odd(quarter, s, c), quarter + 1)};
}

}  // namespace chaosgrad::internal::simd
