// Statistics of expansions against closed forms.
#include "chaosgrad/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "basis/kernels.h"
#include "chaosgrad/error.h"
#include "random/random.h"
#include "solution/number_text.h"
#include "solution/statistics/bars.h"
#include "solution/statistics/coefficients.h"
#include "support/keyed_numbers.h"

namespace chaosgrad {
using namespace internal;
namespace {

constexpr double pi = std::numbers::pi;

// The expansion of a function of η on the first m functions, by a tensor Gauss rule.
template <class Function>
Expansion project(const Measure& measure, std::vector<Family> families, IndexSet indices, Index q,
                  Index nodes, const Function& function) {
  const Basis basis(std::move(families), std::move(indices));
  const Index d = basis.dimension();
  std::vector<Quadrature> axes;
  Index size = 1;
  for (const Family& family : basis.families()) {
    axes.push_back(family.gauss(nodes));
    size *= axes.back().nodes.size();
  }
  Coefficients u = Coefficients::Zero(basis.size(), q);
  for (Index first = 0; first < size; first += block_size) {
    const Index n = std::min(block_size, size - first);
    Matrix eta(n, d), g(n, q);
    for (Index i = 0; i < n; ++i) {
      double weight = 1;
      Index rest = first + i;
      for (Index k = 0; k < d; ++k) {
        const Quadrature& axis = axes[static_cast<std::size_t>(k)];
        eta(i, k) = axis.nodes(rest % axis.nodes.size());
        weight *= axis.weights(rest % axis.nodes.size());
        rest /= axis.nodes.size();
      }
      g.row(i) = weight * function(Vector(eta.row(i).transpose())).transpose();
    }
    BasisBlock psi;
    basis.evaluate(eta, basis.size(), psi);
    chaosgrad::project(psi, g, u);
  }
  return Expansion(measure, basis, u);
}

std::vector<Family> families_of(const Measure& measure) {
  std::vector<Family> families;
  for (const Distribution& germ : measure.germs()) families.emplace_back(germ);
  return families;
}

Accuracy exact(Index q, double epsilon = 0) {
  return {.total = epsilon,
          .components = Vector::Constant(q, epsilon),
          .replicates = {},
          .confidence = 0.95};
}

// x = exp(a θ) with θ standard normal is lognormal: every statistic is known.
TEST(Statistics, OfALognormalOptimum) {
  const double a = 0.25;
  const Measure measure({Normal{0, 1}});
  const Expansion expansion =
      project(measure, families_of(measure), IndexSet::first(1, 25), 1, 60,
              [&](const Vector& eta) { return Vector::Constant(1, std::exp(a * eta(0))); });
  const Statistics found = statistics(expansion, exact(1));
  const OutputStatistics& x = found.outputs[0];
  const double w = std::exp(a * a);
  EXPECT_NEAR(x.mean.value, std::sqrt(w), 1e-12);
  EXPECT_NEAR(x.sd.value, std::sqrt(w * (w - 1)), 1e-12);
  EXPECT_NEAR(x.skewness.value, (w + 2) * std::sqrt(w - 1), 1e-9);
  EXPECT_NEAR(x.excess_kurtosis.value, w * w * w * w + 2 * w * w * w + 3 * w * w - 6, 1e-8);
  EXPECT_NEAR(x.correlation[0].value, a / std::sqrt(w - 1), 1e-12);
  EXPECT_NEAR(x.main[0].value, 1, 1e-12);
  EXPECT_NEAR(x.total[0].value, 1, 1e-12);
  for (std::size_t l = 0; l < found.levels.size(); ++l) {
    const double quantile = std::exp(a * Distribution(Normal{0, 1}).quantile(found.levels[l]));
    EXPECT_NEAR(x.quantiles[l].value, quantile, 2e-4);
    EXPECT_LT(x.quantiles[l].error, 1e-3);
  }
  // The mean of the density over each bin.
  const Distribution law = LogNormal{0, a};
  for (Index b = 0; b < x.histogram.density.size(); ++b) {
    const double left = x.histogram.edges(b), right = x.histogram.edges(b + 1);
    EXPECT_NEAR(x.histogram.density(b), (law.cdf(right) - law.cdf(left)) / (right - left),
                x.histogram.error(b) + 0.02);
  }
}

// Ishigami's function sin η₁ + a sin² η₂ + b η₃⁴ sin η₁ on [−π, π]³.
TEST(Statistics, OfIshigamisFunction) {
  const double a = 7, b = 0.1;
  const Measure measure({Uniform{-pi, pi}, Uniform{-pi, pi}, Uniform{-pi, pi}});
  const auto ishigami = [&](double x, double y, double z) {
    return std::sin(x) + a * std::pow(std::sin(y), 2) + b * std::pow(z, 4) * std::sin(x);
  };
  const Expansion expansion = project(
      measure, families_of(measure), IndexSet::first(3, 1771), 1, 26,  // degree 20
      [&](const Vector& eta) { return Vector::Constant(1, ishigami(eta(0), eta(1), eta(2))); });
  const double p4 = std::pow(pi, 4), p8 = p4 * p4;
  const double V1 = 0.5 * std::pow(1 + b * p4 / 5, 2), V2 = a * a / 8,
               V13 = b * b * p8 * (1.0 / 18 - 1.0 / 50), V = V1 + V2 + V13;
  // The same function as a quantity of x and θ, whose indices come from sampling.
  const Quantities quantities{.count = 1,
                              .noise_dimension = 0,
                              .evaluate = [&](Block, Block theta, Block, BlockOut values) {
                                for (Index i = 0; i < theta.rows(); ++i)
                                  values(i, 0) = ishigami(theta(i, 0), theta(i, 1), theta(i, 2));
                              }};
  const Statistics found = statistics(expansion, exact(1), quantities);
  const double main[] = {V1 / V, V2 / V, 0}, total[] = {(V1 + V13) / V, V2 / V, V13 / V};
  const double pairwise[] = {0, V13 / V, 0};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(found.outputs[0].main[k].value, main[k], 1e-6);
    EXPECT_NEAR(found.outputs[0].total[k].value, total[k], 1e-6);
    EXPECT_NEAR(found.outputs[0].pairwise[k].value, pairwise[k], 1e-6);
    // Twice the 95 % bar: about four standard errors.
    const OutputStatistics& sampled = found.outputs[1];
    EXPECT_NEAR(sampled.main[k].value, main[k], 2 * sampled.main[k].error + 1e-9);
    EXPECT_NEAR(sampled.total[k].value, total[k], 2 * sampled.total[k].error + 1e-9);
    EXPECT_NEAR(sampled.pairwise[k].value, pairwise[k], 2 * sampled.pairwise[k].error + 1e-9);
    EXPECT_LT(sampled.main[k].error, 5e-3);
    EXPECT_LT(sampled.pairwise[k].error, 1e-2);
  }
  EXPECT_NEAR(found.outputs[0].mean.value, a / 2, 1e-6);
  EXPECT_NEAR(found.outputs[1].mean.value, a / 2, 2 * found.outputs[1].mean.error);
  EXPECT_NEAR(found.covariance(0, 0), V, 1e-4);
  EXPECT_NEAR(found.covariance(0, 1), V, 0.01 * V);
}

// Additive and product parts in two dimensions: x = 2 p₁(η₁) + p₂(η₂) + 3 p₁(η₁) p₁(η₂).
TEST(Statistics, OfAFewCoefficients) {
  const Measure measure({Uniform{0, 2}, Exponential{1}});
  Coefficients u = Coefficients::Zero(6, 2);  // 00 10 01 20 11 02
  u.col(0) << 5, 2, 0, 0, 3, 1;
  u.col(1) << -1, 1, 1, 0, 0, 0;
  const Expansion expansion(measure, Basis(families_of(measure), IndexSet::first(2, 6)), u);
  const Statistics found = statistics(expansion, exact(2));
  const OutputStatistics& x = found.outputs[0];
  EXPECT_NEAR(x.sd.value, std::sqrt(14), 1e-14);
  EXPECT_NEAR(x.main[0].value, 4.0 / 14, 1e-14);
  EXPECT_NEAR(x.main[1].value, 1.0 / 14, 1e-14);
  EXPECT_NEAR(x.total[0].value, 13.0 / 14, 1e-14);
  EXPECT_NEAR(x.total[1].value, 10.0 / 14, 1e-14);
  EXPECT_NEAR(x.pairwise[0].value, 9.0 / 14, 1e-14);
  EXPECT_NEAR(found.covariance(0, 1), 2, 1e-14);
  EXPECT_NEAR(x.correlation[0].value, 2 / std::sqrt(14), 1e-14);
  EXPECT_NEAR(x.correlation[1].value, 0, 1e-14);
  EXPECT_NEAR(found.outputs[1].correlation[1].value, 1 / std::sqrt(2), 1e-14);
  EXPECT_NEAR(x.slope[0].value, 2 * std::sqrt(3), 1e-14);  // 2 B_1 = 2 √3 (θ − 1)
  EXPECT_NEAR(found.outputs[1].slope[1].value, 1, 1e-14);
}

// Cov(x, θ)/Var θ = E[τ ∂x/∂θ]/E τ with τ p = ∫_t^∞ (s − mean) p ds: for a uniform law on (−1, 1)
// τ = (1 − t²)/2, for a normal one τ = sd², for an exponential one τ = t/rate. Gauss rules are
// exact.
TEST(Statistics, SlopesAreMeansOfDerivatives) {
  const auto check = [](const Distribution& law, auto tau) {
    const Measure measure({law});
    Coefficients u(6, 1);
    u << 1, -0.7, 0.5, 0.4, -0.3, 0.2;
    const Expansion expansion(measure, Basis(families_of(measure), IndexSet::first(1, 6)), u);
    const Quadrature rule = expansion.basis().families()[0].gauss(12);
    double sum = 0, weights = 0;
    for (Index i = 0; i < rule.nodes.size(); ++i) {
      const double t = rule.nodes(i), weight = rule.weights(i) * tau(t);
      sum += weight * expansion.sensitivity(Vector::Constant(1, t))(0, 0);
      weights += weight;
    }
    const Statistics found = statistics(expansion, exact(1, 0.01));
    const Estimate& slope = found.outputs[0].slope[0];
    EXPECT_NEAR(slope.value, sum / weights, 1e-12 * std::abs(slope.value)) << law.name();
    EXPECT_NEAR(slope.error, 0.01 / law.sd(), 1e-14) << law.name();
  };
  check(Uniform{-1, 1}, [](double t) { return 1 - t * t; });
  check(Normal{1, 0.5}, [](double) { return 1.0; });
  check(Exponential{2}, [](double t) { return t; });
}

// θ on its own basis: E[θ_k ψ_i] against plain sampling sums, for a copula, for a
// Fourier basis, and for logarithms as germs.
TEST(Statistics, ParametersOnTheirBasis) {
  constexpr Index d = 5, m = 90;
  Matrix correlation = Matrix::Identity(d, d);
  correlation(0, 1) = correlation(1, 0) = 0.6;
  const Measure measure = Measure({LogNormal{0, 0.4}, Discrete{{1, 2, 5}, {0.2, 0.5, 0.3}},
                                   Uniform{0, 3}, LogNormal{1, 0.3}, LogUniform{0.1, 4}},
                                  correlation)
                              .with_logarithm(3)
                              .with_logarithm(4);
  std::vector<Family> families = families_of(measure);
  families[2] = Family(measure.germs()[2], Family::Kind::fourier);
  const Basis basis(std::move(families), IndexSet::first(d, m));
  const Expansion expansion(measure, basis, Coefficients::Zero(m, 1));
  const Matrix found = parameter_coefficients(expansion);
  const Index n = 1 << 17;
  Matrix sums = Matrix::Zero(m, d), squares = Matrix::Zero(m, d);
  for (Index first = 0; first < n; first += block_size) {
    Matrix eta(block_size, d), theta(block_size, d);
    fill_uniform(make_stream(3, Purpose::test), first, eta);
    measure.germ_from_uniform(eta, eta);
    measure.parameters_from_germ(eta, theta);
    BasisBlock psi;
    basis.evaluate(eta, m, psi);
    for (Index i = 0; i < m; ++i) {
      for (Index s = 0; s < block_size; ++s) {
        for (Index k = 0; k < d; ++k) {
          const double value =
              (theta(s, k) - measure.marginals()[static_cast<std::size_t>(k)].mean()) * psi(s, i);
          sums(i, k) += value;
          squares(i, k) += value * value;
        }
      }
    }
  }
  for (Index i = 1; i < m; ++i) {
    for (Index k = 0; k < d; ++k) {
      const double mean = sums(i, k) / static_cast<double>(n);
      const double error = std::sqrt(squares(i, k) / static_cast<double>(n)) / std::sqrt(double(n));
      EXPECT_NEAR(found(i, k), mean, 5 * error) << i << " " << k;
    }
  }
}

// Total degrees beyond those of the families, under a copula: nothing breaks, and a discrete θ is
// recovered: E[θ ψ_n] for its own Hermite functions, by the midpoint rule over the steps of θ(z).
TEST(Statistics, ParametersOnAVeryLargeBasis) {
  Matrix correlation(2, 2);
  correlation << 1, 0.5, 0.5, 1;
  const Measure measure({Discrete{{1, 2}, {0.3, 0.7}}, Gamma{2, 1}}, correlation);
  IndexSet indices = IndexSet::first(2, 1);
  indices.add_closed({0, 101});
  indices.add_closed({101, 0});
  for (int n = 1; n <= 101; ++n) indices.add_closed({n, 101});
  const Expansion expansion(measure, Basis(families_of(measure), indices),
                            Coefficients::Zero(indices.size(), 1));
  const Matrix found = parameter_coefficients(expansion);
  EXPECT_TRUE(found.allFinite());
  const Family hermite(Normal{0, 1});
  const double a = normal_quantile(0.3);
  for (const int n : {1, 2, 7, 40}) {
    double integral = 0;  // of He_n φ from a to 9
    constexpr Index points = 400000;
    const double h = (9 - a) / points;
    Vector z(points);
    for (Index i = 0; i < points; ++i) z(i) = a + (static_cast<double>(i) + 0.5) * h;
    Matrix values(points, n + 1);
    hermite.values(z.data(), points, values);
    for (Index i = 0; i < points; ++i)
      integral += h * values(i, n) * std::exp(-z(i) * z(i) / 2) / std::sqrt(2 * std::numbers::pi);
    EXPECT_NEAR(found(indices.position({n, 0}), 0), integral, 1e-8);
  }
}

// The angle bars are attained: x̃* = cos φ x̃ + sin φ y moves a correlation from cos α to cos(α ± φ).
TEST(Bars, AnglesAreAttained) {
  for (const double alpha : {0.3, 1.0, 1.5}) {
    for (const double phi : {0.01, 0.2}) {
      const double moved =
          std::max(std::abs(std::cos(alpha - phi) - std::cos(alpha)),
                   std::abs(std::cos(std::min(pi, alpha + phi)) - std::cos(alpha)));
      EXPECT_NEAR(correlation_bar(std::cos(alpha), phi), moved, 1e-14);
    }
  }
  EXPECT_NEAR(share_bar(0.5, largest_angle(0.1, 1)),
              std::abs(std::pow(std::cos(pi / 4 - std::asin(0.1)), 2) - 0.5), 1e-14);
  EXPECT_DOUBLE_EQ(share_bar(0, largest_angle(2, 1)), 1);
  EXPECT_DOUBLE_EQ(share_bar(1, largest_angle(2, 1)), 1);
}

// Whatever the error of x, with norm at most ε, the bars given ε hold: random errors of
// coefficients, in the span and beyond it.
TEST(Bars, HoldForEveryErrorOfGivenNorm) {
  const Measure measure({Uniform{-1, 1}, Beta{2, 3, 0, 1}});
  const Index m = 28, beyond = 45;
  const Basis wide(families_of(measure), IndexSet::first(2, beyond));
  Matrix random(200, beyond * 2);
  fill_uniform(make_stream(5, Purpose::test), 0, random);
  Coefficients u = Coefficients::Zero(beyond, 1);
  for (Index i = 0; i < m; ++i) u(i, 0) = (random(0, i) - 0.5) * std::exp(-0.2 * double(i));
  StatisticsOptions options;
  options.samples = 16384;
  const double epsilon = 0.005;
  const Statistics found = statistics(Expansion(measure, wide, u), exact(1, epsilon), {}, options);
  const OutputStatistics& x = found.outputs[0];
  EXPECT_TRUE(std::isfinite(x.skewness.value));
  for (Index trial = 1; trial < 60; ++trial) {
    Coefficients error(beyond, 1);
    for (Index i = 0; i < beyond; ++i) error(i, 0) = normal_quantile(random(trial, i));
    if (trial % 3 == 0) error.topRows(beyond - 3).setZero();  // all of it in few functions
    error *= epsilon / error.norm();
    const Statistics truth = statistics(Expansion(measure, wide, u + error), exact(1), {}, options);
    const OutputStatistics& y = truth.outputs[0];
    // Or not told, where the bar would be too long.
    const auto inside = [](const Estimate& bar, const Estimate& value) {
      return !(std::abs(bar.value - value.value) > bar.error + value.error);
    };
    EXPECT_TRUE(inside(x.mean, y.mean) && inside(x.sd, y.sd));
    EXPECT_NEAR(found.covariance(0, 0), truth.covariance(0, 0), found.covariance_error(0, 0));
    EXPECT_TRUE(inside(x.skewness, y.skewness)) << trial;
    EXPECT_TRUE(inside(x.excess_kurtosis, y.excess_kurtosis))
        << trial << ": " << with_bar(x.excess_kurtosis) << " " << with_bar(y.excess_kurtosis);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_TRUE(inside(x.main[k], y.main[k]) && inside(x.total[k], y.total[k]));
      EXPECT_TRUE(inside(x.correlation[k], y.correlation[k]));
    }
    EXPECT_TRUE(inside(x.pairwise[0], y.pairwise[0]));
    for (std::size_t l = 0; l < x.quantiles.size(); ++l)
      EXPECT_TRUE(inside(x.quantiles[l], y.quantiles[l])) << trial << " level " << l;
  }
}

