#pragma once
// Elementary functions on packs, within 1.5 ulp. Every function is pure per lane: the value of a
// lane does not depend on its neighbours.
#include <cmath>
#include <numbers>

#include "numeric/elementary.h"
#include "numeric/sleef.h"

namespace chaosgrad::internal::simd {

// SLEEF chooses one range reduction for a whole pack, by its largest argument. Here each lane gets
// the one that its own size asks for: the lanes of each class are evaluated among harmless values
// of the same class.
template <class Function, class Blend>
inline auto by_size(Pack x, Function function, Blend blend) {
  const Pack size = simd::abs(x), small = broadcast(15), large = broadcast(1e14);
  if (all_less(size, small)) return function(x);
  auto result = function(size < small ? x : broadcast(0));
  const auto medium = (size < large) & ~(size < small);
  result = blend(medium, function(medium ? x : broadcast(20)), result);
  if (all_less(size, large)) return result;
  const auto huge = ~(size < large);  // and not-a-number
  return blend(huge, function(huge ? x : broadcast(1e15)), result);
}
inline constexpr auto blend_packs = [](auto mask, Pack a, Pack b) -> Pack { return mask ? a : b; };

// `usual` where |x| < range, SLEEF's function elsewhere (and for not-a-number), lane by lane.
template <class Usual, class Rare>
[[gnu::always_inline]] inline Pack within(double range, Pack x, Usual usual, Rare rare) {
  if constexpr (!has_fused) return rare(x);
  const Pack size = simd::abs(x), limit = broadcast(range);
  if (all_less(size, limit)) [[likely]]
    return usual(x);
  const Pack value = usual(size < limit ? x : broadcast(0));
  return size < limit ? value : rare(size < limit ? broadcast(2 * range) : x);
}

inline Pack exp(Pack x) { return within(quick::exp_range, x, quick::exp, Machine::exp); }
inline Pack sin(Pack x) {
  return within(quick::turn_range, x, quick::sin,
                [](Pack a) { return by_size(a, Machine::sin, blend_packs); });
}
inline Pack cos(Pack x) {
  return within(quick::turn_range, x, quick::cos,
                [](Pack a) { return by_size(a, Machine::cos, blend_packs); });
}
inline Pack tan(Pack x) { return by_size(x, Machine::tan, blend_packs); }
inline SinCos sincos(Pack x) {
  if (has_fused && all_less(simd::abs(x), broadcast(quick::turn_range))) [[likely]]
    return quick::sincos(x);
  return {simd::sin(x), simd::cos(x)};
}
inline quick::DoubleSine double_sine(Pack x) {
  if (has_fused && all_less(simd::abs(x), broadcast(quick::turn_range))) [[likely]]
    return quick::double_sine(x);
  const SinCos pair = simd::sincos(x);
  return {pair.sin, clamp((pair.sin + pair.sin) * pair.cos, -1, 1)};
}

// Where e^{|x|} overflows and cosh may not, its root is squared.
inline Pack cosh(Pack x) {
  return within(quick::exp_range, x, quick::cosh, [](Pack a) -> Pack {
    const Pack size = simd::abs(a), grown = Machine::exp(size), root = Machine::exp(0.5 * size);
    const Pack usual = 0.5 * grown + 0.5 / grown;
    return size < broadcast(709) ? usual : (0.5 * root) * root;
  });
}

// 1/(1 + e^{-x}) without overflow and with full relative accuracy in the lower tail.
inline Pack logistic(Pack x) {
  const Pack decay = simd::exp(-simd::abs(x));
  const Pack upper = 1.0 / (1.0 + decay);
  return x < broadcast(0) ? decay * upper : upper;
}

// log(1 + e^x) = max(x, 0) + log(1 + e^{-|x|})
inline Pack softplus(Pack x) {
  const Pack positive = x < broadcast(0) ? broadcast(0) : x;
  return positive + Machine::log1p(simd::exp(-simd::abs(x)));
}

// φ(x) = e^{-x²/2}/√(2π); the rounding of x² is put back, it would cost x² ulp in the tails.
inline Pack normal_pdf(Pack x) {
  const Pack square = x * x;
  const Pack rest = product_error(x, x);
  const Pack value =
      simd::exp(-0.5 * square) * (0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2);
  return value == broadcast(0) ? value : fma(value * -0.5, rest, value);
}

// Φ(x) = erfc(−x/√2)/2. With t = −x/√2 rounded by δ,
//   erfc(t + δ) ≈ erfc(t) (1 − δ (t + √(t² + 4/π))).
inline Pack normal_cdf(Pack x) {
  constexpr double root = std::numbers::sqrt2 / 2, root_rest = -4.8336466567264567e-17;
  const Pack t = x * -root;
  const Pack rest = product_error(x, broadcast(-root)) - x * root_rest;
  const Pack value = 0.5 * Machine::erfc(t);
  const Pack slope = t + simd::sqrt(fma(t, t, broadcast(4 / std::numbers::pi)));
  const Pack corrected = fma(-value * rest, slope, value);
  return ((simd::abs(x) < broadcast(40)) & (value > broadcast(0))) ? corrected : value;
}

}  // namespace chaosgrad::internal::simd
