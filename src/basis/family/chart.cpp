#include "basis/family/chart.h"

#include <algorithm>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>

#include "basis/family/recurrence.h"

namespace chaosgrad::internal {
namespace {

using Pieces = std::vector<ChartPiece>;
using Map = std::function<double(double)>;

// e · log x with the limit 0 for e = 0 at x = 0.
double log_power(double exponent, double log_x) { return exponent == 0 ? 0 : exponent * log_x; }

// exponent · (log(x/m) − (x − m)/m): what remains of a narrow density's logarithm at the distance x
// − m from its mean after the large first-order terms have cancelled.
double curvature(double exponent, double x, double m) {
  const double y = (x - m) / m;
  return exponent * (std::abs(y) < 0.5 ? boost::math::log1pmx(y) : std::log(x / m) - y);
}

// p_n² exp(−y) has decayed below 1e-17 at this distance from its last turning point y = reach.
double decay_distance(double reach) { return 50 + std::pow(60 * std::sqrt(reach), 2.0 / 3); }

// Beyond the outermost zeros of Hermite-like polynomials.
double gaussian_range(double degree) { return 2 * std::sqrt(degree) + 10; }

// A piece [0, m] of a density x^{e−1} r(x): through s = x^e when it is unbounded at 0, through x
// itself otherwise.
ChartPiece power_piece(double exponent, double split, double lower, double width,
                       const Map& log_density, const Map& log_rest) {
  if (exponent >= 1) {
    return {0, split, [=](double x) { return lower + width * x; },
            [=](double x) { return std::exp(0.5 * log_density(x)); }};
  }
  const double log_jacobian = -std::log(exponent);
  return {0, std::pow(split, exponent),
          [=](double s) { return lower + width * std::pow(s, 1 / exponent); },
          [=](double s) {
            return std::exp(0.5 * (log_rest(std::pow(s, 1 / exponent)) + log_jacobian));
          }};
}

struct MakeChart {
  const Distribution& distribution;
  double n;  // degree

  Pieces operator()(const Uniform& d) const {
    const double root = 1 / std::sqrt(d.upper - d.lower);
    return {{0, d.upper - d.lower, [lower = d.lower](double s) { return lower + s; },
             [root](double) { return root; }}};
  }

  Pieces operator()(const Normal& d) const {
    const double range = gaussian_range(n);
    const Map theta = [d](double z) { return d.mean + d.sd * z; };
    const Map root = [](double z) { return std::exp(-0.25 * z * z); };
    return {{-range, 0, theta, root}, {0, range, theta, root}};
  }

  Pieces operator()(const LogNormal& d) const {
    const double range = gaussian_range(n);
    const Map theta = [d](double z) { return std::exp(d.mu + d.sigma * z); };
    const Map root = [](double z) { return std::exp(-0.25 * z * z); };
    return {{-range, 0, theta, root}, {0, 2 * n * d.sigma + range, theta, root}};
  }

  Pieces operator()(const Beta& d) const {
    const double alpha = d.alpha, beta = d.beta, mean = alpha / (alpha + beta);
    const double width = d.upper - d.lower, other = beta / (alpha + beta);
    const Map log_density = [=](double x) {
      return curvature(alpha, x, mean) + curvature(beta, 1 - x, other) - std::log(x / mean) -
             std::log1p(-x) + std::log(other);
    };
    // Relative to the density's scale at the mean, without the factor x^{α−1} or (1 − x)^{β−1}.
    const double log_peak = (alpha - 1) * std::log(mean) + (beta - 1) * std::log(other);
    ChartPiece left = power_piece(alpha, mean, d.lower, width, log_density, [=](double x) {
      return log_power(beta - 1, std::log1p(-x)) - log_peak;
    });
    if (beta >= 1) {
      return {left,
              {mean, 1, [=](double x) { return d.lower + width * x; },
               [=](double x) { return x < 1 || beta > 1 ? std::exp(0.5 * log_density(x)) : 0; }}};
    }
    // Mirrored: s = −(1 − x)^β keeps the distance from the upper end exact.
    const ChartPiece mirror = power_piece(beta, other, 0, 1, {}, [=](double x) {
      return log_power(alpha - 1, std::log1p(-x)) - log_peak;
    });
    return {left,
            {-mirror.end, 0, [=](double s) { return d.upper - width * mirror.theta(-s); },
             [=](double s) { return mirror.root_density(-s); }}};
  }