// A quantity's bars, when x moves by an error of norm ε.
TEST(Bars, OfQuantitiesHold) {
  const Measure measure({Uniform{-1, 1}});
  const Basis basis(families_of(measure), IndexSet::first(1, 8));
  Coefficients u = Coefficients::Zero(8, 2), random(60, 16);
  u.col(0) << 1, 0.5, 0.2, 0, 0, 0, 0, 0;
  u.col(1) << 0, -0.3, 0.1, 0.1, 0, 0, 0, 0;
  Matrix uniform(60, 16);
  fill_uniform(make_stream(6, Purpose::test), 0, uniform);
  const Quantities quantities{
      .count = 2,
      .noise_dimension = 0,
      .evaluate = [](Block x, Block theta, Block, BlockOut values) {
        values.col(0) = (x.col(0).array() * x.col(1).array() + theta.col(0).array()).matrix();
        values.col(1) = (x.array().square().rowwise().sum()).exp().matrix();
      }};
  StatisticsOptions options;
  options.samples = 16384;
  const double epsilon = 0.02;
  const Statistics found =
      statistics(Expansion(measure, basis, u), exact(2, epsilon), quantities, options);
  for (Index trial = 0; trial < 60; ++trial) {
    Coefficients error(8, 2);
    for (Index i = 0; i < 16; ++i) error(i % 8, i / 8) = normal_quantile(uniform(trial, i));
    error *= epsilon / error.norm();
    const Statistics truth =
        statistics(Expansion(measure, basis, u + error), exact(2), quantities, options);
    for (std::size_t j = 2; j < 4; ++j) {
      const OutputStatistics &h = found.outputs[j], &t = truth.outputs[j];
      EXPECT_NEAR(h.mean.value, t.mean.value, h.mean.error);
      EXPECT_NEAR(h.sd.value, t.sd.value, h.sd.error);
      if (std::isfinite(h.skewness.value) && std::isfinite(t.skewness.value)) {
        EXPECT_NEAR(h.skewness.value, t.skewness.value, h.skewness.error);
      }
      EXPECT_NEAR(h.main[0].value, t.main[0].value, h.main[0].error + t.main[0].error);
      for (std::size_t l = 0; l < h.quantiles.size(); ++l)
        EXPECT_NEAR(h.quantiles[l].value, t.quantiles[l].value, h.quantiles[l].error);
      EXPECT_LT(h.mean.error, 10 * epsilon * (1 + h.sd.value));
    }
  }
}

