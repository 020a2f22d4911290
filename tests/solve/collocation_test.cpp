// The pure parts of collocation: the error of a fit, what follows from it, and the test that
// confirms, on numbers made by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "chaosgrad/chaosgrad.h"
#include "estimate/mean_limit.h"
#include "random/random.h"
#include "solve/collocation/confirm.h"
#include "solve/collocation/judge.h"
#include "solve/collocation/polishing.h"

namespace chaosgrad::internal::collocation {
namespace {

Vector squares(Index count, double size, std::uint64_t id) {
  Matrix u(count, 1);
  fill_uniform(make_stream(1, Purpose::test, id), 0, u);
  return size * size * (0.5 + u.array());  // mean near size²
}

Fit fit_with(const Vector& squares_of_fit) {
  Fit fit{.basis = Basis({Family(Uniform{-1, 1})}, IndexSet::first(1, 2))};
  fit.squares = squares_of_fit;
  fit.limit_squares = 4 * squares_of_fit;
  fit.basis_error = 0.1;
  fit.component_errors = Vector{{0.3, 0.4}};
  return fit;
}

TEST(MeasureError, AddsWhatThePointsLack) {
  const Fit fit = fit_with(Vector{{1e-4, 3e-4}});
  const StageError error = measure_error(fit, 0.03, {}, 0.95);
  EXPECT_DOUBLE_EQ(error.squared, 2e-4 + 9e-4);
  EXPECT_DOUBLE_EQ(error.limit, std::sqrt(upper_mean(fit.limit_squares, 0.95) + 9e-4));
  EXPECT_EQ(error.upper, error.limit);
  EXPECT_EQ(error.optimisation, 0.03);
  EXPECT_EQ(error.basis, 0.1);
  EXPECT_EQ(error.components, fit.component_errors);
}

TEST(MeasureError, TwoFitsMustAgreeWhereTheDesignSaysSo) {
  Fit fit = fit_with(Vector{{1e-4, 3e-4}});
  fit.must_agree = true;
  StageError before;
  before.limit = 7;
  EXPECT_EQ(measure_error(fit, 0, before, 0.95).upper, 7);
  before.limit = 0;
  const StageError error = measure_error(fit, 0, before, 0.95);
  EXPECT_EQ(error.upper, error.limit);
  EXPECT_EQ(measure_error(fit, 0, {}, 0.95).upper, infinity);  // there was none before
}

TEST(Judge, FollowsErrorTargetAndBudget) {
  StageError error;
  const Budget rich{.left = 1000, .test = 16}, exact{.left = 16, .test = 16},
      poor{.left = 15, .test = 16};
  EXPECT_EQ(judge(error, 1e-3, rich), Verdict::go_on);  // nothing measured yet
  error.upper = 2e-3;
  EXPECT_EQ(judge(error, 1e-3, rich), Verdict::go_on);
  EXPECT_EQ(judge(error, 1e-3, poor), Verdict::go_on);  // the next stage asks for itself
  error.upper = 1e-3;
  EXPECT_EQ(judge(error, 1e-3, rich), Verdict::confirm);
  EXPECT_EQ(judge(error, 1e-3, exact), Verdict::confirm);
  EXPECT_EQ(judge(error, 1e-3, poor), Verdict::stop);
  error.upper = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(judge(error, 1e-3, rich), Verdict::go_on);
}

TEST(JudgeTest, PassesWhenTheLimitMeetsTheTarget) {
  using Outcome = TestResult::Outcome;
  const Vector tested = squares(64, 1e-4, 2);
  const TestResult good = judge_test(tested, 0, 1e-3, 0.95);
  EXPECT_EQ(good.outcome, Outcome::passed);
  EXPECT_DOUBLE_EQ(good.squared, tested.mean());
  EXPECT_DOUBLE_EQ(good.upper, std::sqrt(mean_limit(tested, 0.95)));
  EXPECT_EQ(judge_test(tested, 0, 1e-5, 0.95).outcome, Outcome::failed);
  // Between the mean and its limit it takes more samples.
  const double between = std::sqrt(0.5 * (good.squared + good.upper * good.upper));
  EXPECT_EQ(judge_test(tested, 0, between, 0.95).outcome, Outcome::undecided);
  // What the optima lack counts.
  EXPECT_DOUBLE_EQ(judge_test(tested, 2e-4, 1e-3, 0.95).squared, tested.mean() + 4e-8);
}

TEST(JudgeTest, AnErrorWithoutBoundFails) {
  Vector tested = squares(64, 1e-4, 2);
  tested(5) = infinity;
  EXPECT_EQ(judge_test(tested, 0, 1e-3, 0.95).outcome, TestResult::Outcome::failed);
}

// x_u − x* at 0.9 and 1.1 of the tolerance, 2,000 tests each, from tests of 32 to 128 samples as
// confirm() makes them: how often a wrong one passes. The error is smooth (normal), or sits in few
// samples (cubes of normals).
TEST(JudgeTest, ConfirmsWronglyAsSeldomAsItPromises) {
  constexpr Index repeats = 2000;
  Index first = 0;
  for (const int power : {1, 3}) {
    const double moment = power == 1 ? 1 : 15;  // E z^{2 power}
    for (const double ratio : {0.9, 1.1}) {
      Index passed = 0;
      for (Index r = 0; r < repeats; ++r) {
        Vector all;
        for (Index n = 32, look = 1; n <= 128; n *= 2, ++look) {
          const Index before = all.size();
          Matrix z(n - before, 1);
          fill_uniform(make_stream(1, Purpose::test, 7), first, z);
          first += z.rows();
          for (double& value : z.reshaped()) value = normal_quantile(value);
          all.conservativeResize(n);
          all.tail(z.rows()) = ratio * ratio / moment * z.array().pow(2.0 * power);
          const TestResult result = judge_test(all, 0, 1, confidence_of_look(look, 0.95));
          if (result.outcome == TestResult::Outcome::undecided) continue;
          passed += result.outcome == TestResult::Outcome::passed ? 1 : 0;
          break;
        }
      }
      if (ratio > 1) {
        EXPECT_LE(static_cast<double>(passed) / repeats, 0.05) << power;
      }
    }
  }
}

TEST(DoubtOutliers, DoubtsEachPointAFewTimesOnly) {
  const CollocationTuning tuning;
  Points points;
  points.append(Matrix::Zero(20, 1), Matrix::Zero(20, 1), Matrix::Zero(20, 1));
  Vector errors = Vector::Ones(20);
  EXPECT_FALSE(doubt_outliers(tuning, errors, points));
  errors(7) = 100;
  for (Index doubt = 0; doubt < tuning.most_doubts; ++doubt) {
    points.ratios[7] = 0.1;
    EXPECT_TRUE(doubt_outliers(tuning, errors, points));
    EXPECT_EQ(points.ratios[7], Points::doubted);
  }
  EXPECT_FALSE(doubt_outliers(tuning, errors, points));
}

// There is no padding, so that a member without a name would show.
template <class Tuning>
void expect_every_member_named() {
  Tuning tuning;
  std::set<std::string> names;
  std::size_t bytes = 0;
  visit(tuning, [&](const std::string& name, auto& member) {
    EXPECT_TRUE(names.insert(name).second) << name;
    bytes += sizeof(member);
  });
  EXPECT_EQ(bytes, sizeof(Tuning));
}

TEST(Tuning, EveryMemberHasItsName) {
  expect_every_member_named<CollocationTuning>();
  expect_every_member_named<PointwiseTuning>();
}

}  // namespace
}  // namespace chaosgrad::internal::collocation
