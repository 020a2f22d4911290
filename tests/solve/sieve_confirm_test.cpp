// The sieve's last word: tests on fresh samples against closed forms, and runs that must not be
// believed.
#include <gtest/gtest.h>

#include <cmath>

#include "chaosgrad/chaosgrad.h"
#include "estimate/mean_limit.h"
#include "random/random.h"
#include "solve/sieve/fresh_test.h"
#include "support/keyed_numbers.h"

namespace chaosgrad {
using namespace internal;
using chaosgrad::testing::signed_numbers;
namespace {

const SieveTuning tuning;

// n terms of this mean and standard deviation; spreads and functions that say nothing.
FreshTest test_of(double mean, double deviation, Index n = 4096) {
  FreshTest test{.draws = 2};
  test.steps = (mean + deviation * std::sqrt(3.0) * signed_numbers(7, n, 1).array()).matrix();
  test.steps.array() += mean - test.steps.mean();
  test.gradients = 4 * test.steps;
  test.spreads = Vector::Constant(n, 0.1);
  test.sums = Coefficients::Zero(2, 1);
  test.squares = Vector::Zero(2);
  return test;
}

TestReport::Finding finding(const FreshTest& test, const SieveError& error = {}) {
  return judge_test(test, error, 1, 0.95, 1, tuning).finding;
}

TEST(SieveTest, FindingsFollowTheLimits) {
  using enum TestReport::Finding;
  // A standard error of 1/64 decides: the limit of 97.5 % is 0.03 above the mean.
  EXPECT_EQ(finding(test_of(0.95, 1)), confirmed);
  EXPECT_EQ(finding(test_of(0.98, 1)), refuted);
  EXPECT_EQ(finding(test_of(1.21, 1)), refuted);
  // One of 0.4 tells whether it is above or below, one of 2 only what is clear.
  EXPECT_EQ(finding(test_of(0.9, 0.4 * 64)), assumed);
  EXPECT_EQ(finding(test_of(1.1, 0.4 * 64)), refuted);
  EXPECT_EQ(finding(test_of(3, 2 * 64)), assumed);
  EXPECT_EQ(finding(test_of(6, 2 * 64)), refuted);
  EXPECT_EQ(finding(test_of(3, 60 * 64)), too_weak);  // the limit is beyond 10²
  // The errors that the run claims count, and the noise that it has not seen.
  EXPECT_EQ(finding(test_of(0.5, 1), {.sampling = 0.6, .basis = 0.5}), refuted);
  FreshTest noisy = test_of(0.5, 1);
  noisy.spreads(17) = 10'000;
  EXPECT_EQ(finding(noisy), refuted);
  // A function that holds an error: c = 2, far above its noise.
  FreshTest held = test_of(0.5, 1);
  held.sums(1) = 2.0 * 4096;
  held.squares(1) = 5.0 * 4096;
  EXPECT_EQ(finding(held), refuted);
}

TEST(SieveTest, LimitsAreThoseOfTheTermsAtTheConfidenceOfTheLook) {
  const FreshTest test = test_of(0.5, 1);
  const TestReport report = judge_test(test, {}, 1, 0.9, 3, tuning);
  const double confidence = 1 - 0.1 / 12;  // α/(3·4)
  EXPECT_DOUBLE_EQ(report.measured, test.steps.mean());
  EXPECT_DOUBLE_EQ(report.limit, mean_limit(test.steps, confidence));
  EXPECT_DOUBLE_EQ(report.gradient_limit, mean_limit(test.gradients, confidence));
  EXPECT_DOUBLE_EQ(report.spread, mean_limit(test.spreads, confidence));
}

TEST(SieveTest, LengthFollowsWhatItHasToDecide) {
  // Cheap gradients: 8,192 of them, and 32 blocks; dear ones: at most as many as were spent.
  EXPECT_EQ(first_test_blocks(2000, 2, true, tuning), 32);
  EXPECT_EQ(first_test_blocks(2000, 2, false, tuning), 1024 / (2 * block_size));
  EXPECT_EQ(first_test_blocks(600, 2, false, tuning), 2);
  EXPECT_EQ(first_test_blocks(1 << 20, 2, false, tuning), (1 << 17) / (2 * block_size));
  // A standard error of 1/4 has to be halved: four times as many.
  const FreshTest test = test_of(0.5, 16);
  EXPECT_NEAR(static_cast<double>(all_test_blocks(test, 1, 1 << 20, tuning)), 4 * 32, 2);
  EXPECT_EQ(all_test_blocks(test, 1, 3 * 8192, tuning), 3 * 32);       // all that it may: coarse
  EXPECT_EQ(all_test_blocks(test_of(0.5, 640), 1, 8192, tuning), 32);  // no more are allowed
  // A standard error of 50: four times as many make it 25, a quarter of 10².
  EXPECT_NEAR(static_cast<double>(all_test_blocks(test_of(0.5, 50 * 64), 1, 1 << 20, tuning)), 128,
              2);
  EXPECT_EQ(all_test_blocks(test_of(0.5, 1), 1, 1 << 20, tuning), 32);
  // Draws: a quarter of the variance in squared tolerances, from 2 to 16, few in short runs.
  EXPECT_EQ(test_draws(1, 1, 1 << 20, false, tuning), 2);
  EXPECT_EQ(test_draws(40, 1, 1 << 20, false, tuning), 10);
  EXPECT_EQ(test_draws(4000, 1, 1 << 20, false, tuning), 16);
  EXPECT_EQ(test_draws(4000, 1, 5 * 4096, false, tuning), 5);
  EXPECT_EQ(test_draws(4000, 1, 5 * 4096, true, tuning), 4);  // Sobol' points: a power of two
}

TEST(SieveTest, LooksForAllFunctionsOfLowDegree) {
  const std::vector<Family> families(4, Family(Distribution(Uniform{-1, 1})));
  const Basis basis(families, IndexSet::first(4, 5));
  const Basis wide = test_basis(basis, tuning);
  EXPECT_EQ(wide.size(), 126);  // up to degree 1 + 4 in 4 parameters: 9 over 4
  EXPECT_EQ(complete_degree(wide), 5);
  EXPECT_TRUE(wide.indices().contains({1, 1, 1, 1}));
  EXPECT_EQ(complete_degree(basis), 1);

  FreshTest test = test_of(0.5, 1);
  test.sums = Coefficients::Zero(121, 1);
  test.squares = Vector::Constant(121, 1.0 * 4096);
  const Index product = wide.indices().position({1, 1, 1, 1});
  test.sums(product - 5) = 0.5 * 4096;
  const std::vector<MultiIndex> found = functions_found(wide, test, tuning);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (MultiIndex{1, 1, 1, 1}));
}

// ½(x − s(θ))² + σ z x: x* = s, and noise that no rule integrates, as no axis is declared.
template <class Target>
auto pull(Index d, double sigma, const Target& target) {
  std::vector<Distribution> marginals(static_cast<std::size_t>(d), Distribution(Uniform{-1, 1}));
  return PerSampleProblem(1, Measure(std::move(marginals)), 1,
                          [=](const Vector& x, const Vector& theta, const Vector& noise) {
                            const double z = normal_quantile(noise(0));
                            return Vector::Constant(1, x(0) - target(theta) + sigma * z);
                          });
}

double sign_of(double t) { return t > 0 ? 1 : -1; }

// The norm that is tested: x_u = 0, s = t0 t1 t2 t3 of norm 1/9.
TEST(SieveTest, MeasuresTheErrorAndTheNoise) {
  const auto problem = pull(4, 0.5, [](const Vector& t) { return t(0) * t(1) * t(2) * t(3); });
  const Oracle oracle(problem);
  const std::vector<Family> families(4, Family(Distribution(Uniform{-1, 1})));
  SieveState state{.basis = Basis(families, IndexSet::first(4, 5)),
                   .u = Coefficients::Zero(5, 1),
                   .replicates = {},
                   .averaged = Vector::Constant(5, 1000),
                   .last_step = Coefficients::Zero(5, 1),
                   .path = Coefficients::Zero(5, 1),
                   .path_variances = Coefficients::Zero(5, 1),
                   .metric = LocalMetric(decompose(Matrix::Constant(1, 1, 2.0)))};  // H⁻¹ = ½
  const Basis wide = test_basis(state.basis, tuning);
  Executor executor(2);
  FreshTest test{.draws = 4};
  add(oracle, wide, state, 1, 1, 100, executor, test);
  add(oracle, wide, state, 1, 1, 100, executor, test);  // other samples than the first
  ASSERT_EQ(test.samples(), 200 * block_size);
  EXPECT_EQ(test.cost(), 800 * block_size);
  const auto n = static_cast<double>(test.samples());
  const auto error = [&](const Vector& terms) {
    return std::sqrt((terms.array() - terms.mean()).square().mean() / n);
  };
  EXPECT_NEAR(test.steps.mean(), 0.25 / 81, 4 * error(test.steps));
  EXPECT_LT(error(test.steps), 1e-3);
  EXPECT_NEAR(test.gradients.mean(), 1.0 / 81, 4 * error(test.gradients));
  // E w²|R|² Σ ψ²/N; w Σψ²/m is between 0 and 4/3, E w Σ ψ² = m: of the order of m ¼|g|²/N.
  const double sampling = 5 * 0.25 * (0.25 + 1.0 / 81) / 1000;
  EXPECT_GT(test.spreads.mean(), 0.6 * sampling);
  EXPECT_LT(test.spreads.mean(), 1.4 * sampling);
  // ⟨R, ψ⟩ = −½ · 1/9 for ψ = 9 t0 t1 t2 t3.
  const Index product = wide.indices().position({1, 1, 1, 1}) - 5;
  EXPECT_NEAR(test.coefficients()(product), -0.5 / 9, 5 * std::sqrt(test.noise()(product)));
  FreshTest again{.draws = 4};
  Executor other(1);
  add(oracle, wide, state, 1, 1, 200, other, again);
  EXPECT_EQ(again.steps, test.steps);  // the same bits, however it is cut and shared out
}

// A parity has no main effects and no pairs: no candidate shows it. The program must not say that
// it has converged while it is wrong.
TEST(SieveTest, ParitiesAreNotCertified) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto problem =
        pull(3, 0.5, [](const Vector& t) { return sign_of(t(0)) * sign_of(t(1)) * sign_of(t(2)); });
    const Solution solution =
        solve(problem,
              {.method = Method::sieve, .tolerance = 0.25, .seed = seed, .max_gradients = 60'000});
    EXPECT_NE(solution.status, Status::converged) << solution.message;
    const Matrix theta = signed_numbers(6, 2000, 3);
    double sum = 0;
    for (Index i = 0; i < theta.rows(); ++i) {
      const Vector t = theta.row(i).transpose();
      sum += std::pow(solution(t)(0) - sign_of(t(0)) * sign_of(t(1)) * sign_of(t(2)), 2);
    }
    const double true_error = std::sqrt(sum / 2000);
    EXPECT_GT(true_error, 0.25);
    EXPECT_GT(solution.error.estimate.value(), 0.5 * true_error);
    EXPECT_GT(solution.diagnostic_gradients, 1000);
  }
}

// A product of four linear functions is found by the test, added, and solved for.
TEST(SieveTest, ProductsOfFourAreFoundAndSolved) {
  const auto target = [](const Vector& t) { return 2 * t(0) * t(1) * t(2) * t(3); };
  const auto problem = pull(4, 0.3, target);
  const Solution solution = solve(problem, {.method = Method::sieve, .tolerance = 0.05});
  ASSERT_EQ(solution.status, Status::converged) << solution.message;
  const Matrix theta = signed_numbers(5, 500, 4);
  double sum = 0;
  for (Index i = 0; i < theta.rows(); ++i) {
    const Vector t = theta.row(i).transpose();
    sum += std::pow(solution(t)(0) - target(t), 2);
  }
  EXPECT_LT(std::sqrt(sum / 500), 0.05);
  ASSERT_TRUE(solution.unseen);
  EXPECT_LT(*solution.unseen, 0.1);
}

// The force is 0.5/p with probability p = 0.002: runs that miss the event would be off by 0.5.
TEST(SieveTest, RareEventsOfTheNoiseAreSeen) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    const PerSampleProblem problem(1, Measure({Distribution(Uniform{-1, 1})}), 1,
                                   [](const Vector& x, const Vector& theta, const Vector& noise) {
                                     return Vector::Constant(
                                         1, x(0) - theta(0) - (noise(0) < 0.002 ? 250 : 0));
                                   });
    const Solution solution =
        solve(problem,
              {.method = Method::sieve, .tolerance = 0.15, .seed = seed, .max_gradients = 300'000});
    if (solution.status != Status::converged) continue;
    EXPECT_NEAR(mean(solution)(0), 0.5, 0.2) << seed;
  }
}

// A test that is too weak says what it assumes.
TEST(SieveTest, AWeakTestSaysWhatItAssumes) {
  const auto problem = pull(1, 30, [](const Vector& t) { return t(0); });
  const Solution solution = solve(problem, {.method = Method::sieve, .tolerance = 0.3});
  ASSERT_EQ(solution.status, Status::converged) << solution.message;
  bool said = false;
  for (const std::string& note : solution.notes)
    said = said || note.find("is not excluded") != std::string::npos;
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace chaosgrad
