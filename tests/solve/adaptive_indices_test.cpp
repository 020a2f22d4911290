// index_set = "adaptive": a pilot run chooses the functions, once, and its gradients count.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "chaosgrad/chaosgrad.h"

namespace chaosgrad {
namespace {

// x*(θ) = exp(θ_1) + θ_2/10: functions of θ_1 matter most. Counts the rows it is asked for.
struct Counted {
  std::shared_ptr<std::int64_t> asked = std::make_shared<std::int64_t>(0);

  [[nodiscard]] Index dimension() const { return 1; }
  [[nodiscard]] Measure parameters() const {
    return Measure({Distribution(Uniform{-1, 1}), Distribution(Uniform{-1, 1})});
  }
  [[nodiscard]] Index noise_dimension() const { return 0; }
  [[nodiscard]] ProblemFacts facts() const {
    ProblemFacts facts;
    facts.strong_convexity = 1;
    facts.smoothness = 1;
    facts.noise_variance = 0;
    facts.noise_growth = 1;
    return facts;
  }
  void gradient(Block x, Block theta, Block, BlockOut g) const {
    *asked += x.rows();
    for (Index i = 0; i < x.rows(); ++i)
      g(i, 0) = x(i, 0) - std::exp(theta(i, 0)) - 0.1 * theta(i, 1);
  }
};

// One thread: the count is not guarded.
Options adaptive_indices(Index iterations, double samples = 200) {
  Options options{.method = Method::agd, .iterations = iterations, .threads = 1};
  options.samples = samples;
  options.basis_size = 6.0;
  options.indices = AdaptiveIndices{};
  return options;
}

using Snapshot = std::shared_ptr<const Solution>;  // what a run can go on from

Snapshot snapshot(const Solution& solution) { return std::make_shared<const Solution>(solution); }

// The first `iterations` of a run, as a session that ended there leaves them.
Snapshot first_part(const Options& options, Index iterations) {
  Options part = options;
  part.callback = [=](const Progress& progress) {
    const bool pilot = progress.stage == "pilot";
    return !pilot && progress.iteration >= iterations ? Action::stop : Action::go_on;
  };
  return snapshot(solve(Counted{}, part));
}

// A run that is stopped when it asks for the `count`-th time whether to go on: within the pilot.
Snapshot stopped_in_the_pilot(const Options& options, int count) {
  Options part = options;
  int asked = 0;
  part.callback = [&](const Progress&) { return ++asked >= count ? Action::stop : Action::go_on; };
  return snapshot(solve(Counted{}, part));
}

Solution resumed(const Counted& problem, Options options, Snapshot before) {
  options.resume = std::move(before);
  return solve(problem, options);
}

void expect_same_bits(const Solution& a, const Solution& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.expansion.coefficients(), b.expansion.coefficients());
  EXPECT_EQ(a.expansion.basis().indices().indices(), b.expansion.basis().indices().indices());
  EXPECT_EQ(a.gradients, b.gradients);
  EXPECT_EQ(a.notes, b.notes);
}

TEST(AdaptiveIndices, TheFunctionsThatMatterComeFirst) {
  const Solution solution = solve(Counted{}, adaptive_indices(40));
  EXPECT_EQ(solution.status, Status::completed) << solution.message;
  const IndexSet& indices = solution.expansion.basis().indices();
  EXPECT_EQ(indices[0], (MultiIndex{0, 0}));
  EXPECT_EQ(indices[1], (MultiIndex{1, 0}));  // total degree would have (0, 1) as early
  EXPECT_TRUE(indices.contains({3, 0}));      // and not this one among six
}

// max_gradients is for all of the run; the gradients spent by the pilot are in its count.
TEST(AdaptiveIndices, ThePilotsGradientsCount) {
  const Counted problem;
  const Solution solution = solve(problem, adaptive_indices(10));
  const std::int64_t descent = 10 * 200;
  EXPECT_GT(solution.gradients, descent);
  // Beyond the count: constants and the error estimate.
  EXPECT_EQ(solution.gradients + solution.diagnostic_gradients, *problem.asked);
  const std::string count = std::to_string(solution.gradients - descent) + " gradients";
  ASSERT_FALSE(solution.notes.empty());
  EXPECT_NE(solution.notes.front().find(count), std::string::npos) << solution.notes[0];

  Options poor = adaptive_indices(10);
  poor.max_gradients = solution.gradients - 1;
  const Solution stopped = solve(Counted{}, poor);
  EXPECT_EQ(stopped.status, Status::out_of_gradients);
  EXPECT_LE(stopped.gradients, poor.max_gradients);
  EXPECT_EQ(stopped.history.size(), 9U);
}

TEST(AdaptiveIndices, ResumeDoesNotRunThePilotAgain) {
  const Options options = adaptive_indices(20);
  const Counted never_stopped;
  const Solution whole = solve(never_stopped, options);
  const Snapshot before = first_part(options, 8);
  ASSERT_EQ(before->status, Status::interrupted);
  const Counted continued;
  const Solution solution = resumed(continued, options, before);
  expect_same_bits(solution, whole);
  // Twelve iterations, and the error estimate: neither pilot nor constants.
  EXPECT_EQ(*continued.asked,
            12 * 200 + solution.diagnostic_gradients - solution.constants.gradients);
}

// A pilot may spend a tenth of max_gradients. With a limit that just suffices for the run, a second
// pilot would end early and choose other functions.
TEST(AdaptiveIndices, ResumeTakesAnotherLimitOfGradients) {
  const Options options = adaptive_indices(20, 10);
  const Solution whole = solve(Counted{}, options);
  const Snapshot before = first_part(options, 8);
  for (const std::int64_t limit : {std::int64_t{20'000'000}, whole.gradients}) {
    Options changed = options;
    changed.max_gradients = limit;
    expect_same_bits(resumed(Counted{}, changed, before), whole);
  }
  Options poor = options;
  poor.max_gradients = whole.gradients - 1;
  const Solution stopped = resumed(Counted{}, poor, before);
  EXPECT_EQ(stopped.status, Status::out_of_gradients);
  EXPECT_EQ(stopped.history.size(), 19U);
  expect_same_bits(resumed(Counted{}, options, snapshot(stopped)), whole);
}

// Functions chosen by a pilot that did not end are not kept.
TEST(AdaptiveIndices, AnInterruptedPilotIsNotTheLastWord) {
  const Options options = adaptive_indices(20);
  const Solution whole = solve(Counted{}, options);
  for (const int count : {1, 2}) {
    const Snapshot before = stopped_in_the_pilot(options, count);
    EXPECT_EQ(before->status, Status::interrupted) << before->message;
    EXPECT_TRUE(before->history.empty());
    const Solution solution = resumed(Counted{}, options, before);
    EXPECT_EQ(solution.status, whole.status);
    EXPECT_EQ(solution.expansion.coefficients(), whole.expansion.coefficients());
    EXPECT_EQ(solution.expansion.basis().indices().indices(),
              whole.expansion.basis().indices().indices());
  }
}

}  // namespace
}  // namespace chaosgrad
