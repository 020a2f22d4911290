#pragma once
// SLEEF's functions on packs, within 1 ulp (erfc 1.5).
#include <sleef.h>

#include "numeric/pack.h"

namespace chaosgrad::simd {

#if defined(__AVX512F__)
struct Machine {
  static constexpr auto sin = Sleef_sind8_u10avx512f, cos = Sleef_cosd8_u10avx512f;
  static constexpr auto tan = Sleef_tand8_u10avx512f, asin = Sleef_asind8_u10avx512f;
  static constexpr auto acos = Sleef_acosd8_u10avx512f, atan = Sleef_atand8_u10avx512f;
  static constexpr auto sinh = Sleef_sinhd8_u10avx512f;
  static constexpr auto tanh = Sleef_tanhd8_u10avx512f, exp = Sleef_expd8_u10avx512f;
  static constexpr auto log = Sleef_logd8_u10avx512f, log1p = Sleef_log1pd8_u10avx512f;
  static constexpr auto erf = Sleef_erfd8_u10avx512f, erfc = Sleef_erfcd8_u15avx512f;
  static constexpr auto floor = Sleef_floord8_avx512f, ceil = Sleef_ceild8_avx512f;
  static constexpr auto power = Sleef_powd8_u10avx512f;
  static constexpr auto sincos = Sleef_sincosd8_u10avx512f;
};
#elif defined(__AVX2__) && defined(__FMA__)
struct Machine {
  static constexpr auto sin = Sleef_sind4_u10avx2, cos = Sleef_cosd4_u10avx2;
  static constexpr auto tan = Sleef_tand4_u10avx2, asin = Sleef_asind4_u10avx2;
  static constexpr auto acos = Sleef_acosd4_u10avx2, atan = Sleef_atand4_u10avx2;
  static constexpr auto sinh = Sleef_sinhd4_u10avx2;
  static constexpr auto tanh = Sleef_tanhd4_u10avx2, exp = Sleef_expd4_u10avx2;
  static constexpr auto log = Sleef_logd4_u10avx2, log1p = Sleef_log1pd4_u10avx2;
  static constexpr auto erf = Sleef_erfd4_u10avx2, erfc = Sleef_erfcd4_u15avx2;
  static constexpr auto floor = Sleef_floord4_avx2, ceil = Sleef_ceild4_avx2;
  static constexpr auto power = Sleef_powd4_u10avx2;
  static constexpr auto sincos = Sleef_sincosd4_u10avx2;
};
#else
struct Machine {
  static constexpr auto sin = Sleef_sind2_u10sse2, cos = Sleef_cosd2_u10sse2;
  static constexpr auto tan = Sleef_tand2_u10sse2, asin = Sleef_asind2_u10sse2;
  static constexpr auto acos = Sleef_acosd2_u10sse2, atan = Sleef_atand2_u10sse2;
  static constexpr auto sinh = Sleef_sinhd2_u10sse2;
  static constexpr auto tanh = Sleef_tanhd2_u10sse2, exp = Sleef_expd2_u10sse2;
  static constexpr auto log = Sleef_logd2_u10sse2, log1p = Sleef_log1pd2_u10sse2;
  static constexpr auto erf = Sleef_erfd2_u10sse2, erfc = Sleef_erfcd2_u15sse2;
  static constexpr auto floor = Sleef_floord2_sse2, ceil = Sleef_ceild2_sse2;
  static constexpr auto power = Sleef_powd2_u10sse2;
  static constexpr auto sincos = Sleef_sincosd2_u10sse2;
};
#endif

}  // namespace chaosgrad::simd
