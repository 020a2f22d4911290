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

#if defined(__AVX512F__)
CHAOSGRAD_SLEEF(8, avx512f);
#elif defined(__AVX2__) && defined(__FMA__)
CHAOSGRAD_SLEEF(4, avx2);
#else
CHAOSGRAD_SLEEF(2, sse2);
#endif
#undef CHAOSGRAD_SLEEF

}  // namespace chaosgrad::internal::simd