  Pieces operator()(const Gamma& d) const {
    const double shape = d.shape, scale = d.scale;
    const double turning = std::pow(std::sqrt(n) + std::sqrt(n + shape), 2);
    const double upper = turning + decay_distance(4 * n) + 10 * std::sqrt(shape);
    const Map log_density = [=](double x) {
      return curvature(shape, x, shape) - std::log(x / shape);
    };
    const double log_peak = (shape - 1) * std::log(shape) - shape;
    return {
        power_piece(shape, shape, 0, scale, log_density, [=](double x) { return -x - log_peak; }),
        {shape, upper, [=](double x) { return scale * x; },
         [=](double x) { return std::exp(0.5 * log_density(x)); }}};
  }

  Pieces operator()(const Exponential& d) const { return (*this)(Gamma{1, 1 / d.rate}); }

  Pieces operator()(const Triangular& d) const {
    const double width = d.upper - d.lower, left = d.mode - d.lower, right = d.upper - d.mode;
    Pieces pieces;
    if (left > 0) {
      pieces.push_back({0, left, [=](double s) { return d.lower + s; },
                        [=](double s) { return std::sqrt(2 * s / (width * left)); }});
    }
    if (right > 0) {
      pieces.push_back({-right, 0, [=](double s) { return d.upper + s; },
                        [=](double s) { return std::sqrt(-2 * s / (width * right)); }});
    }
    return pieces;
  }

  // y = (θ/scale)^shape has the exponential distribution: the variable of choice while θ(y) is
  // smooth enough.
  Pieces operator()(const Weibull& d) const {
    const double c = d.shape, scale = d.scale, reach = weibull_reach(c) * n;
    const double upper = reach + 2 * decay_distance(reach);
    if (c <= 1) {
      return {{0, upper, [=](double y) { return scale * std::pow(y, 1 / c); },
               [](double y) { return std::exp(-0.5 * y); }}};
    }
    const double mode = std::pow((c - 1) / c, 1 / c);
    const Map theta = [=](double x) { return scale * x; };
    const Map root = [=](double x) {
      return std::exp(0.5 * ((c - 1) * std::log(x) - std::pow(x, c)));
    };
    return {{0, mode, theta, root}, {mode, std::pow(upper, 1 / c), theta, root}};
  }

  Pieces operator()(const LogUniform& d) const {
    const double lower = d.lower, length = std::log(d.upper / d.lower);
    return {{0, length, [=](double s) { return lower + lower * std::expm1(s); },
             [](double) { return 1.0; }}};
  }

  // Standardised, seen from the mode: density exp(−(x − mode)(x + mode)/2).
  Pieces operator()(const TruncatedNormal& d) const {
    const double lower = (d.lower - d.mean) / d.sd, upper = (d.upper - d.mean) / d.sd;
    const double mode = std::clamp(0.0, lower, upper);
    const double half_gaussian = std::sqrt(2 * (weibull_reach(2) * n + decay_distance(4 * n)));
    const double exponential = (4 * n + decay_distance(4 * n)) / std::abs(mode);  // ∞ for mode 0
    const double range = std::min(std::max(half_gaussian, gaussian_range(n)), exponential);
    const Map theta = [d](double x) { return std::clamp(d.mean + d.sd * x, d.lower, d.upper); };
    const Map root = [mode](double x) { return std::exp(-0.25 * (x - mode) * (x + mode)); };
    Pieces pieces;
    if (lower < mode) pieces.push_back({std::max(lower, mode - range), mode, theta, root});
    if (upper > mode) pieces.push_back({mode, std::min(upper, mode + range), theta, root});
    return pieces;
  }

  Pieces operator()(const Discrete&) const { return {}; }

  template <class Other>
  Pieces operator()(const Other&) const {
    return general_chart(distribution);
  }
};

}  // namespace

std::vector<ChartPiece> chart(const Distribution& distribution, Index degree) {
  return std::visit(MakeChart{distribution, static_cast<double>(degree)},
                    distribution.parameters());
}

std::vector<ChartPiece> general_chart(const Distribution& distribution) {
  constexpr double tail = 1e-300;
  const double lower = distribution.lower(), upper = distribution.upper();
  const double from = std::isfinite(lower) ? lower : distribution.quantile(tail);
  const double to = std::isfinite(upper) ? upper : distribution.survival_quantile(tail);
  const double median = distribution.quantile(0.5);
  const auto root = [distribution](double theta) {
    const double density = distribution.pdf(theta);
    return std::isfinite(density) ? std::sqrt(density) : 0.0;  // not so at an end at most
  };
  Pieces pieces;
  if (from < median) {
    pieces.push_back({0, median - from, [=](double s) { return from + s; },
                      [=](double s) { return root(from + s); }});
  }
  if (median < to) {
    pieces.push_back(
        {median - to, 0, [=](double s) { return to + s; }, [=](double s) { return root(to + s); }});
  }
  return pieces;
}

}  // namespace chaosgrad::internal
