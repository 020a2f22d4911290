// What a run tells while it goes on.
#include <gtest/gtest.h>

#include <cmath>

#include "chaosgrad/chaosgrad.h"
#include "solve/common/forecast.h"
#include "solve/common/monitor.h"
#include "support/paper_problem.h"

namespace chaosgrad {
using namespace internal;
namespace {

IterationRecord stage(Index k, std::int64_t gradients, double estimate) {
  IterationRecord record{.k = k, .gradients = gradients};
  record.estimate = estimate;
  return record;
}

// An error C N^−p meets the tolerance t at N = (C/t)^(1/p).
TEST(Forecast, OfAPowerIsExact) {
  std::vector<IterationRecord> stages;
  for (const double power : {0.5, 2.0}) {
    stages.clear();
    for (Index k = 1; k <= 7; ++k)
      stages.push_back(stage(k, 1000 << k, 3 * std::pow(1000.0 * std::exp2(k), -power)));
    const double tolerance = *stages.back().estimate / 10;
    const double needed = std::pow(3 / tolerance, 1 / power);
    EXPECT_NEAR(gradients_to_go(stages, tolerance).value(), needed - 128000, 1e-6 * needed);
  }
  EXPECT_EQ(gradients_to_go(stages, 1), 0);
}

TEST(Forecast, IsSilentWhereNothingIsKnown) {
  EXPECT_FALSE(gradients_to_go({}, 1e-3));
  EXPECT_FALSE(gradients_to_go({stage(1, 100, 0.1)}, 1e-3));
  EXPECT_FALSE(gradients_to_go({stage(1, 100, 0.1), stage(2, 200, 0.1)}, 1e-3));
  EXPECT_FALSE(gradients_to_go({stage(1, 100, 0.1), stage(2, 200, 0.2)}, 1e-3));
  EXPECT_FALSE(gradients_to_go({stage(1, 100, 0.1), stage(2, 100, 0.01)}, 1e-3));
}

// What would end after 1.04 max_seconds, the deadline, is not begun.
TEST(Monitor, HasNoTimeForWhatWouldPassTheDeadline) {
  const Measure measure({Uniform{-1, 1}});
  Options options;
  options.max_seconds = 1000;
  const std::optional<ReferenceExpansion> none;
  const Monitor monitor(measure, options, none);
  internal::Run run{.basis = Basis({Family(Uniform{-1, 1})}, IndexSet::first(1, 1)),
                    .u = Coefficients::Zero(1, 1)};
  EXPECT_TRUE(monitor.has_time(0, 3, run));
  EXPECT_TRUE(monitor.has_time(1030, 3, run));
  EXPECT_EQ(run.status, Status::completed);
  EXPECT_FALSE(monitor.has_time(1041, 3, run));
  EXPECT_EQ(run.status, Status::out_of_time);
  EXPECT_NE(run.stop_reason.find("max_seconds = 1000"), std::string::npos) << run.stop_reason;
}

// Both adaptive methods tell stage, estimate, tolerance and time left, the last never beyond the
// limit of the session.
TEST(Progress, OfTheAdaptiveMethods) {
  for (const bool noisy : {false, true}) {
    testing::PaperProblem problem;
    problem.noisy = noisy;
    Options options;
    options.tolerance = noisy ? 0.1 : 0.02;
    options.max_seconds = 1000;
    std::vector<Progress> told;
    options.callback = [&](const Progress& progress) {
      const Index before = told.empty() ? 0 : told.back().iteration;
      if (progress.iteration > before) told.push_back(progress);
      return Action::go_on;
    };
    const Solution result = solve(problem, options);
    ASSERT_EQ(told.size(), result.history.size());
    Index guesses = 0;
    for (std::size_t i = 0; i < told.size(); ++i) {
      EXPECT_EQ(told[i].stage, noisy ? "sieve" : "collocation");
      EXPECT_EQ(told[i].iteration, result.history[i].k);
      EXPECT_EQ(told[i].error, result.history[i].estimate);
      EXPECT_EQ(told[i].tolerance, options.tolerance);
      if (!told[i].seconds_left) continue;
      ++guesses;
      EXPECT_GE(*told[i].seconds_left, 0);
      EXPECT_LE(*told[i].seconds_left, 1000);
    }
    EXPECT_GE(guesses, static_cast<Index>(told.size()) / 2);
  }
}

}  // namespace
}  // namespace chaosgrad
