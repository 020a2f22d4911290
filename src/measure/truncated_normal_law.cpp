#include "measure/truncated_normal_law.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "measure/normal_law.h"
#include "random/normal_pack.h"

namespace chaosgrad::internal::law {
namespace {

constexpr double root_two_pi = 2.50662827463100050242;

// Where the density is largest, the point of the support that is nearest to the mean.
double mode(const TruncatedNormal& d) { return std::clamp(d.mean, d.lower, d.upper); }

// A piece of the support in units of sd about the mean. Its width and the offsets of its ends from
// the mode are kept apart, for their digits: at x = 50 the last digit of x is felt 2500-fold.
struct Interval {
  double lower, upper, width, lower_offset, upper_offset;

  Interval(const TruncatedNormal& d, double from, double to)
      : lower((from - d.mean) / d.sd),
        upper((to - d.mean) / d.sd),
        width((to - from) / d.sd),
        lower_offset((from - mode(d)) / d.sd),
        upper_offset((to - mode(d)) / d.sd) {}
  explicit Interval(const TruncatedNormal& d) : Interval(d, d.lower, d.upper) {}

  // The point nearest to the mean, where the density is largest.
  [[nodiscard]] double peak() const { return std::clamp(0.0, lower, upper); }
  // log φ changes by at most this much.
  [[nodiscard]] double variation() const {
    return width * (1 + std::max(std::abs(lower), std::abs(upper)));
  }
};

// φ(peak + offset)/φ(peak)
double relative_density(double peak, double offset) {
  return std::exp(-offset * (peak + offset / 2));
}

// Mills' ratio (1 − Φ(x))/φ(x), x ≥ 0; beyond 5 by its continued fraction,
//   1/(x + 1/(x + 2/(x + 3/(x + …)))).
double mills_ratio(double x) {
  if (x < 5) return root_two_pi * normal_cdf(-x) * std::exp(x * x / 2);
  double tail = x;
  for (int k = 12 + static_cast<int>(1200 / (x * x)); k > 0; --k) tail = x + k / tail;
  return 1 / tail;
}

// ∫_x^∞ φ/φ(peak), x ≥ 0; or by symmetry up to −x. `offset` is from the peak to ±x.
double upper_mass(double peak, double x, double offset) {
  return std::isinf(x) ? 0.0 : mills_ratio(x) * relative_density(peak, offset);
}

// ∫_0^width φ(peak + offset + s)/φ(peak) ds by quadrature, for pieces of small variation.
double short_mass(double peak, double offset, double width) {
  return boost::math::quadrature::gauss<double, 15>::integrate(
      [&](double s) { return relative_density(peak, offset + s); }, 0.0, width);
}

// ∫ φ/φ(peak) over a piece; the unit keeps it from underflow. The difference of two tails cancels
// for short pieces.
double mass(double peak, const Interval& piece) {
  if (piece.variation() < 1) return short_mass(peak, piece.lower_offset, piece.width);
  const auto beyond_lower = [&] {
    return upper_mass(peak, std::abs(piece.lower), piece.lower_offset);
  };
  const auto beyond_upper = [&] {
    return upper_mass(peak, std::abs(piece.upper), piece.upper_offset);
  };
  if (piece.lower >= 0) return beyond_lower() - beyond_upper();
  if (piece.upper <= 0) return beyond_upper() - beyond_lower();
  return root_two_pi - beyond_lower() - beyond_upper();
}

TruncatedNormal mirror(const TruncatedNormal& d) { return {-d.mean, d.sd, -d.upper, -d.lower}; }

// Where the density hardly varies: Newton's method for the offset s from the lower end, from its
// value for a uniform density.
double quantile_narrow(const TruncatedNormal& d, double p) {
  constexpr int iterations = 3;
  const Interval interval(d);
  const double a = interval.lower;
  const double target = p * short_mass(a, 0, interval.width);
  double s = p * interval.width;
  for (int k = 0; k < iterations; ++k) {
    s -= (short_mass(a, 0, s) - target) / relative_density(a, s);
  }
  return std::clamp(d.lower + d.sd * s, d.lower, d.upper);
}

// Within 30 sd every mass is a number. Φ(z) = Φ(lower) + p·total and 1 − Φ(z) = (1 − Φ(upper)) +
// (1 − p)·total are sums of positive terms; the smaller of the two gives z to full accuracy.
void quantile_near(const TruncatedNormal& d, const double* p, double* t, Index n) {
  const Interval interval(d);
  const double below = normal_cdf(interval.lower), above = normal_cdf(-interval.upper);
  const double total = normal_pdf(interval.peak()) * mass(interval.peak(), interval);
  simd::transform(p, t, n, 0.5, [&](const simd::Pack& x) -> simd::Pack {
    const simd::Pack left = below + x * total, right = above + (1.0 - x) * total;
    const simd::Integers is_left = left < right;
    const simd::Pack z = normal_quantile(is_left ? left : right);
    return simd::clamp(d.mean + d.sd * (is_left ? z : -z), d.lower, d.upper);
  });
}

// An interval that starts a > 30 sd above the mean. With x = a + s and
// R(s) = (1 − Φ(x))/(1 − Φ(a)), solve
//   log R(s) = log(1 − p (1 − R(upper))) = log(q + p R(upper)),  (log R)' = −1/mills_ratio(x),
// by Newton's method from log R ≈ −s (2a + s)/2. q = 1 − p is given for its digits.
double quantile_far(const TruncatedNormal& d, double p, double q) {
  constexpr int iterations = 4;  // log R is nearly a parabola: 1e-3, 1e-7, 1e-15, and one to spare
  const Interval interval(d);
  const double a = interval.lower, width = interval.width;
  const double mills = mills_ratio(a);
  auto log_r = [&](double s) { return std::log(mills_ratio(a + s) / mills) - s * (a + s / 2); };
  const double beyond = std::isinf(width) ? 0.0 : std::exp(log_r(width));
  const double target = p < 0.5 ? std::log1p(-p * (1 - beyond)) : std::log(q + p * beyond);
  double s = -2 * target / (a + std::sqrt(a * a - 2 * target));
  for (int k = 0; k < iterations; ++k) {
    s = std::max(s + (log_r(s) - target) * mills_ratio(a + s), 0.0);
  }
  return std::clamp(d.lower + d.sd * s, d.lower, d.upper);
}

struct Moments {
  double mean, sd;
};

// By composite Gauss quadrature of positive terms where the density is above exp(−45) φ(peak).
Moments moments(const TruncatedNormal& d) {
  const Interval interval(d);
  const double c = interval.peak();
  const double reach = 90 / (std::abs(c) + std::hypot(c, std::sqrt(90.0)));
  const double from = std::max(c == interval.upper ? -interval.width : interval.lower - c, -reach);
  const double to = std::min(c == interval.lower ? interval.width : interval.upper - c, reach);
  auto integrate = [&](auto&& f) {
    constexpr int panels = 40;
    double sum = 0;
    for (int k = 0; k < panels; ++k) {
      const double left = from + (to - from) * k / panels;
      const double right = from + (to - from) * (k + 1) / panels;
      sum += boost::math::quadrature::gauss<double, 15>::integrate(
          [&](double s) { return f(s) * std::exp(-s * (c + s / 2)); }, left, right);
    }
    return sum;
  };
  const double total = integrate([](double) { return 1.0; });
  const double offset = integrate([](double s) { return s; }) / total;
  const double variance = integrate([&](double s) { return (s - offset) * (s - offset); }) / total;
  const double peak = mode(d);
  return {peak + d.sd * offset, d.sd * std::sqrt(variance)};
}

}  // namespace

double pdf(const TruncatedNormal& d, double t) {
  const Interval interval(d);
  const double peak = interval.peak();
  return relative_density(peak, (t - mode(d)) / d.sd) / (d.sd * mass(peak, interval));
}

double cdf(const TruncatedNormal& d, double t) {
  const Interval interval(d);
  const double peak = interval.peak();
  return mass(peak, Interval(d, d.lower, t)) / mass(peak, interval);
}

double survival(const TruncatedNormal& d, double t) { return cdf(mirror(d), -t); }

void quantile(const TruncatedNormal& d, const double* p, double* t, Index n) {
  const Interval interval(d);
  const double peak = interval.peak();
  if (interval.variation() < 1e-3) {
    std::transform(p, p + n, t, [&](double x) { return quantile_narrow(d, x); });
  } else if (std::abs(peak) <= 30) {
    quantile_near(d, p, t, n);
  } else if (peak > 0) {
    std::transform(p, p + n, t, [&](double x) { return quantile_far(d, x, 1 - x); });
  } else {
    std::transform(p, p + n, t, [&](double x) { return -quantile_far(mirror(d), 1 - x, x); });
  }
}

double survival_quantile(const TruncatedNormal& d, double q) {
  double t;
  quantile(mirror(d), &q, &t, 1);
  return -t;
}

double mean(const TruncatedNormal& d) { return moments(d).mean; }
double sd(const TruncatedNormal& d) { return moments(d).sd; }

}  // namespace chaosgrad::internal::law
