#pragma once
// The truncated normal distribution, with full relative accuracy however far out the interval lies.
#include "chaosgrad/distribution.h"
#include "measure/law.h"

namespace chaosgrad::internal::law {

inline Support support(const TruncatedNormal& d) { return {d.lower, d.upper}; }
[[nodiscard]] double pdf(const TruncatedNormal& d, double t);
[[nodiscard]] double cdf(const TruncatedNormal& d, double t);
[[nodiscard]] double survival(const TruncatedNormal& d, double t);
void quantile(const TruncatedNormal& d, const double* p, double* t, Index n);
[[nodiscard]] double survival_quantile(const TruncatedNormal& d, double q);
[[nodiscard]] double mean(const TruncatedNormal& d);
[[nodiscard]] double sd(const TruncatedNormal& d);

}  // namespace chaosgrad::internal::law
