// Statistics where a careless method gives nonsense: high degrees in unbounded parameters, kinks
// under noise, many components. Every number that is told is within its bar of the truth, and what
// cannot be told is not.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "basis/kernels.h"
#include "chaosgrad/statistics.h"
#include "random/random.h"
#include "samples/noise_average.h"
#include "solution/number_text.h"
#include "solution/statistics/describe.h"

namespace chaosgrad {
using namespace internal;
namespace {

constexpr double pi = std::numbers::pi;

// E g(t), by composite Gauss–Legendre in the probability, finer and finer towards both ends.
template <class Function>
double mean_over(const Distribution& law, const Function& g) {
  static const Quadrature gauss = Family(Uniform{0, 1}).gauss(20);
  double sum = 0;
  for (int side = 0; side < 2; ++side) {
    for (int level = 1; level < 100; ++level) {
      const double high = std::pow(0.5, level), low = level == 99 ? 0 : high / 2;
      for (Index i = 0; i < gauss.nodes.size(); ++i) {
        const double p = low + (high - low) * gauss.nodes(i);
        const double t = side == 0 ? law.quantile(p) : law.survival_quantile(p);
        sum += (high - low) * gauss.weights(i) * g(t);
      }
    }
  }
  return sum;
}

// Weighted least squares through f at points of the induced densities: what a solver makes of f, with the noise `noise` at every point. The error is measured with
// the tails.
struct Fitted {
  Expansion expansion;
  double error;
};
template <class Function>
Fitted fit(const Distribution& law, Index degree, double noise, const Function& f) {
  const Measure measure({law});
  const Basis basis({Family(measure.germs()[0])}, IndexSet::first(1, degree + 1));
  const Index per_function = 20, n = per_function * (degree + 1);
  Matrix eta(n, 1);
  for (Index i = 0; i < n; ++i) {
    const double p =
        (static_cast<double>(i / (degree + 1)) + 0.5) / static_cast<double>(per_function);
    eta(i, 0) = basis.families()[0].induced_quantile(i % (degree + 1), p);
  }
  Matrix psi(n, degree + 1);
  basis.families()[0].values(eta.data(), n, psi);
  Vector weight(n), value(n);
  Matrix error(n, 1);
  fill_uniform(make_stream(3, Purpose::test), 0, error);
  for (Index i = 0; i < n; ++i) {
    weight(i) = 1 / std::sqrt(psi.row(i).squaredNorm());  // Christoffel's
    value(i) = f(eta(i, 0)) + noise * normal_quantile(error(i, 0));
  }
  const Coefficients coefficients =
      (weight.asDiagonal() * psi).colPivHouseholderQr().solve(weight.cwiseProduct(value));
  Expansion expansion(measure, basis, coefficients);
  const double distance = std::sqrt(mean_over(law, [&](double t) {
    return std::pow(expansion.evaluate_germ(Matrix::Constant(1, 1, t))(0, 0) - f(t), 2);
  }));
  return {std::move(expansion), distance};
}

struct Truth {
  double skewness, kurtosis;
};

template <class Function>
Truth truth_of(const Distribution& law, const Function& f) {
  const double mean = mean_over(law, f);
  const auto moment = [&](int k) {
    return mean_over(law, [&](double t) { return std::pow(f(t) - mean, k); });
  };
  const double variance = moment(2);
  return {moment(3) / std::pow(variance, 1.5), moment(4) / (variance * variance) - 3};
}

Accuracy known(Index q, double epsilon) {
  return {.total = epsilon,
          .components = Vector::Constant(q, epsilon),
          .replicates = {},
          .confidence = 0.95};
}

template <class Function>
void expect_honest(const Distribution& law, Index degree, double noise, const Function& f,
                   const std::string& name) {
  const Fitted fitted = fit(law, degree, noise, f);
  const Truth truth = truth_of(law, f);
  const OutputStatistics x = statistics(fitted.expansion, known(1, fitted.error)).outputs[0];
  const auto check = [&](const Estimate& found, double expected, const char* what) {
    const std::string where = name + ", degree " + std::to_string(degree) + ": " + what + " " +
                              with_bar(found) + ", truth " + std::to_string(expected);
    if (!std::isfinite(found.value)) {
      EXPECT_EQ(found.error, infinity) << where;
      return;
    }
    EXPECT_FALSE(is_useless(found)) << where;
    EXPECT_LE(std::abs(found.value - expected), found.error) << where;
  };
  check(x.skewness, truth.skewness, "skewness");
  check(x.excess_kurtosis, truth.kurtosis, "kurtosis");
}

TEST(HardStatistics, ShapesOfHighDegreesAreHonestOrNotTold) {
  const auto kink = [](double t) { return std::abs(t); };
  const auto wave = [](double t) { return std::sin(2 * t); };
  const auto growth = [](double t) { return std::exp(t); };
  const auto slow = [](double t) { return 1 / (1 + t * t); };
  for (const Index degree : {10, 30, 60}) {
    for (const double noise : {0.0, 1e-10, 1e-4}) {
      expect_honest(Normal{0, 1}, degree, noise, kink, "|z|");
      expect_honest(Normal{0, 1}, degree, noise, wave, "sin 2z");
      expect_honest(Normal{0, 1}, degree, noise, growth, "exp z");
      expect_honest(Normal{0, 1}, degree, noise, slow, "1/(1 + z²)");
      expect_honest(
          Exponential{1}, degree, noise, [](double t) { return std::abs(t - 1); },
          "|t − 1|, t exponential");
      expect_honest(
          Exponential{1}, degree, noise, [](double t) { return std::exp(-t); },
          "exp(−t), t exponential");
      expect_honest(Uniform{-1, 1}, degree, noise, kink, "|t|, t uniform");
    }
  }
  for (const Index degree : {6, 12, 18}) {
    expect_honest(
        LogNormal{0, 0.7}, degree, 1e-8, [](double t) { return std::log(t); },
        "log t, t lognormal");
    expect_honest(
        LogNormal{0, 0.7}, degree, 1e-8, [](double t) { return std::tanh(t); },
        "tanh t, t lognormal");
  }
}

// Where the expansion is good the numbers are told, and well.
TEST(HardStatistics, ShapesAreToldWhereTheyAreKnown) {
  const Fitted fitted = fit(Normal{0, 1}, 60, 1e-9, [](double t) { return std::sin(2 * t); });
  const OutputStatistics x = statistics(fitted.expansion, known(1, fitted.error)).outputs[0];
  // sin 2z: E x² = (1 − e⁻⁸)/2, E x⁴ = (3 − 4 e⁻⁸ + e⁻³²)/8.
  const double variance = (1 - std::exp(-8.0)) / 2;
  const double kurtosis = (3 - 4 * std::exp(-8.0)) / 8 / (variance * variance) - 3;
  EXPECT_NEAR(x.skewness.value, 0, x.skewness.error);
  EXPECT_NEAR(x.excess_kurtosis.value, kurtosis, x.excess_kurtosis.error);
  EXPECT_LT(x.skewness.error, 0.1);
  EXPECT_LT(x.excess_kurtosis.error, 0.1);
}

TEST(HardStatistics, TailsBeyondTheSamples) {
  const auto extremes_of = [](const Distribution& law) {
    Extremes extremes;
    for (std::uint64_t set = 0; set < 16; ++set) {
      Matrix u(8192, 1);
      fill_uniform(make_stream(5, Purpose::test, set), 0, u);
      Vector values = u.col(0).unaryExpr([&](double p) { return law.quantile(p); });
      std::sort(values.begin(), values.end());
      extremes.add(values);
    }
    return extremes;
  };
  // E[z⁴; |z| > z_p] with p = 8/131072: what a range of rare values has left for the next.
  const Extremes normal = extremes_of(Normal{0, 1});
  EXPECT_EQ(normal.samples, 131072);
  const double tail = 3.9913;  // two-sided, 8/131072
  const double density = std::exp(-tail * tail / 2) / std::sqrt(2 * pi);
  const double beyond = 2 * ((std::pow(tail, 3) + 3 * tail) * density + 3 * 0.5 * 8.0 / 131072);
  EXPECT_GT(beyond_samples(normal, 0, 1, 4), 0.5 * beyond);
  EXPECT_LT(beyond_samples(normal, 0, 1, 4), 3 * beyond);
  EXPECT_LT(beyond_samples(normal, 0, 1, 3), beyond_samples(normal, 0, 1, 4));
  // Moments that do not exist, or nearly so.
  EXPECT_EQ(beyond_samples(extremes_of(LogNormal{0, 2}), 7.39, 54, 4), infinity);
  EXPECT_EQ(beyond_samples(normal, std::nan(""), 1, 4), infinity);
}

TEST(HardStatistics, NoiseOfFinitelyManyCasesIsSummed) {
  const Measure measure({Uniform{0, 1}});
  const Basis basis({Family(Uniform{0, 1})}, IndexSet::first(1, 1));
  const Vector weights = (Vector(3) << 0.2, 0.5, 0.3).finished();
  const Quantities quantities{.count = 1,
                              .noise_dimension = 1,
                              .evaluate =
                                  [](Block, Block, Block noise, BlockOut values) {
                                    values = noise.unaryExpr([](double u) {
                                      return u < 0.2 ? 10.0 : u < 0.7 ? -1.0 : 4.0;
                                    });
                                  },
                              .noise_axes = {{NoiseAxis::Kind::cases, weights}}};
  const Statistics found =
      statistics(Expansion(measure, basis, Coefficients::Ones(1, 1)), known(1, 0), quantities);
  EXPECT_NEAR(found.outputs[1].mean.value, 0.2 * 10 - 0.5 + 0.3 * 4, 1e-12);
  EXPECT_LT(found.outputs[1].mean.error, 1e-12);
  EXPECT_NEAR(found.outputs[1].sd.value, 0, 1e-12);
}

// README's example: E max(x − D, 0) + 3 max(D − x, 0) with D normal, a kink under noise.
TEST(HardStatistics, KinksUnderNoiseAreIntegrated) {
  const Measure measure({Normal{100, 10}});
  const Basis basis({Family(Normal{100, 10})}, IndexSet::first(1, 2));
  Coefficients u(2, 1);
  u << 110, 10;  // x = level + 10
  const Quantities quantities{
      .count = 1,
      .noise_dimension = 1,
      .evaluate =
          [](Block x, Block theta, Block noise, BlockOut values) {
            for (Index i = 0; i < x.rows(); ++i) {
              const double demand = theta(i, 0) + 15 * normal_quantile(noise(i, 0));
              values(i, 0) = std::max(x(i, 0) - demand, 0.0) + 3 * std::max(demand - x(i, 0), 0.0);
            }
          },
      .noise_axes = {{NoiseAxis::Kind::normal}},
      .operations = 30};
  // With a = (x − level)/15: 15 (a Φ(a) + φ(a)) + 45 (φ(a) − a (1 − Φ(a))), the same for every level.
  const double a = 10.0 / 15, phi = std::exp(-a * a / 2) / std::sqrt(2 * pi);
  const double cost = 15 * (a * normal_cdf(a) + phi) + 45 * (phi - a * normal_cdf(-a));
  const OutputStatistics h =
      statistics(Expansion(measure, basis, u), known(1, 0), quantities).outputs[1];
  EXPECT_NEAR(h.mean.value, cost, h.mean.error);
  EXPECT_LT(h.mean.error, 2e-3 * cost);
  EXPECT_LT(h.sd.value, 1e-3 * cost);
}

// Of many components some are sampled, and the exact statistics are the same for all.
TEST(HardStatistics, ChosenComponents) {
  const Measure measure({Uniform{-1, 1}, Normal{0, 1}});
  const Basis basis({Family(Uniform{-1, 1}), Family(Normal{0, 1})}, IndexSet::first(2, 6));
  Matrix uniform(6, 40);
  fill_uniform(make_stream(8, Purpose::test), 0, uniform);
  const Expansion expansion(measure, basis, Coefficients(uniform.array() - 0.5));
  const Quantities quantities{.count = 1, .evaluate = [](Block x, Block, Block, BlockOut values) {
                                values = x.rowwise().sum();
                              }};
  StatisticsOptions some;
  some.components = std::vector<Index>{3, 17};
  const Statistics all = statistics(expansion, known(40, 1e-3), quantities),
                   part = statistics(expansion, known(40, 1e-3), quantities, some);
  ASSERT_EQ(part.outputs.size(), 41U);
  EXPECT_EQ(part.covariance.size(), 0);
  for (std::size_t i = 0; i < 40; ++i) {
    const OutputStatistics &a = all.outputs[i], &b = part.outputs[i];
    EXPECT_EQ(a.mean.value, b.mean.value);
    EXPECT_EQ(a.sd.value, b.sd.value);
    EXPECT_EQ(a.sd.error, b.sd.error);
    EXPECT_EQ(a.main[1].value, b.main[1].value);
    EXPECT_EQ(a.slope[0].value, b.slope[0].value);
    const bool chosen = i == 3 || i == 17;
    EXPECT_EQ(b.quantiles.empty(), !chosen);
    EXPECT_EQ(b.histogram.edges.size() == 0, !chosen);
  }
  // A sum of 40 components moves by at most |1| ε = √40 ε, found from random directions.
  const OutputStatistics &sum = part.outputs[40], &expected = all.outputs[40];
  EXPECT_NEAR(sum.mean.value, expected.mean.value, sum.mean.error);
  const double bar = std::sqrt(40.0) * 1e-3;
  EXPECT_GT(sum.mean.error, 0.8 * bar);
  EXPECT_LT(sum.mean.error, 1.5 * bar);
}

TEST(NumberText, DigitsFollowTheBar) {
  EXPECT_EQ(with_bar({1.648721, 0.00013}), "1.64872 ± 0.00013");
  EXPECT_EQ(with_bar({1.648721, 0.0004}), "1.6487 ± 0.0004");
  EXPECT_EQ(with_bar({19.40512, 0.2}), "19.4 ± 0.2");
  EXPECT_EQ(with_bar({12345.6, 200}), "12300 ± 200");
  EXPECT_EQ(with_bar({2.4e-14, 0.04}), "0 ± 0.04");
  EXPECT_EQ(with_bar({-0.0976, 0.0099}), "-0.098 ± 0.010");
  EXPECT_EQ(with_bar({3.2e-7, 1e-8}), "3.20e-07 ± 1.0e-08");
  EXPECT_EQ(with_bar({1.0 / 3, 1e-16}), "0.333333333333 ± 1.0e-16");
  EXPECT_EQ(with_bar({0.5, infinity}), "0.5 ± ?");
  EXPECT_EQ(with_bar({0.5, 0}), "0.5 ± 0");
  EXPECT_EQ(with_bar({std::nan(""), infinity}), "–");
}

}  // namespace
}  // namespace chaosgrad
