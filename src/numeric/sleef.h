#pragma once
// SLEEF's functions on packs, within 1 ulp (erfc 1.5).
#include <sleef.h>

#include "numeric/pack.h"

namespace chaosgrad::internal::simd {

// The functions for packs of `WIDTH` doubles on the machine `KIND`, by SLEEF's names for them.
#define CHAOSGRAD_SLEEF(WIDTH, KIND)                               \
  struct Machine {                                                 \
    static constexpr auto sin = Sleef_sind##WIDTH##_u10##KIND;     \
    static constexpr auto cos = Sleef_cosd##WIDTH##_u10##KIND;     \
    static constexpr auto tan = Sleef_tand##WIDTH##_u10##KIND;     \
    static constexpr auto asin = Sleef_asind##WIDTH##_u10##KIND;   \
    static constexpr auto acos = Sleef_acosd##WIDTH##_u10##KIND;   \
    static constexpr auto atan = Sleef_atand##WIDTH##_u10##KIND;   \
    static constexpr auto sinh = Sleef_sinhd##WIDTH##_u10##KIND;   \
    static constexpr auto tanh = Sleef_tanhd##WIDTH##_u10##KIND;   \
    static constexpr auto exp = Sleef_expd##WIDTH##_u10##KIND;     \
    static constexpr auto log = Sleef_logd##WIDTH##_u10##KIND;     \
    static constexpr auto log1p = Sleef_log1pd##WIDTH##_u10##KIND; \
    static constexpr auto erf = Sleef_erfd##WIDTH##_u10##KIND;     \
    static constexpr auto erfc = Sleef_erfcd##WIDTH##_u15##KIND;   \
    static constexpr auto floor = Sleef_floord##WIDTH##_##KIND;    \
    static constexpr auto ceil = Sleef_ceild##WIDTH##_##KIND;      \
    static constexpr auto power = Sleef_powd##WIDTH##_u10##KIND;   \
  }

#if defined(CHAOSGRAD_AVX512)
CHAOSGRAD_SLEEF(8, avx512f);
#elif defined(CHAOSGRAD_AVX2)
CHAOSGRAD_SLEEF(4, avx2);
#elif defined(__SSE2__) && !defined(CHAOSGRAD_SCALAR_PACKS)
CHAOSGRAD_SLEEF(2, sse2);
#else
// One number at a time: these SLEEF has for every machine.
template <auto function>
Pack in_lanes(Pack a) {
  return Pack{function(a[0]), function(a[1])};
}
template <auto function>
Pack in_lanes(Pack a, Pack b) {
  return Pack{function(a[0], b[0]), function(a[1], b[1])};
}
struct Machine {
  static Pack sin(Pack a) { return in_lanes<Sleef_sin_u10>(a); }
  static Pack cos(Pack a) { return in_lanes<Sleef_cos_u10>(a); }
  static Pack tan(Pack a) { return in_lanes<Sleef_tan_u10>(a); }
  static Pack asin(Pack a) { return in_lanes<Sleef_asin_u10>(a); }
  static Pack acos(Pack a) { return in_lanes<Sleef_acos_u10>(a); }
  static Pack atan(Pack a) { return in_lanes<Sleef_atan_u10>(a); }
  static Pack sinh(Pack a) { return in_lanes<Sleef_sinh_u10>(a); }
  static Pack tanh(Pack a) { return in_lanes<Sleef_tanh_u10>(a); }
  static Pack exp(Pack a) { return in_lanes<Sleef_exp_u10>(a); }
  static Pack log(Pack a) { return in_lanes<Sleef_log_u10>(a); }
  static Pack log1p(Pack a) { return in_lanes<Sleef_log1p_u10>(a); }
  static Pack erf(Pack a) { return in_lanes<Sleef_erf_u10>(a); }
  static Pack erfc(Pack a) { return in_lanes<Sleef_erfc_u15>(a); }
  static Pack floor(Pack a) { return in_lanes<Sleef_floor>(a); }
  static Pack ceil(Pack a) { return in_lanes<Sleef_ceil>(a); }
  static Pack power(Pack a, Pack b) { return in_lanes<Sleef_pow_u10>(a, b); }
};
#endif
#undef CHAOSGRAD_SLEEF

}  // namespace chaosgrad::internal::simd
