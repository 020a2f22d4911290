// Intervals contain the truth at least as often as they promise: noise in the coefficients, with a
// part of x* outside the basis or without.
#include <gtest/gtest.h>

#include <cmath>

#include "chaosgrad/statistics.h"
#include "random/random.h"
#include "solution/statistics/coefficients.h"

namespace chaosgrad {
using namespace internal;
namespace {

constexpr Index seeds = 200, replicates = 8, m = 15, wide = 28;

// x* on 28 functions of two parameters, of which the first 15 are fitted.
struct Case {
  Measure measure{{Uniform{-1, 1}, Normal{0, 1}}};
  Basis basis{{Family(Uniform{-1, 1}), Family(Normal{0, 1})}, IndexSet::first(2, wide)};
  Coefficients truth = Coefficients::Zero(wide, 1);
  double epsilon = 0;

  explicit Case(double tail) {
    for (Index i = 0; i < m; ++i) truth(i, 0) = std::pow(-0.7, static_cast<double>(i));
    truth.bottomRows(wide - m).setConstant(tail / std::sqrt(static_cast<double>(wide - m)));
    epsilon = tail;
  }

  // Independent estimates of the first m coefficients with noise of standard deviation `noise`
  // each.
  [[nodiscard]] Accuracy accuracy(Index seed, double noise) const {
    Accuracy result{.total = epsilon,
                    .components = Vector::Constant(1, epsilon),
                    .replicates = {},
                    .confidence = 0.95};
    Matrix uniform(replicates, m);
    fill_uniform(make_stream(static_cast<std::uint64_t>(seed), Purpose::test), 0, uniform);
    for (Index g = 0; g < replicates; ++g) {
      Coefficients u = truth.topRows(m);
      for (Index i = 0; i < m; ++i) u(i, 0) += noise * normal_quantile(uniform(g, i));
      result.replicates.push_back(std::move(u));
    }
    return result;
  }

  [[nodiscard]] Expansion expansion(const Accuracy& accuracy) const {
    return {measure, Basis(basis.families(), IndexSet::first(2, m)),
            CrossFit(accuracy.replicates[0], accuracy.replicates).mean(0)};
  }
};

// Of 200 intervals with 95 % confidence at least 181 must hold: a fair one does so with a
// probability of 99.8 %.
constexpr int enough = 181;

void expect_coverage(const Case& problem, double noise) {
  StatisticsOptions options;
  options.samples = 16 * 1024;
  const Accuracy perfect{
      .total = 0, .components = Vector::Zero(1), .replicates = {}, .confidence = 0.95};
  StatisticsOptions precise;
  const OutputStatistics truth =
      statistics(Expansion(problem.measure, problem.basis, problem.truth), perfect, {}, precise)
          .outputs[0];
  std::map<std::string, int> inside;
  const auto count = [&](const std::string& name, const Estimate& interval, const Estimate& exact) {
    // A number that would say nothing is not told.
    inside[name] += !(std::abs(interval.value - exact.value) > interval.error) ? 1 : 0;
  };
  for (Index seed = 1; seed <= seeds; ++seed) {
    const Accuracy known = problem.accuracy(seed, noise);
    const OutputStatistics found =
        statistics(problem.expansion(known), known, {}, options).outputs[0];
    count("mean", found.mean, truth.mean);
    count("sd", found.sd, truth.sd);
    count("pairwise", found.pairwise[0], truth.pairwise[0]);
    for (std::size_t k = 0; k < 2; ++k) {
      count("main " + std::to_string(k), found.main[k], truth.main[k]);
      count("total " + std::to_string(k), found.total[k], truth.total[k]);
      count("correlation " + std::to_string(k), found.correlation[k], truth.correlation[k]);
      count("slope " + std::to_string(k), found.slope[k], truth.slope[k]);
    }
    for (std::size_t l = 0; l < found.quantiles.size(); ++l)
      count("quantile " + std::to_string(l), found.quantiles[l], truth.quantiles[l]);
    if (problem.epsilon == 0) count("skewness", found.skewness, truth.skewness);
  }
  for (const auto& [name, times] : inside) EXPECT_GE(times, enough) << name;
}

TEST(Coverage, NoiseAlone) { expect_coverage(Case(0), 0.05); }
TEST(Coverage, MuchNoise) { expect_coverage(Case(0), 0.3); }
TEST(Coverage, NoiseAndTruncation) { expect_coverage(Case(0.05), 0.05); }
TEST(Coverage, TruncationAlone) { expect_coverage(Case(0.05), 1e-9); }

// The cross-fitted variance is right on average, the plain one too large by the variance of the
// noise.
TEST(CrossFit, VarianceHasNoBias) {
  const Case problem(0);
  const double noise = 0.3;
  const double exact = problem.truth.topRows(m).bottomRows(m - 1).squaredNorm();
  double sum = 0, square = 0, plain = 0;
  for (Index seed = 1; seed <= seeds; ++seed) {
    const Accuracy known = problem.accuracy(seed, noise);
    const CrossFit fit(known.replicates[0], known.replicates);
    const double variance = fit.squares(0).bottomRows(m - 1).sum();
    EXPECT_NEAR(variance, fit.covariance(0)(0, 0), 1e-12);
    sum += variance;
    square += variance * variance;
    plain += fit.mean(0).bottomRows(m - 1).squaredNorm();
  }
  const double mean = sum / seeds, error = std::sqrt((square / seeds - mean * mean) / seeds);
  EXPECT_NEAR(mean, exact, 4 * error);
  EXPECT_NEAR(plain / seeds - mean, (m - 1) * noise * noise / replicates, 0.02);
}

// All ordered pairs of estimates, written out.
TEST(CrossFit, IsTheMeanOverPairs) {
  const Case problem(0);
  const Accuracy known = problem.accuracy(1, 0.3);
  const CrossFit fit(known.replicates[0], known.replicates);
  Coefficients all = Coefficients::Zero(m, 1), without_third = all;
  for (std::size_t g = 0; g < 8; ++g) {
    for (std::size_t h = 0; h < 8; ++h) {
      if (g == h) continue;
      const Coefficients product = known.replicates[g].cwiseProduct(known.replicates[h]);
      all += product / 56;
      if (g != 2 && h != 2) without_third += product / 42;
    }
  }
  EXPECT_LT((fit.squares(0) - all).norm(), 1e-13);
  EXPECT_LT((fit.squares(3) - without_third).norm(), 1e-13);
}

}  // namespace
}  // namespace chaosgrad
