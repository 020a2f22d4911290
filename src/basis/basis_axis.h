#pragma once
// The one-dimensional functions for one strip of samples, written into columns of the table.
#include <algorithm>

#include "basis/basis_plan.h"
#include "basis/strip.h"
#include "numeric/turns.h"

namespace chaosgrad::internal {

static_assert(BasisBlock::tile % strip_samples == 0);

// p_{n+1} = (A_n t + B_n) p_n − C_n p_{n−1}, n + 1 < count; column(n) is where B_n goes.
template <class Column>
inline void polynomial_strip(const RecurrenceKernel& recurrence, const Strip& eta, Index count,
                             const Column& column) {
  const double *A = recurrence.A.data(), *B = recurrence.B.data(), *C = recurrence.C.data();
  const Strip t = Strip::generate(
      [&](int j) { return (eta.pack[j] - recurrence.center) * recurrence.inverse_scale; });
  Strip previous = Strip::constant(0), current = Strip::constant(1);
  current.store(column(0));
  for (Index n = 0; n + 1 < count; ++n) {
    const simd::Pack a = simd::broadcast(A[n]), b = simd::broadcast(B[n]),
                     c = simd::broadcast(C[n]);
    const Strip next = Strip::generate([&](int j) {
      return simd::fms(simd::fma(a, t.pack[j], b), current.pack[j], c * previous.pack[j]);
    });
    previous = current;
    current = next;
    current.store(column(n + 1));
  }
}

// The harmonics 1 … harmonic_reach are tabulated; those around an anchor a = harmonic_span · g are
//   √2 cos(a ± n) = cos a · √2 cos n ∓ sin a · √2 sin n,
//   √2 sin(a ± n) = sin a · √2 cos n ± cos a · √2 sin n,     n = 0 … harmonic_reach,
// either formed, or left to the kernels, which turn the coefficients instead of the functions.
// B_{2h−1} and B_{2h} are the cosine and the sine of harmonic h.
inline constexpr Index harmonic_reach = 4;
inline constexpr Index harmonic_span = 2 * harmonic_reach + 1;
inline constexpr Index harmonic_columns = 2 * harmonic_reach + 1;  // with the constant
inline constexpr double sqrt2 = 0x1.6a09e667f3bcdp+0;

// A group has 2·harmonic_span functions. It is left to the kernels if the first m functions hold at
// least this many of them: to form so many would cost more than to work on a few absent ones.
inline constexpr Index harmonic_quorum = 12;

// Number of groups left to the kernels.
[[nodiscard]] constexpr Index harmonic_groups(Index m) {
  return std::max<Index>(0, m - harmonic_columns + 2 * harmonic_span - harmonic_quorum) /
         (2 * harmonic_span);
}
// First function after the tabulated ones and so many groups.
[[nodiscard]] constexpr Index harmonic_tail(Index groups) {
  return harmonic_columns + 2 * harmonic_span * groups;
}

struct Harmonic {
  Strip cos, sin;
};

// The sum of the two angles.
[[gnu::always_inline]] inline Harmonic operator*(const Harmonic& x, const Harmonic& y) {
  return {fms(x.cos, y.cos, x.sin * y.sin), fma(x.sin, y.cos, x.cos * y.sin)};
}

[[gnu::always_inline]] inline Harmonic operator*(const Harmonic& x, double factor) {
  return {x.cos * factor, x.sin * factor};
}

// cos and sin of harmonic h, from scratch.
[[gnu::always_inline]] inline Harmonic harmonic(const BasisAxis& axis, const Strip& eta, Index h) {
  Harmonic result;
  const double times = static_cast<double>(h);
#pragma GCC unroll 4
  for (int j = 0; j < strip_packs; ++j) {
    const simd::Pack tau = eta.pack[j] - axis.center;
    const simd::Pack per_unit = simd::broadcast(axis.turns_per_unit),
                     h_pack = simd::broadcast(times);
    const simd::Pack turns = tau * per_unit, high = turns * h_pack;
    const simd::Pack rest = simd::fma(tau, simd::broadcast(axis.turns_per_unit_rest),
                                      simd::product_error(tau, per_unit));
    const simd::Pack low =
        h == 1 ? rest : simd::fma(rest, h_pack, simd::product_error(turns, h_pack));
    const simd::SinCos value = simd::sincos_turns({high, low});
    result.cos.pack[j] = value.cos;
    result.sin.pack[j] = value.sin;
  }
  return result;
}

// B_0 … B_{count−1}; column(n) is where B_n goes. The first `skip` groups around anchors are not
// formed; anchor(g, harmonic) receives cos and sin of each of theirs.
template <class Column, class Anchor>
inline void fourier_strip(const BasisAxis& axis, const Strip& eta, Index count, Index skip,
                          const Column& column, const Anchor& anchor) {
  Strip::constant(1).store(column(0));
  if (count <= 1) return;
  const auto put = [&](Index h, const Harmonic& value) {
    if (2 * h - 1 < count) value.cos.store(column(2 * h - 1));
    if (2 * h < count) value.sin.store(column(2 * h));
  };
  const auto small = [&](Index n) {  // an earlier harmonic, times √2
    return Harmonic{Strip::load_to_registers(column(2 * n - 1)),
                    Strip::load_to_registers(column(2 * n))};
  };
  const Harmonic base = harmonic(axis, eta, 1);
  put(1, base * sqrt2);
  Harmonic power = base;
  for (Index h = 2; h <= harmonic_reach && 2 * h - 1 < count; h *= 2) {
    power = power * power;  // 2, 3 | 4: the first of them turns those before
    put(h, power * sqrt2);
    for (Index n = 1; n < h && h + n <= harmonic_reach && 2 * (h + n) - 1 < count; ++n)
      put(h + n, power * small(n));
  }

  // Anchors turn by harmonic_span at a time, every fourth one is computed from scratch: the error
  // stays below 2e-14 (measured up to harmonic 500), whatever g.
  if (2 * harmonic_reach + 1 >= count) return;
  const Harmonic step = power * power * base;
  Harmonic current = step;
  for (Index g = 1; 2 * (g * harmonic_span - harmonic_reach) - 1 < count; ++g) {
    const Index a = g * harmonic_span;
    if (g > 1) current = g % 4 == 1 ? harmonic(axis, eta, a) : current * step;
    if (g <= skip) {
      anchor(g, current);
      continue;
    }
    for (Index n = harmonic_reach; n > 0 && 2 * (a - n) - 1 < count; --n) {
      const Harmonic turn = small(n);
      put(a - n, {fma(current.cos, turn.cos, current.sin * turn.sin),
                  fms(current.sin, turn.cos, current.cos * turn.sin)});
    }
    put(a, current * sqrt2);
    for (Index n = 1; n <= harmonic_reach && 2 * (a + n) - 1 < count; ++n)
      put(a + n, current * small(n));
  }
}

}  // namespace chaosgrad::internal
