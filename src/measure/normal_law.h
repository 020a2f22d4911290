#pragma once
// The normal distribution.
#include <cmath>

#include "chaosgrad/distribution.h"
#include "measure/law.h"
#include "random/normal_pack.h"
#include "random/random.h"

namespace chaosgrad::internal::law {

// φ(z) = exp(−z²/2) / √(2π)
[[nodiscard]] inline double normal_pdf(double z) {
  return 0.39894228040143267794 * std::exp(-z * z / 2);
}

inline Support support(const Normal&) { return {-infinity, infinity}; }
inline double standardise(const Normal& d, double t) { return (t - d.mean) / d.sd; }
inline double pdf(const Normal& d, double t) { return normal_pdf(standardise(d, t)) / d.sd; }
inline double cdf(const Normal& d, double t) { return normal_cdf(standardise(d, t)); }
inline double survival(const Normal& d, double t) { return normal_cdf(-standardise(d, t)); }
inline void from_standard_normal(const Normal& d, const double* z, double* t, Index n) {
  simd::transform(z, t, n, 0.0,
                  [&](const simd::Pack& x) -> simd::Pack { return d.mean + d.sd * x; });
}
inline void quantile(const Normal& d, const double* p, double* t, Index n) {
  simd::transform(p, t, n, 0.5, [&](const simd::Pack& x) -> simd::Pack {
    return d.mean + d.sd * normal_quantile(x);
  });
}
inline double survival_quantile(const Normal& d, double q) {
  return d.mean - d.sd * normal_quantile(q);
}
inline double mean(const Normal& d) { return d.mean; }
inline double sd(const Normal& d) { return d.sd; }

}  // namespace chaosgrad::internal::law
