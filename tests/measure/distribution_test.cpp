// One-dimensional distributions against quadrature, Boost.Math, SciPy and 100-digit arithmetic.
#include "chaosgrad/distribution.h"

#include <gtest/gtest.h>

#include <boost/math/distributions.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "chaosgrad/error.h"
#include "random/random.h"

namespace chaosgrad {
using namespace internal;
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

std::vector<Distribution> continuous_distributions() {
  return {Uniform{-2, 5},
          Normal{1.5, 0.25},
          LogNormal{0.3, 0.7},
          Beta{2, 3.5, -1, 4},
          Beta{0.4, 0.6, 0, 1},
          Beta{1, 1, 0, 2},
          Beta{30, 80, -3, -2},
          Gamma{2.5, 3},
          Gamma{0.3, 1},
          Gamma{200, 0.1},
          Exponential{0.5},
          Triangular{-1, 0.5, 2},
          Triangular{1, 1, 4},
          Triangular{1, 4, 4},
          Weibull{1.7, 2},
          Weibull{0.7, 1},
          Weibull{30, 5},
          LogUniform{0.1, 50},
          LogUniform{1e-150, 1e150},
          LogUniform{3, 3.001},
          TruncatedNormal{1, 2, -1, 4},
          TruncatedNormal{0, 1, 8, 9},
          TruncatedNormal{0, 1, -9, -8},
          TruncatedNormal{0, 1, -infinity, 0.5},
          TruncatedNormal{0, 1, -infinity, infinity},
          TruncatedNormal{2, 0.5, 20, infinity},
          TruncatedNormal{0, 1, 50, 50.02},
          TruncatedNormal{0, 1, -infinity, -35}};
}

std::string label(const Distribution& d) {
  return std::string(d.name()) + " on [" + std::to_string(d.lower()) + ", " +
         std::to_string(d.upper()) + "]";
}

const std::vector<double> probabilities = {1e-12, 1e-7, 1e-3, 0.05,     0.2,      0.4,
                                           0.5,   0.63, 0.8,  1 - 1e-3, 1 - 1e-7, 1 - 1e-12};

// Change of the distribution function when t moves by a few of its last digits.
double rounding(const Distribution& d, double t) { return 8 * epsilon * std::abs(t) * d.pdf(t); }

TEST(Distribution, DensityIntegratesToDistributionFunction) {
  for (const Distribution& d : continuous_distributions()) {
    const std::vector<double> p = {0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999};
    for (std::size_t i = 1; i < p.size(); ++i) {
      const double a = d.quantile(p[i - 1]), b = d.quantile(p[i]);
      using Rule = boost::math::quadrature::gauss_kronrod<double, 31>;
      const double integral =
          a > 0  // in log t: supports may span hundreds of decades
              ? Rule::integrate([&](double y) { return d.pdf(std::exp(y)) * std::exp(y); },
                                std::log(a), std::log(b), 5, 1e-12)
              : Rule::integrate([&](double t) { return d.pdf(t); }, a, b, 5, 1e-12);
      const double tolerance = 1e-11 + rounding(d, a) + rounding(d, b);
      EXPECT_NEAR(integral, d.cdf(b) - d.cdf(a), tolerance)
          << label(d) << " between " << a << ", " << b;
      EXPECT_NEAR(integral, d.survival(a) - d.survival(b), tolerance) << label(d);
    }
  }
}

TEST(Distribution, QuantileInvertsDistributionFunction) {
  for (const Distribution& d : continuous_distributions()) {
    for (const double p : probabilities) {
      const double t = d.quantile(p);
      EXPECT_NEAR(d.cdf(t), p, 1e-12 * p + rounding(d, t)) << label(d) << " p = " << p;
      EXPECT_NEAR(d.survival(t), 1 - p, 1e-12 * (1 - p) + epsilon + rounding(d, t)) << label(d);
      EXPECT_NEAR(d.cdf(t) + d.survival(t), 1, 1e-14) << label(d);
      const double s = d.survival_quantile(p);
      EXPECT_NEAR(d.survival(s), p, 1e-12 * p + rounding(d, s)) << label(d) << " q = " << p;
      const double resolution = 4 * epsilon / d.pdf(t);  // what one digit of p does to t
      EXPECT_NEAR(d.quantile(d.cdf(t)), t, 1e-12 * std::abs(t) + resolution) << label(d);
    }
  }
}

TEST(Distribution, TailsReachAsFarAsNumbersDo) {
  for (const Distribution& d : {Distribution(Normal{0, 1}), Distribution(LogNormal{0, 1}),
                                Distribution(TruncatedNormal{0, 1, -infinity, 3}),
                                Distribution(TruncatedNormal{0, 1, -infinity, -35})}) {
    for (const double p : {1e-300, 1e-100, 1e-30}) {
      EXPECT_NEAR(d.cdf(d.quantile(p)) / p, 1, 1e-11) << label(d);
    }
  }
  for (const Distribution& d :
       {Distribution(Normal{0, 1}), Distribution(Exponential{2}), Distribution(Gamma{2.5, 3}),
        Distribution(Weibull{1.7, 2}), Distribution(TruncatedNormal{0, 1, 40, infinity})}) {
    for (const double q : {1e-300, 1e-100, 1e-30}) {
      EXPECT_NEAR(d.survival(d.survival_quantile(q)) / q, 1, 1e-11) << label(d);
    }
  }
}

TEST(Distribution, ExtremeShapes) {
  for (const Distribution& d :
       {Distribution(Beta{0.01, 0.02, 0, 1}), Distribution(Beta{1e-3, 1e3, 0, 1}),
        Distribution(Beta{1e5, 2e5, 0, 1}), Distribution(Beta{50, 0.05, 0, 1}),
        Distribution(Gamma{1e-3, 1}), Distribution(Gamma{1e6, 1}), Distribution(Gamma{0.02, 5})}) {
    double last = 0;
    for (const double p : probabilities) {
      const double t = d.quantile(p);
      EXPECT_TRUE(t >= last && t <= d.upper()) << label(d) << " p = " << p;
      last = t;
      const bool is_rounded = t < std::numeric_limits<double>::min() || t == d.upper();
      if (!is_rounded) {
        EXPECT_NEAR(d.cdf(t), p, 1e-10 * p + rounding(d, t)) << label(d) << " p = " << p;
      }
    }
  }
}

// Against forty digits (mpmath): in double alone Boost.Math is off by 3e-14 here.
TEST(Distribution, DistributionFunctionsOfLargeParameters) {
  EXPECT_NEAR(Distribution(Beta{400, 300, 0, 1}).cdf(0.55) / 0.1261749713265738692, 1, 2e-15);
  EXPECT_NEAR(Distribution(Gamma{800, 1}).cdf(810) / 0.64202026846668123532, 1, 2e-15);
}

TEST(Distribution, StaysInItsSupport) {
  for (const Distribution& d : continuous_distributions()) {
    for (const double p : {1e-300, 0x1p-53, 1e-9, 0.5, 1 - 1e-9, 1 - 0x1p-53}) {
      for (const double t : {d.quantile(p), d.survival_quantile(p)}) {
        EXPECT_GE(t, d.lower()) << label(d);
        EXPECT_LE(t, d.upper()) << label(d);
        EXPECT_TRUE(std::isfinite(t)) << label(d);
      }
    }
    if (std::isfinite(d.lower())) {
      const double below = std::nextafter(d.lower(), -infinity);
      EXPECT_EQ(d.cdf(below), 0);
      EXPECT_EQ(d.survival(below), 1);
      EXPECT_EQ(d.pdf(below), 0);
    }
    if (std::isfinite(d.upper())) {
      const double above = std::nextafter(d.upper(), infinity);
      EXPECT_EQ(d.cdf(above), 1);
      EXPECT_EQ(d.survival(above), 0);
      EXPECT_EQ(d.pdf(above), 0);
    }
    EXPECT_EQ(d.cdf(-infinity), 0);
    EXPECT_EQ(d.cdf(infinity), 1);
    EXPECT_EQ(d.survival(-infinity), 1);
    EXPECT_EQ(d.survival(infinity), 0);
    EXPECT_EQ(d.pdf(infinity), 0);
    EXPECT_TRUE(std::isnan(d.cdf(nan)));
  }
}

TEST(Distribution, BlockQuantileGivesTheBitsOfTheScalar) {
  std::vector<Distribution> distributions = continuous_distributions();
  distributions.push_back(Discrete{{3, 1, 2}, {0.2, 0.5, 0.3}});
  Vector u(77);
  fill_uniform(make_stream(5, Purpose::test), 0, u);
  for (const Distribution& d : distributions) {
    for (const Index first : {0, 1, 5}) {
      Vector t = u.tail(u.size() - first);
      d.quantile(t.data(), t.data(), t.size());
      for (Index i = 0; i < t.size(); ++i) EXPECT_EQ(t[i], d.quantile(u[first + i])) << label(d);
    }
  }
}

template <class Reference>
void expect_same(const Distribution& d, const Reference& reference) {
  for (const double p : {1e-8, 0.01, 0.3, 0.5, 0.77, 0.999}) {
    const double t = quantile(reference, p);
    EXPECT_NEAR(d.quantile(p), t, 1e-12 * std::max(std::abs(t), 1.0)) << label(d);
    EXPECT_NEAR(d.survival_quantile(p), quantile(complement(reference, p)), 1e-11) << label(d);
    EXPECT_NEAR(d.pdf(t) / pdf(reference, t), 1, 1e-11) << label(d);
    EXPECT_NEAR(d.cdf(t) / cdf(reference, t), 1, 1e-11) << label(d);
    EXPECT_NEAR(d.survival(t) / cdf(complement(reference, t)), 1, 1e-11) << label(d);
  }
  EXPECT_NEAR(d.mean(), mean(reference), 1e-12 * std::abs(mean(reference))) << label(d);
  EXPECT_NEAR(d.sd(), standard_deviation(reference), 1e-12 * d.sd()) << label(d);
}

TEST(Distribution, AgreesWithBoost) {
  expect_same(Uniform{-2, 5}, boost::math::uniform(-2, 5));
  expect_same(Normal{1.5, 0.25}, boost::math::normal(1.5, 0.25));
  expect_same(LogNormal{0.3, 0.7}, boost::math::lognormal(0.3, 0.7));
  expect_same(Beta{2, 3.5, 0, 1}, boost::math::beta_distribution<>(2, 3.5));
  expect_same(Beta{0.4, 0.6, 0, 1}, boost::math::beta_distribution<>(0.4, 0.6));
  expect_same(Gamma{2.5, 3}, boost::math::gamma_distribution<>(2.5, 3));
  expect_same(Exponential{0.5}, boost::math::exponential(0.5));
  expect_same(Triangular{-1, 0.5, 2}, boost::math::triangular(-1, 0.5, 2));
  expect_same(Weibull{1.7, 2}, boost::math::weibull(1.7, 2));
}

TEST(Distribution, AgreesWithScipy) {
  // t = d.ppf(0.3), d.pdf(t), d.ppf(0.97), d.mean(), d.std() by scipy 1.10.1 for, in this order,
  // uniform(-2, 7), norm(1.5, 0.25), lognorm(0.7, scale=exp(0.3)), beta(2, 3.5, -1, 5), beta(0.4,
  // 0.6), gamma(2.5, scale=3), gamma(0.3), expon(scale=2), triang(0.5, -1, 3), weibull_min(1.7,
  // scale=2), loguniform(0.1, 50), truncnorm(-1, 1.5, 1, 2), truncnorm(8, 9).
  struct {
    Distribution d;
    double t, pdf, upper_quantile, mean, sd;
  } const table[] = {
      {Uniform{-2, 5}, 0.10000000000000009, 0.14285714285714285, 4.79, 1.5, 2.0207259421636903},
      {Normal{1.5, 0.25}, 1.3688998718229897, 1.3907704568002948, 1.9701984020378127, 1.5, 0.25},
      {LogNormal{0.3, 0.7}, 0.93512005310265489, 0.53116573954703461, 5.0357150184254271,
       1.7246083823764355, 1.3713795020614707},
      {Beta{2, 3.5, -1, 4}, 0.21089232928176527, 0.38138484571336967, 2.7276827875619647,
       0.81818181818181834, 0.94340822120503787},
      {Beta{0.4, 0.6, 0, 1}, 0.096151506092531022, 1.2848266688904162, 0.99097283212650733, 0.4,
       0.34641016151377546},
      {Gamma{2.5, 3}, 4.4998621991398604, 0.10278688646355477, 18.561927720839719, 7.5,
       4.7434164902525691},
      {Gamma{0.3, 1}, 0.012726657769948697, 7.0028335590746806, 1.7583113330291902, 0.3,
       0.54772255750516607},
      {Exponential{0.5}, 0.71334988787746489, 0.35, 7.0131157946399618, 2, 2},
      {Triangular{-1, 0.5, 2}, 0.16189500386222511, 0.51639777949432231, 1.6325765385825228, 0.5,
       0.61237243569579447},
      {Weibull{1.7, 2}, 1.0905885601962124, 0.38918726894652933, 4.1835815513766343,
       1.7844890049986482, 1.0804717992541106},
      {LogUniform{0.1, 50}, 0.64519501214821595, 0.24939931255549991, 41.495490657419097,
       8.0294685054507244, 11.690415800197849},
      {TruncatedNormal{1, 2, -1, 4}, 0.44665876354209533, 0.24786528522657678, 3.6809765407103754,
       1.2903748943050524, 1.2894727700225226},
      {TruncatedNormal{0, 1, 8, 9}, 8.0437921303902424, 5.7166567015229246, 8.4203232036233189,
       8.1211889929798691, 0.11894764723253226},
  };
  for (const auto& row : table) {
    EXPECT_NEAR(row.d.quantile(0.3) / row.t, 1, 1e-12) << label(row.d);
    EXPECT_NEAR(row.d.quantile(0.97) / row.upper_quantile, 1, 1e-12) << label(row.d);
    EXPECT_NEAR(row.d.pdf(row.t) / row.pdf, 1, 1e-12) << label(row.d);
    EXPECT_NEAR(row.d.cdf(row.t), 0.3, 1e-12) << label(row.d);
    EXPECT_NEAR(row.d.mean() / row.mean, 1, 1e-12) << label(row.d);
    EXPECT_NEAR(row.d.sd() / row.sd, 1, 1e-10) << label(row.d);
  }
}

// E g(θ) = ∫ g(quantile(p)) dp, each half of it from its own end.
double expectation(const Distribution& d, const std::function<double(double)>& g) {
  boost::math::quadrature::tanh_sinh<double> rule;
  return rule.integrate([&](double p) { return g(d.quantile(p)); }, 0.0, 0.5) +
         rule.integrate([&](double q) { return g(d.survival_quantile(q)); }, 0.0, 0.5);
}

TEST(Distribution, MomentsAreIntegralsOfTheQuantile) {
  for (const Distribution& d : continuous_distributions()) {
    if (d.upper() == 1e150) continue;  // its moments come from p within 1e-3 of 1; see below
    const double center = d.quantile(0.5);
    const double mean = center + expectation(d, [&](double t) { return t - center; });
    const double variance = expectation(d, [&](double t) { return (t - mean) * (t - mean); });
    EXPECT_NEAR(d.mean(), mean, 1e-9 * std::sqrt(variance) + 4 * epsilon * std::abs(mean))
        << label(d);
    EXPECT_NEAR(d.sd() / std::sqrt(variance), 1, 1e-8) << label(d);
  }
}

TEST(Distribution, MomentsOfSamples) {
  const Index n = 1 << 15;
  Vector u(n), t(n);
  fill_uniform(make_stream(11, Purpose::test), 0, u);
  for (const Distribution& d : continuous_distributions()) {
    if (d.upper() == 1e150) continue;  // no sample of any size shows its moments
    d.quantile(u.data(), t.data(), n);
    const Eigen::ArrayXd squares = (t.array() - d.mean()).square();
    const double count = static_cast<double>(n);
    // 5 standard errors; that of the variance from the sample itself.
    EXPECT_NEAR(t.mean(), d.mean(), 5 * d.sd() / std::sqrt(count)) << label(d);
    const double square_sd = std::sqrt((squares - squares.mean()).square().mean());
    EXPECT_NEAR(squares.mean(), d.sd() * d.sd(), 5 * square_sd / std::sqrt(count)) << label(d);
  }
}

TEST(Distribution, MomentsInTheirLimits) {
  // Weibull of large shape k: log(θ/scale) ≈ −Gumbel/k, so sd → scale π/(√6 k).
  for (const double shape : {1e4, 1e8, 1e12}) {
    const Distribution d = Weibull{shape, 3};
    EXPECT_NEAR(d.sd() * shape * std::sqrt(6.0) / (3 * M_PI), 1, 2 / shape + 1e-13);
  }
  EXPECT_NEAR(Distribution(Weibull{19.999, 1}).sd() / Distribution(Weibull{20.001, 1}).sd(), 1,
              2e-4);
  // A narrow log-uniform is uniform; wide ones have mean² + variance = (u² − l²)/(2 log(u/l)).
  EXPECT_NEAR(Distribution(LogUniform{3, 3 * (1 + 1e-9)}).sd() * std::sqrt(12.0) / 3e-9, 1, 1e-7);
  for (const double ratio : {1.1, 1.22, 1.25, 3.0, 1e8}) {
    const Distribution d = LogUniform{2, 2 * ratio};
    const double square = (ratio * ratio - 1) * 2 / std::log(ratio);
    EXPECT_NEAR(d.sd() * d.sd() + d.mean() * d.mean(), square, 1e-13 * square);
  }
  EXPECT_NEAR(Distribution(LogUniform{1e-150, 1e150}).mean() / (1e150 / (300 * std::log(10))), 1,
              1e-12);
  const double length = 300 * std::log(10);  // sd = upper √(1/(2 length) − 1/length²)
  EXPECT_NEAR(Distribution(LogUniform{1e-150, 1e150}).sd() / 1e150,
              std::sqrt(0.5 / length - 1 / (length * length)), 1e-13);
  // A narrow piece of a normal is uniform up to O(width), wherever it lies.
  const double lower = 1000.5, upper = lower + 0x1p-30;
  const Distribution narrow = TruncatedNormal{1000, 1, lower, upper};
  EXPECT_NEAR(narrow.sd() * std::sqrt(12.0) / (upper - lower), 1, 1e-9);
  EXPECT_NEAR(narrow.cdf(lower + 0x1p-32), 0.25, 1e-9);
  EXPECT_EQ(narrow.quantile(0.5), lower + 0x1p-31);
  // No truncation is the normal distribution.
  const Distribution whole = TruncatedNormal{3, 2, -infinity, infinity};
  EXPECT_NEAR(whole.mean(), 3, 1e-14);
  EXPECT_NEAR(whole.sd(), 2, 1e-14);
}

using Wide = boost::multiprecision::cpp_bin_float_100;

Wide exact_upper_tail(const Wide& x) { return boost::math::erfc(Wide(x / sqrt(Wide(2)))) / 2; }
Wide exact_density(const Wide& x) {
  return exp(Wide(-x * x / 2)) / sqrt(2 * boost::math::constants::pi<Wide>());
}

TEST(TruncatedNormal, FarAndNarrowIntervalsInHundredDigits) {
  struct {
    double lower, upper;
  } const intervals[] = {{8, 9},        {8, infinity}, {29.9, 30.2},  {30.1, infinity},
                         {45, 45.001},  {3, 3 + 1e-9}, {-1e-8, 2e-8}, {-9, 12},
                         {-0.5, 40},    {0, 1e-3},     {100, 1e6},    {0.3, 0.9},
                         {-2, infinity}};
  for (const auto& [lower, upper] : intervals) {
    const Distribution d = TruncatedNormal{0, 1, lower, upper};
    const Distribution mirrored = TruncatedNormal{0, 1, -upper, -lower};
    const Wide above = std::isinf(upper) ? Wide(0) : exact_upper_tail(upper);
    const Wide end_density = std::isinf(upper) ? Wide(0) : exact_density(upper);
    const Wide end_term = std::isinf(upper) ? Wide(0) : Wide(upper * exact_density(upper));
    const Wide total = exact_upper_tail(lower) - above;
    const Wide mean = (exact_density(lower) - end_density) / total;
    const Wide variance = 1 + (lower * exact_density(lower) - end_term) / total - mean * mean;
    const double sd = static_cast<double>(sqrt(variance));
    EXPECT_NEAR(d.sd() / sd, 1, 1e-12) << label(d);
    EXPECT_NEAR(d.mean(), static_cast<double>(mean), 1e-13 * sd + 2 * epsilon * std::abs(d.mean()));
    EXPECT_NEAR(mirrored.mean(), -d.mean(), 1e-13 * sd + 2 * epsilon * std::abs(d.mean()));
    for (const double p : {1e-6, 0.1, 0.5, 0.9, 0.9999}) {
      const double t = d.quantile(p);
      const auto survival = static_cast<double>((exact_upper_tail(t) - above) / total);
      const auto density = static_cast<double>(exact_density(t) / total);
      EXPECT_NEAR(survival, 1 - p, 1e-13 + rounding(d, t)) << label(d) << " p = " << p;
      EXPECT_NEAR(d.survival(t) / survival, 1, 1e-13) << label(d) << " p = " << p;
      EXPECT_NEAR(d.pdf(t) / density, 1, 1e-13) << label(d);
      EXPECT_NEAR(mirrored.survival_quantile(p), -t, 4 * epsilon * std::abs(t) + 1e-13 * sd);
    }
  }
}

TEST(Distribution, NormalScoresAreAccurateInBothTails) {
  Vector z = Vector::LinSpaced(161, -8, 8), t(z.size());
  for (const Distribution& d : continuous_distributions()) {
    t = z;
    d.from_standard_normal(t.data(), t.data(), t.size());
    for (Index i = 0; i < z.size(); ++i) {
      const double expected =
          z[i] < 0 ? d.quantile(normal_cdf(z[i])) : d.survival_quantile(normal_cdf(-z[i]));
      EXPECT_NEAR(t[i], expected, 1e-13 * std::abs(expected) + 1e-14 * d.sd()) << label(d);
      const double density = std::exp(-z[i] * z[i] / 2) / std::sqrt(2 * M_PI);
      const double resolution = rounding(d, t[i]) / density;
      if (resolution < 0.1) {
        EXPECT_NEAR(d.to_standard_normal(t[i]), z[i], 1e-11 + resolution) << label(d);
      }
    }
    double extreme[] = {-40, 40};
    d.from_standard_normal(extreme, extreme, 2);
    for (const double value : extreme) {
      EXPECT_TRUE(std::isfinite(value)) << label(d);
      EXPECT_TRUE(value >= d.lower() && value <= d.upper()) << label(d);
      EXPECT_TRUE(std::isfinite(d.to_standard_normal(value))) << label(d);
    }
    EXPECT_TRUE(std::isfinite(d.to_standard_normal(d.lower())));
    EXPECT_TRUE(std::isfinite(d.to_standard_normal(d.upper())));
  }
}

TEST(Discrete, IsSortedMergedAndNormalised) {
  const Distribution d = Discrete{{3, 1, 2, 3, 7}, {1, 2, 4, 1, 0}};
  const auto& parameters = std::get<Discrete>(d.parameters());
  EXPECT_EQ(parameters.values, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(parameters.weights, (std::vector<double>{0.25, 0.5, 0.25}));
  EXPECT_TRUE(d.is_discrete());
  EXPECT_EQ(d.lower(), 1);
  EXPECT_EQ(d.upper(), 3);
  EXPECT_EQ(d.pdf(2), 0.5);
  EXPECT_EQ(d.pdf(2.5), 0);
  EXPECT_EQ(d.cdf(0.9), 0);
  EXPECT_EQ(d.cdf(1), 0.25);
  EXPECT_EQ(d.cdf(2.5), 0.75);
  EXPECT_EQ(d.survival(2.5), 0.25);
  EXPECT_EQ(d.cdf(3), 1);
  EXPECT_EQ(d.quantile(0.25), 1);  // the smallest t with cdf(t) ≥ p
  EXPECT_EQ(d.quantile(0.2500001), 2);
  EXPECT_EQ(d.quantile(1 - 0x1p-53), 3);
  EXPECT_EQ(d.survival_quantile(1e-20), 3);
  EXPECT_EQ(d.mean(), 2);
  EXPECT_NEAR(d.sd(), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(d.to_standard_normal(1), normal_quantile(0.125), 1e-15);
  EXPECT_EQ(d.to_standard_normal(2), 0);
  EXPECT_NEAR(d.to_standard_normal(3), -normal_quantile(0.125), 1e-15);
}

TEST(Discrete, DataColumnHasEqualWeights) {
  std::vector<double> data;
  for (int i = 0; i < 1000; ++i) data.push_back(std::sin(i));
  const Distribution d = Discrete{data, {}};
  const Eigen::Map<const Vector> column(data.data(), 1000);
  EXPECT_NEAR(d.mean(), column.mean(), 1e-15);
  EXPECT_NEAR(d.sd(), std::sqrt((column.array() - column.mean()).square().mean()), 1e-14);
  std::sort(data.begin(), data.end());
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_EQ(d.quantile((static_cast<double>(i) + 0.5) / 1000), data[i]);
    EXPECT_NEAR(d.cdf(data[i]), static_cast<double>(i + 1) / 1000, 1e-14);
    double score = d.to_standard_normal(data[i]);
    d.from_standard_normal(&score, &score, 1);
    EXPECT_EQ(score, data[i]);
  }
}

TEST(Distribution, Names) {
  const std::vector<std::pair<Distribution, std::string>> table = {
      {Uniform{}, "uniform"},
      {Normal{}, "normal"},
      {LogNormal{}, "lognormal"},
      {Beta{}, "beta"},
      {Gamma{}, "gamma"},
      {Exponential{}, "exponential"},
      {Triangular{}, "triangular"},
      {Weibull{}, "weibull"},
      {LogUniform{}, "loguniform"},
      {TruncatedNormal{}, "truncated_normal"},
      {Discrete{{1}, {}}, "discrete"}};
  for (const auto& [d, name] : table) {
    EXPECT_EQ(d.name(), name);
    EXPECT_EQ(d.is_discrete(), name == "discrete");
  }
}

TEST(Distribution, BadParametersAreNamed) {
  const struct {
    Distribution::Variant parameters;
    const char *field, *message;
  } table[] = {
      {Uniform{2, 1}, "upper", "must be greater than lower (2), found 1"},
      {Uniform{1, 1}, "upper", "must be greater than lower (1), found 1"},
      {Uniform{nan, 1}, "lower", "must be a finite number, found nan"},
      {Uniform{0, infinity}, "upper", "must be a finite number, found inf"},
      {Uniform{-1e308, 1e308}, "upper",
       "must be within 1.7976931348623157e+308 of lower (-1e+308), found 1e+308"},
      {Normal{infinity, 1}, "mean", "must be a finite number, found inf"},
      {Normal{0, 0}, "sd", "must be positive, found 0"},
      {Normal{0, -2}, "sd", "must be positive, found -2"},
      {LogNormal{nan, 1}, "mu", "must be a finite number, found nan"},
      {LogNormal{0, 0}, "sigma", "must be positive, found 0"},
      {Beta{0, 1, 0, 1}, "alpha", "must be positive, found 0"},
      {Beta{1, -1, 0, 1}, "beta", "must be positive, found -1"},
      {Beta{1, 1, 3, 2}, "upper", "must be greater than lower (3), found 2"},
      {Gamma{0, 1}, "shape", "must be positive, found 0"},
      {Gamma{1, -1}, "scale", "must be positive, found -1"},
      {Exponential{0}, "rate", "must be positive, found 0"},
      {Exponential{infinity}, "rate", "must be a finite number, found inf"},
      {Triangular{0, 2, 1}, "mode", "must be between lower (0) and upper (1), found 2"},
      {Triangular{0, nan, 1}, "mode", "must be a finite number, found nan"},
      {Triangular{1, 1, 1}, "upper", "must be greater than lower (1), found 1"},
      {Weibull{-1, 1}, "shape", "must be positive, found -1"},
      {Weibull{1, 0}, "scale", "must be positive, found 0"},
      {LogUniform{0, 1}, "lower", "must be positive, found 0"},
      {LogUniform{2, 1}, "upper", "must be greater than lower (2), found 1"},
      {TruncatedNormal{0, 0, -1, 1}, "sd", "must be positive, found 0"},
      {TruncatedNormal{nan, 1, -1, 1}, "mean", "must be a finite number, found nan"},
      {TruncatedNormal{0, 1, nan, 1}, "lower", "must be a number or infinite, found nan"},
      {TruncatedNormal{0, 1, 0, nan}, "upper", "must be a number or infinite, found nan"},
      {TruncatedNormal{0, 1, 1, -infinity}, "upper", "must be greater than lower (1), found -inf"},
      {Discrete{{}, {}}, "values", "must hold at least one value, found none"},
      {Discrete{{1, nan}, {}}, "values", "must be a finite number, found nan"},
      {Discrete{{1, 2}, {1}}, "weights", "must be as many as values (2), found 1"},
      {Discrete{{1, 2}, {1, -1}}, "weights", "must not be negative, found -1"},
      {Discrete{{1, 2}, {0, 0}}, "weights", "must have a positive finite sum, found 0"},
      {Discrete{{1, 2}, {1, infinity}}, "weights", "must be a finite number, found inf"},
  };
  for (const auto& row : table) {
    try {
      const Distribution d(row.parameters);
      ADD_FAILURE() << "accepted: " << row.field << " " << row.message;
    } catch (const InputError& error) {
      EXPECT_EQ(error.field(), row.field);
      EXPECT_EQ(error.message(), row.message);
    }
  }
}

}  // namespace
}  // namespace chaosgrad
