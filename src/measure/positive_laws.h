#pragma once
// Distributions on (0, ∞): exponential, gamma, Weibull, lognormal.
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/zeta.hpp>
#include <cmath>
#include <limits>

#include "chaosgrad/distribution.h"
#include "measure/law.h"
#include "measure/normal_law.h"
#include "random/normal_pack.h"
#include "random/random.h"

namespace chaosgrad::internal::law {

inline constexpr Support positive_numbers = {0, infinity};

// Exponential.

inline Support support(const Exponential&) { return positive_numbers; }
inline double pdf(const Exponential& d, double t) { return d.rate * std::exp(-d.rate * t); }
inline double cdf(const Exponential& d, double t) { return -std::expm1(-d.rate * t); }
inline double survival(const Exponential& d, double t) { return std::exp(-d.rate * t); }
inline void quantile(const Exponential& d, const double* p, double* t, Index n) {
  simd::transform(p, t, n, 0.5, [&](const simd::Pack& x) -> simd::Pack {
    return -simd::Machine::log1p(-x) / d.rate;
  });
}
inline double survival_quantile(const Exponential& d, double q) { return -std::log(q) / d.rate; }
inline double mean(const Exponential& d) { return 1 / d.rate; }
inline double sd(const Exponential& d) { return 1 / d.rate; }

// Gamma.

inline Support support(const Gamma&) { return positive_numbers; }
inline double pdf(const Gamma& d, double t) {
  return boost::math::gamma_p_derivative(d.shape, t / d.scale, CarefulPolicy()) / d.scale;
}
inline double cdf(const Gamma& d, double t) {
  return boost::math::gamma_p(d.shape, t / d.scale, CarefulPolicy());
}
inline double survival(const Gamma& d, double t) {
  return boost::math::gamma_q(d.shape, t / d.scale, CarefulPolicy());
}
// P(a, x) = p. Near 0, P = x^a/Γ(a + 1) (1 − a x/(a + 1) + …), which also covers underflow.
inline double unit_gamma_quantile(double a, double p) {
  constexpr double near_zero = 1e-9;
  if (std::log(p) / a < -20) {
    const double x = std::exp((std::log(p) + std::lgamma(a + 1)) / a);
    if (x < near_zero) return x * (1 + x / (a + 1));
  }
  return robust_inverse([&] { return boost::math::gamma_p_inv(a, p, Policy()); },
                        [&](double x) { return boost::math::gamma_p(a, x, Policy()) <= p; },
                        std::numeric_limits<double>::max());
}
// Q(a, x) = q
inline double unit_gamma_survival_quantile(double a, double q) {
  if (q > 0.5) return unit_gamma_quantile(a, 1 - q);
  return robust_inverse([&] { return boost::math::gamma_q_inv(a, q, Policy()); },
                        [&](double x) { return boost::math::gamma_q(a, x, Policy()) >= q; },
                        std::numeric_limits<double>::max());
}
inline void quantile(const Gamma& d, const double* p, double* t, Index n) {
  for (Index i = 0; i < n; ++i) {
    t[i] = d.scale * (p[i] <= 0.5 ? unit_gamma_quantile(d.shape, p[i])
                                  : unit_gamma_survival_quantile(d.shape, 1 - p[i]));
  }
}
inline double survival_quantile(const Gamma& d, double q) {
  return d.scale * unit_gamma_survival_quantile(d.shape, q);
}
inline double mean(const Gamma& d) { return d.shape * d.scale; }
inline double sd(const Gamma& d) { return std::sqrt(d.shape) * d.scale; }

// Weibull.

inline Support support(const Weibull&) { return positive_numbers; }
inline double pdf(const Weibull& d, double t) {
  const double x = t / d.scale;
  return d.shape / d.scale * std::pow(x, d.shape - 1) * std::exp(-std::pow(x, d.shape));
}
inline double cdf(const Weibull& d, double t) {
  return -std::expm1(-std::pow(t / d.scale, d.shape));
}
inline double survival(const Weibull& d, double t) {
  return std::exp(-std::pow(t / d.scale, d.shape));
}
inline void quantile(const Weibull& d, const double* p, double* t, Index n) {
  simd::transform(p, t, n, 0.5, [&](const simd::Pack& x) -> simd::Pack {
    return d.scale * simd::Machine::power(-simd::Machine::log1p(-x), simd::broadcast(1 / d.shape));
  });
}
inline double survival_quantile(const Weibull& d, double q) {
  return d.scale * std::pow(-std::log(q), 1 / d.shape);
}
inline double mean(const Weibull& d) {
  return d.scale * (1 + boost::math::tgamma1pm1(1 / d.shape, Policy()));
}
// sd = mean √(exp(δ) − 1), δ = log Γ(1 + 2h) − 2 log Γ(1 + h), h = 1/shape. For small h the terms
// of δ cancel; there  δ = Σ_{k ≥ 2} ζ(k) (2^k − 2) (−h)^k / k.
inline double sd(const Weibull& d) {
  const double h = 1 / d.shape;
  double delta = 0;
  if (h < 0.05) {
    double power = -h;  // (−h)^k
    for (int k = 2; k <= 16; ++k) {
      power *= -h;
      delta += boost::math::zeta(static_cast<double>(k)) * (std::exp2(k) - 2) * power / k;
    }
  } else {
    delta = std::lgamma(1 + 2 * h) - 2 * std::lgamma(1 + h);
  }
  return mean(d) * std::sqrt(std::expm1(delta));
}

// Lognormal.

inline Support support(const LogNormal&) { return positive_numbers; }
inline double standardise(const LogNormal& d, double t) { return (std::log(t) - d.mu) / d.sigma; }
inline double pdf(const LogNormal& d, double t) {
  return t > 0 ? normal_pdf(standardise(d, t)) / (d.sigma * t) : 0.0;
}
inline double cdf(const LogNormal& d, double t) { return normal_cdf(standardise(d, t)); }
inline double survival(const LogNormal& d, double t) { return normal_cdf(-standardise(d, t)); }
inline void from_standard_normal(const LogNormal& d, const double* z, double* t, Index n) {
  simd::transform(z, t, n, 0.0, [&](const simd::Pack& x) -> simd::Pack {
    return simd::Machine::exp(d.mu + d.sigma * x);
  });
}
inline void quantile(const LogNormal& d, const double* p, double* t, Index n) {
  simd::transform(p, t, n, 0.5, [&](const simd::Pack& x) -> simd::Pack {
    return simd::Machine::exp(d.mu + d.sigma * normal_quantile(x));
  });
}
inline double survival_quantile(const LogNormal& d, double q) {
  return std::exp(d.mu - d.sigma * normal_quantile(q));
}
inline double mean(const LogNormal& d) { return std::exp(d.mu + d.sigma * d.sigma / 2); }
inline double sd(const LogNormal& d) { return mean(d) * std::sqrt(std::expm1(d.sigma * d.sigma)); }

}  // namespace chaosgrad::internal::law