// E_v of a quantity with noise: h = (x + v)² has mean x² + 1/3 for v uniform on [−1, 1].
TEST(Statistics, QuantitiesAreAveragedOverTheNoise) {
  const Measure measure({Uniform{-1, 1}});
  const Basis basis(families_of(measure), IndexSet::first(1, 2));
  Coefficients u(2, 1);
  u << 1, 1 / std::sqrt(3.0);  // x = 1 + θ
  const Quantities quantities{.count = 1,
                              .noise_dimension = 1,
                              .evaluate = [](Block x, Block, Block noise, BlockOut values) {
                                values = (x.array() + 2 * noise.array() - 1).square().matrix();
                              }};
  const Statistics found = statistics(Expansion(measure, basis, u), exact(1), quantities);
  const OutputStatistics& h = found.outputs[1];
  // (1 + θ)²: mean 4/3, second moment 16/5.
  EXPECT_NEAR(h.mean.value, 4.0 / 3 + 1.0 / 3, 2 * h.mean.error);
  EXPECT_NEAR(h.sd.value, std::sqrt(16.0 / 5 - 16.0 / 9), 2 * h.sd.error + 1e-4);
  EXPECT_LT(h.mean.error, 0.02);  // 64 draws, 16 times
  EXPECT_NEAR(h.quantiles[3].value, 1 + 1.0 / 3, 2 * h.quantiles[3].error + 1e-3);
}

