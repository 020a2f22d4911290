#pragma once
// Distributions on a bounded interval: uniform, triangular, log-uniform, beta.
#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "chaosgrad/distribution.h"
#include "measure/law.h"
#include "numeric/transform.h"

namespace chaosgrad::internal::law {

// Uniform.

inline Support support(const Uniform& d) { return {d.lower, d.upper}; }
inline double pdf(const Uniform& d, double) { return 1 / (d.upper - d.lower); }
inline double cdf(const Uniform& d, double t) { return (t - d.lower) / (d.upper - d.lower); }
inline double survival(const Uniform& d, double t) { return (d.upper - t) / (d.upper - d.lower); }
inline void quantile(const Uniform& d, const double* p, double* t, Index n) {
  const double width = d.upper - d.lower;
  simd::transform(p, t, n, 0.5, [&](const simd::Pack& x) -> simd::Pack {
    return simd::clamp(d.lower + width * x, d.lower, d.upper);
  });
}
inline double survival_quantile(const Uniform& d, double q) {
  return std::clamp(d.upper - (d.upper - d.lower) * q, d.lower, d.upper);
}
inline double mean(const Uniform& d) { return d.lower + (d.upper - d.lower) / 2; }
inline double sd(const Uniform& d) { return (d.upper - d.lower) / std::sqrt(12.0); }

// Triangular.

inline Support support(const Triangular& d) { return {d.lower, d.upper}; }
inline double pdf(const Triangular& d, double t) {
  const double width = d.upper - d.lower;
  if (t < d.mode) return 2 / width * ((t - d.lower) / (d.mode - d.lower));
  if (t > d.mode) return 2 / width * ((d.upper - t) / (d.upper - d.mode));
  return 2 / width;
}
inline double survival(const Triangular& d, double t) {
  const double width = d.upper - d.lower;
  if (t < d.mode) return 1 - (t - d.lower) / width * ((t - d.lower) / (d.mode - d.lower));
  return d.mode < d.upper ? (d.upper - t) / width * ((d.upper - t) / (d.upper - d.mode)) : 0.0;
}
inline Triangular mirror(const Triangular& d) { return {-d.upper, -d.mode, -d.lower}; }
inline double cdf(const Triangular& d, double t) { return survival(mirror(d), -t); }
inline void quantile(const Triangular& d, const double* p, double* t, Index n) {
  const double width = d.upper - d.lower;
  const double left = (d.mode - d.lower) / width, right = (d.upper - d.mode) / width;
  simd::transform(p, t, n, 0.5, [&](const simd::Pack& x) -> simd::Pack {
    const simd::Integers is_left = x < left;
    const simd::Pack distance = width * simd::sqrt(is_left ? x * left : (1.0 - x) * right);
    return simd::clamp(is_left ? d.lower + distance : d.upper - distance, d.lower, d.upper);
  });
}
inline double survival_quantile(const Triangular& d, double q) {
  double t;
  quantile(mirror(d), &q, &t, 1);
  return -t;
}
inline double mean(const Triangular& d) {
  return d.lower + (d.mode - d.lower) / 3 + (d.upper - d.lower) / 3;
}
inline double sd(const Triangular& d) {
  const double width = d.upper - d.lower, left = (d.mode - d.lower) / width;
  return width * std::sqrt((1 - left + left * left) / 18);
}

// Log-uniform.

// log(x / y) for 0 < y ≤ x, accurate for x near y.
inline double log_ratio(double x, double y) {
  if (x < 2 * y) return std::log1p((x - y) / y);
  return std::log(x) - std::log(y);
}
inline Support support(const LogUniform& d) { return {d.lower, d.upper}; }
inline double pdf(const LogUniform& d, double t) { return 1 / t / log_ratio(d.upper, d.lower); }
inline double cdf(const LogUniform& d, double t) {
  return log_ratio(t, d.lower) / log_ratio(d.upper, d.lower);
}
inline double survival(const LogUniform& d, double t) {
  return log_ratio(d.upper, t) / log_ratio(d.upper, d.lower);
}
inline void quantile(const LogUniform& d, const double* p, double* t, Index n) {
  const double length = log_ratio(d.upper, d.lower);
  simd::transform(p, t, n, 0.5, [&](const simd::Pack& x) -> simd::Pack {
    const simd::Integers is_left = x < 0.5;  // from the nearer end
    const simd::Pack factor = simd::Machine::exp(length * (is_left ? x : x - 1.0));
    const simd::Pack end = is_left ? simd::broadcast(d.lower) : simd::broadcast(d.upper);
    return simd::clamp(end * factor, d.lower, d.upper);
  });
}
inline double survival_quantile(const LogUniform& d, double q) {
  return std::clamp(d.upper * std::exp(-q * log_ratio(d.upper, d.lower)), d.lower, d.upper);
}
inline double mean(const LogUniform& d) {
  return (d.upper - d.lower) / log_ratio(d.upper, d.lower);
}
// With h = log(upper/lower)/2 and S = sinh(h)/h:  variance = lower · upper · S (cosh h − S).
inline double sd(const LogUniform& d) {
  const double h = log_ratio(d.upper, d.lower) / 2, h2 = h * h;
  const double s = std::sinh(h) / h;
  const double difference =
      h < 0.1 ? h2 / 3 * (1 + h2 / 10 * (1 + h2 / 28 * (1 + h2 / 54 * (1 + h2 / 88))))
              : std::cosh(h) - s;
  return std::sqrt(d.lower) * std::sqrt(d.upper) * std::sqrt(s) * std::sqrt(difference);
}

// Beta.

inline Support support(const Beta& d) { return {d.lower, d.upper}; }
inline Beta mirror(const Beta& d) { return {d.beta, d.alpha, -d.upper, -d.lower}; }
inline double pdf(const Beta& d, double t) {
  const double width = d.upper - d.lower;
  if (d.upper - t < t - d.lower) return pdf(mirror(d), -t);
  return boost::math::ibeta_derivative(d.alpha, d.beta, (t - d.lower) / width, CarefulPolicy()) /
         width;
}
inline double survival(const Beta& d, double t);
inline double cdf(const Beta& d, double t) {
  const double width = d.upper - d.lower;
  if (d.upper - t < t - d.lower) return survival(mirror(d), -t);
  return boost::math::ibeta(d.alpha, d.beta, (t - d.lower) / width, CarefulPolicy());
}
inline double survival(const Beta& d, double t) {
  const double width = d.upper - d.lower;
  if (d.upper - t < t - d.lower) return cdf(mirror(d), -t);
  return boost::math::ibetac(d.alpha, d.beta, (t - d.lower) / width, CarefulPolicy());
}
// x with I_x(alpha, beta) = p, and 1 − x, each with all its digits; p ≤ 1/2.
struct UnitPoint {
  double x, one_minus_x;
};
inline UnitPoint unit_beta_quantile(double alpha, double beta, double p) {
  // At the very end I_x = x^α/(α B) (1 + α (1 − β) x/(α + 1) + …), which also covers underflow.
  constexpr double very_end = 1e-9;
  if (std::log(p) / alpha < -20) {
    const double log_beta = std::lgamma(alpha + 1) + std::lgamma(beta) - std::lgamma(alpha + beta);
    const double x = std::exp((std::log(p) + log_beta) / alpha);
    if (x * (1 + beta) < very_end) return {x * (1 - (1 - beta) * x / (alpha + 1)), 1 - x};
  }
  double one_minus_x = -1;
  const double x = robust_inverse(
      [&] { return boost::math::ibeta_inv(alpha, beta, p, &one_minus_x, Policy()); },
      [&](double y) { return boost::math::ibeta(alpha, beta, y, Policy()) <= p; }, 1.0);
  return {x, one_minus_x >= 0 && one_minus_x <= 1 ? one_minus_x : 1 - x};
}
inline void quantile(const Beta& d, const double* p, double* t, Index n) {
  const double width = d.upper - d.lower;
  for (Index i = 0; i < n; ++i) {
    UnitPoint point;
    if (p[i] <= 0.5) {
      point = unit_beta_quantile(d.alpha, d.beta, p[i]);
    } else {
      const auto [one_minus_x, x] = unit_beta_quantile(d.beta, d.alpha, 1 - p[i]);
      point = {x, one_minus_x};
    }
    const double x =
        point.x < 0.5 ? d.lower + width * point.x : d.upper - width * point.one_minus_x;
    t[i] = std::clamp(x, d.lower, d.upper);
  }
}
inline double survival_quantile(const Beta& d, double q) {
  double t;
  quantile(mirror(d), &q, &t, 1);
  return -t;
}
inline double mean(const Beta& d) {
  return d.lower + (d.upper - d.lower) * (d.alpha / (d.alpha + d.beta));
}
inline double sd(const Beta& d) {
  const double sum = d.alpha + d.beta;
  return (d.upper - d.lower) * std::sqrt(d.alpha / sum * (d.beta / sum) / (sum + 1));
}

}  // namespace chaosgrad::internal::law
