#include "basis/family/recurrence.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>

namespace chaosgrad::internal {
namespace {

Recurrence sized(Index degree) {
  Recurrence recurrence;
  recurrence.a = Vector::Zero(degree);
  recurrence.b = Vector::Zero(degree + 1);
  return recurrence;
}

Recurrence legendre(const Uniform& uniform, Index degree) {
  Recurrence r = sized(degree);
  r.center = uniform.lower + 0.5 * (uniform.upper - uniform.lower);
  r.scale = 0.5 * (uniform.upper - uniform.lower);
  for (Index i = 1; i <= degree; ++i) {
    const auto n = static_cast<double>(i);
    r.b[i] = n / std::sqrt(4 * n * n - 1);
  }
  return r;
}

Recurrence hermite(const Normal& normal, Index degree) {
  Recurrence r = sized(degree);
  r.center = normal.mean;
  r.scale = normal.sd;
  for (Index i = 1; i <= degree; ++i) r.b[i] = std::sqrt(static_cast<double>(i));
  return r;
}

// Jacobi in the standardised variable, written so that nothing cancels. On [0, 1], with S = α + β:
//   a_n − a_0 = −2 (α − β) n (n+S−1) / (S (2n+S−2)(2n+S)),
//   b_n² = n (n+α−1)(n+β−1)(n+S−2) / ((2n+S−2)² (2n+S−1)(2n+S−3)),
//   b_1² = αβ / (S² (S+1)), the variance.
Recurrence jacobi(const Beta& parameters, Index degree) {
  const double alpha = parameters.alpha, beta = parameters.beta, sum = alpha + beta;
  const double width = parameters.upper - parameters.lower;
  const double sd = std::sqrt(alpha / sum * (beta / sum) / (sum + 1));
  Recurrence r = sized(degree);
  r.center = parameters.lower + width * (alpha / sum);
  r.scale = width * sd;
  for (Index i = 1; i <= degree; ++i) {
    const auto n = static_cast<double>(i);
    if (i < degree) {
      r.a[i] = -2 * ((alpha - beta) / sum) * (n / (2 * n + sum - 2)) *
               ((n + sum - 1) / (2 * n + sum)) / sd;
    }
    if (i == 1) {
      r.b[i] = 1;
    } else {
      const double middle = 2 * n + sum - 2;
      r.b[i] = std::sqrt(n / (middle - 1) * ((n + alpha - 1) / middle) * ((n + beta - 1) / middle) *
                         ((n + sum - 2) / (middle + 1))) /
               sd;
    }
  }
  return r;
}

// Laguerre, standardised: a_n = 2n/√k, b_n² = n (n+k−1)/k for shape k.
Recurrence laguerre(double shape, double scale, Index degree) {
  Recurrence r = sized(degree);
  const double sd = std::sqrt(shape);
  r.center = shape * scale;
  r.scale = sd * scale;
  for (Index i = 1; i <= degree; ++i) {
    const auto n = static_cast<double>(i);
    if (i < degree) r.a[i] = 2 * n / sd;
    r.b[i] = std::sqrt(n / shape * (n + shape - 1));
  }
  return r;
}

// Stieltjes–Wigert, in θ/e^μ with q = exp(−σ²):
//   a_n = q^{−2n−1/2} (1 + q − q^{n+1}),
//   b_n² = q^{2−4n} (1 − q^n),
// standardised by the mean q^{−1/2} and the standard deviation q^{−1} (1 − q)^{1/2}.
Recurrence stieltjes_wigert(const LogNormal& lognormal, Index degree) {
  const double variance = lognormal.sigma * lognormal.sigma;
  const double one_minus_q = -std::expm1(-variance);
  Recurrence r = sized(degree);
  r.center = std::exp(lognormal.mu + 0.5 * variance);
  r.scale = r.center * std::sqrt(std::expm1(variance));
  const double root = std::sqrt(std::expm1(variance));  // sd / mean
  for (Index i = 1; i <= degree; ++i) {
    const auto n = static_cast<double>(i);
    const double one_minus_q_n = -std::expm1(-n * variance);
    if (i < degree) {
      r.a[i] =
          (std::expm1(2 * n * variance) + std::exp((2 * n - 1) * variance) * one_minus_q_n) / root;
    }
    r.b[i] = std::exp(2 * (n - 1) * variance) * std::sqrt(one_minus_q_n / one_minus_q);
  }
  return r;
}

struct ClosedForm {
  Index degree;
  std::optional<Recurrence> operator()(const Uniform& d) const { return legendre(d, degree); }
  std::optional<Recurrence> operator()(const Normal& d) const { return hermite(d, degree); }
  std::optional<Recurrence> operator()(const LogNormal& d) const {
    return stieltjes_wigert(d, degree);
  }
  std::optional<Recurrence> operator()(const Beta& d) const { return jacobi(d, degree); }
  std::optional<Recurrence> operator()(const Gamma& d) const {
    return laguerre(d.shape, d.scale, degree);
  }
  std::optional<Recurrence> operator()(const Exponential& d) const {
    return laguerre(1, 1 / d.rate, degree);
  }
  template <class Other>
  std::optional<Recurrence> operator()(const Other&) const {
    return std::nullopt;
  }
};

constexpr Index bounded_limit = 2000;
constexpr Index general_limit = 200;
constexpr Index half_line_limit = 150;
constexpr Index unbounded_limit = 60;  // whose tails are not known

Index at_most(double value, Index limit) {
  return static_cast<Index>(std::clamp(std::floor(value), 0.0, static_cast<double>(limit)));
}

// Far out, at θ, the density has fallen to exp(−tail_depth) of its peak. As long as p_n² π is
// negligible there, all its mass lies where p_n² < 1e300. The largest such degree, at most `limit`.
constexpr double tail_depth = 727;
Index tail_limit(const Recurrence& r, double theta, Index limit) {
  const double t = (theta - r.center) / r.scale;
  double v = std::exp(-0.5 * tail_depth), before = 0;  // v = p_n √density
  for (Index n = 0; n < limit; ++n) {
    const double next = ((t - r.a[n]) * v - r.b[n] * before) / r.b[n + 1];
    if (!(std::abs(next) < 1e-9)) return n;
    before = v;
    v = next;
  }
  return limit;
}

// x in (0, 1) where x^{α−1} (1−x)^{β−1} has fallen by exp(tail_depth) from its value at the mean,
// towards 0; 0 if it does not.
double beta_tail(double alpha, double beta) {
  const double mean = alpha / (alpha + beta), rest = beta / (alpha + beta);
  const auto deep = [&](double log_x) {
    const double x = std::exp(log_x);
    return (alpha - 1) * (log_x - std::log(mean)) + (beta - 1) * (std::log1p(-x) - std::log(rest)) <
           -tail_depth;
  };
  double low = -700, high = std::log(mean);
  if (!deep(low)) return 0;
  while (high - low > 1e-12 * -low) {
    const double middle = 0.5 * (low + high);
    (deep(middle) ? low : high) = middle;
  }
  return std::exp(low);
}

struct Limits {
  const Distribution& distribution;