// Uniform on [−1, 1] seen as uniform on [0, ½]: the ratio is 4, so errors grow by a factor 2.
TEST(Reweighting, ToPartOfTheInterval) {
  const Measure measure({Uniform{-1, 1}});
  const Measure other({Uniform{0, 0.5}});
  const Reweighting loss = reweighting(measure, other);
  EXPECT_NEAR(loss.error_factor, 2, 1e-12);
  EXPECT_NEAR(loss.effective_share, 0.25, 1e-12);
  const Expansion expansion =
      project(measure, families_of(measure), IndexSet::first(1, 20), 1, 40,
              [](const Vector& eta) { return Vector::Constant(1, std::exp(eta(0))); });
  StatisticsOptions options;
  options.measure = other;
  const Statistics found = statistics(expansion, exact(1, 1e-4), {}, options);
  const OutputStatistics& x = found.outputs[0];
  const double mean = 2 * (std::exp(0.5) - 1), second = std::exp(1.0) - 1;
  EXPECT_NEAR(x.mean.value, mean, x.mean.error);
  EXPECT_NEAR(x.sd.value, std::sqrt(second - mean * mean), x.sd.error);
  EXPECT_GE(x.mean.error, 2e-4);
  EXPECT_LT(x.mean.error, 4e-4);
  EXPECT_NEAR(x.quantiles[3].value, std::exp(0.25), x.quantiles[3].error);
  EXPECT_NEAR(x.main[0].value, 1, 1e-3);
}

TEST(Reweighting, OfNormals) {
  // N(0.5, 0.8²) against N(0, 1): sup of the ratio in closed form.
  const double m = 0.5, s = 0.8;
  const Reweighting loss = reweighting(Measure({Normal{0, 1}}), Measure({Normal{m, s}}));
  EXPECT_NEAR(loss.error_factor, std::sqrt(std::exp(m * m / (2 * (1 - s * s))) / s), 1e-3);
  EXPECT_THROW(static_cast<void>(reweighting(Measure({Uniform{0, 1}}), Measure({Normal{0, 1}}))),
               InputError);
  EXPECT_THROW(
      static_cast<void>(reweighting(Measure({Normal{0, 1}}), Measure({Discrete{{1}, {}}}))),
      InputError);
  EXPECT_THROW(static_cast<void>(
                   reweighting(Measure({Discrete{{1, 2}, {}}}), Measure({Discrete{{1, 3}, {}}}))),
               InputError);
  EXPECT_NO_THROW(static_cast<void>(
      reweighting(Measure({Discrete{{1, 2}, {}}}), Measure({Discrete{{2}, {}}}))));
}

// Under a copula the ratio of two copulas on uniform marginals is 1 where they are the same.
TEST(Reweighting, KeepsACopula) {
  Matrix correlation(2, 2);
  correlation << 1, 0.5, 0.5, 1;
  const Measure measure({Normal{0, 1}, Normal{0, 1}}, correlation);
  const Reweighting same = reweighting(measure, measure);
  EXPECT_NEAR(same.error_factor, 1, 1e-9);
  EXPECT_NEAR(same.effective_share, 1, 1e-9);
  // z ~ N(0, R) against N(0, s² R): ratio (1/s²) exp(−½ zᵀR⁻¹z (1/s² − 1)), largest at 0.
  const double s = 0.7;
  const Reweighting loss = reweighting(measure, Measure({Normal{0, s}, Normal{0, s}}, correlation));
  EXPECT_NEAR(loss.error_factor, 1 / s, 1e-2);
}

TEST(Statistics, TheSameBitsForEveryNumberOfThreads) {
  const Measure measure({Uniform{-1, 1}, Normal{0, 1}});
  const Basis basis(families_of(measure), IndexSet::first(2, 10));
  const Coefficients u = testing::signed_numbers(1, 10, 2);
  StatisticsOptions one, four;
  one.threads = 1;
  four.threads = 4;
  const Quantities quantities{
      .count = 1, .noise_dimension = 0, .evaluate = [](Block x, Block, Block, BlockOut values) {
        values = x.rowwise().squaredNorm();
      }};
  const Expansion expansion(measure, basis, u);
  const Statistics a = statistics(expansion, exact(2), quantities, one);
  const Statistics b = statistics(expansion, exact(2), quantities, four);
  EXPECT_EQ(a.covariance, b.covariance);
  EXPECT_EQ(a.outputs[2].quantiles[2].value, b.outputs[2].quantiles[2].value);
  EXPECT_EQ(a.outputs[2].total[1].error, b.outputs[2].total[1].error);
}

}  // namespace
}  // namespace chaosgrad