  DegreeLimits operator()(const Uniform&) const { return {bounded_limit, bounded_limit}; }
  DegreeLimits operator()(const Beta& d) const {
    Index limit = bounded_limit;
    const Recurrence r = jacobi(d, limit);
    const double width = d.upper - d.lower;
    const double below = beta_tail(d.alpha, d.beta), above = beta_tail(d.beta, d.alpha);
    if (below > 0) limit = tail_limit(r, d.lower + width * below, limit);
    if (above > 0) limit = tail_limit(r, d.upper - width * above, limit);
    return {limit, bounded_limit};
  }
  DegreeLimits operator()(const Normal&) const { return {general_limit, bounded_limit}; }
  DegreeLimits operator()(const Gamma&) const { return {half_line_limit, bounded_limit}; }
  DegreeLimits operator()(const Exponential&) const { return {half_line_limit, bounded_limit}; }
  // b_n ~ exp(2nσ²) must be finite, too.
  DegreeLimits operator()(const LogNormal& d) const {
    const Index limit = at_most(340 / (d.sigma * d.sigma), bounded_limit);
    const Index degree = std::min(limit, general_limit);
    const double tail = std::exp(d.mu + d.sigma * std::sqrt(2 * tail_depth));
    return {tail_limit(stieltjes_wigert(d, degree), tail, degree), limit};
  }
  DegreeLimits operator()(const Weibull& d) const {
    const Index limit = at_most(560 / weibull_reach(d.shape), general_limit);
    return {limit, limit};
  }
  DegreeLimits operator()(const TruncatedNormal&) const {
    return {half_line_limit, half_line_limit};
  }
  DegreeLimits operator()(const Discrete& d) const {
    const Index limit = std::min(general_limit, static_cast<Index>(d.values.size()) - 1);
    return {limit, limit};
  }
  template <class Other>
  DegreeLimits operator()(const Other&) const {
    const bool bounded = std::isfinite(distribution.lower()) && std::isfinite(distribution.upper());
    const Index limit = bounded ? general_limit : unbounded_limit;
    return {limit, limit};
  }
};

}  // namespace

std::optional<Recurrence> closed_form_recurrence(const Distribution& distribution, Index degree) {
  return std::visit(ClosedForm{degree}, distribution.parameters());
}

bool has_closed_form(const Distribution& distribution) {
  return closed_form_recurrence(distribution, 0).has_value();
}

DegreeLimits degree_limits(const Distribution& distribution) {
  return std::visit(Limits{distribution}, distribution.parameters());
}

double weibull_reach(double shape) {
  return 2 * std::sqrt(std::numbers::pi) * boost::math::tgamma_delta_ratio(shape, 0.5);
}

}  // namespace chaosgrad::internal
