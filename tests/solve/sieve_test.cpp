// The pure functions of the sieve against closed forms.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <set>

#include "chaosgrad/chaosgrad.h"
#include "curvature/curvature.h"
#include "random/random.h"
#include "solve/sieve/error.h"
#include "solve/sieve/growth.h"
#include "solve/sieve/state.h"
#include "solve/sieve/step.h"

namespace chaosgrad {
using namespace internal;
namespace {

using Result = chaosgrad::Run;  // testing::Test has a Run of its own

const SieveTuning tuning;

Coefficients row(std::initializer_list<double> values) {
  Coefficients u(static_cast<Index>(values.size()), 1);
  Index i = 0;
  for (const double value : values) u(i++, 0) = value;
  return u;
}

// One uniform parameter, one component, the first m functions.
SieveState state_of(const Coefficients& u) {
  const Index m = u.rows();
  const std::vector<Family> families{Family(Distribution(Uniform{-1, 1}))};
  const Coefficients zero = Coefficients::Zero(m, 1);
  return {.basis = Basis(families, IndexSet::first(1, m)),
          .u = u,
          .replicates = std::vector<Coefficients>(sieve_groups, u),
          .averaged = Vector::Zero(m),
          .last_step = zero,
          .path = zero,
          .path_variances = zero};
}

// Half of the groups see `step` + `scatter`, half `step` − `scatter`.
SieveBatch batch_of(const Coefficients& step, const Coefficients& scatter, Index samples) {
  SieveBatch batch;
  batch.effective = static_cast<double>(samples);
  batch.samples = samples;
  for (std::size_t g = 0; g < sieve_groups; ++g)
    batch.groups[g] = g % 2 == 0 ? Coefficients(step + scatter) : Coefficients(step - scatter);
  batch.beyond = Coefficients::Zero(0, 1);
  batch.noise = scatter.rowwise().squaredNorm() / (sieve_groups - 1);
  batch.probed = Coefficients::Zero(2, 1);
  batch.probe_noise = Vector::Zero(2);
  return batch;
}

TEST(SieveConstants, EveryConstantIsVisitedOnce) {
  SieveTuning visited;
  std::set<std::string> names;
  std::size_t bytes = 0;
  visit(visited, [&](const char* name, const auto& value) {
    EXPECT_TRUE(names.insert(name).second) << name;
    bytes += sizeof(value);
  });
  EXPECT_EQ(bytes, sizeof(SieveTuning));
}

TEST(SieveErrors, SamplingFactorIsAQuantileOfChiSquared) {
  for (const Index count : {7, 70}) {
    const double k = static_cast<double>(count) * 9 / 7;  // 1 + 2/(8 groups − 1)
    const double exact = boost::math::quantile(boost::math::chi_squared(k), 0.95) / k;
    EXPECT_NEAR(chi_squared_factor(Coefficients::Constant(count, 1, 0.3), 0.95), exact,
                2e-3 * exact);
  }
}

TEST(SieveErrors, PartsAreThoseOfTheClosedForm) {
  SieveState state = state_of(row({1, 2}));
  const Coefficients off = row({0.125, 0.25});
  for (std::size_t g = 0; g < sieve_groups; ++g) state.replicates[g] += (g % 2 == 0 ? 1 : -1) * off;
  SieveBatch batch = batch_of(row({0, 0}), row({0, 0}), 1024);
  batch.beyond = row({0.3, 0.4});
  batch.noise = Vector{{0, 0, 0.01, 0.02}};
  state.stage = tuning.least_stages;
  const StepReport step{.optimisation = 0.5, .drifting = false};
  const SieveError error = measure_error(batch, state, step, 0.95, tuning);
  EXPECT_DOUBLE_EQ(error.sampling, 0.078125 * 8 / (8 * 7));
  EXPECT_DOUBLE_EQ(error.basis, 0.25 - 0.03);
  EXPECT_DOUBLE_EQ(error.optimisation, 0.5);
  const double margin = normal_quantile(0.95) * std::sqrt(2 * 5e-4 + 4 * 0.22 * 0.02);
  EXPECT_DOUBLE_EQ(error.upper,
                   std::sqrt(error.sampling_factor * error.sampling + 0.22 + margin + 0.5));
  EXPECT_GT(error.sampling_factor, 1);

  // Too early to tell, or still on the way.
  state.stage = tuning.least_stages - 1;
  EXPECT_EQ(measure_error(batch, state, step, 0.95, tuning).upper, infinity);
  state.stage = tuning.least_stages;
  const StepReport drifting{.optimisation = 0.5, .drifting = true, .drift = 4};
  EXPECT_DOUBLE_EQ(measure_error(batch, state, drifting, 0.95, tuning).upper,
                   std::sqrt(error.upper * error.upper + 4));
  // A test that saw more noise than the scatter shows, and an error that nothing explains.
  state.doubt = 3;
  state.error.hidden = 0.7;
  const SieveError doubted = measure_error(batch, state, step, 0.95, tuning);
  EXPECT_DOUBLE_EQ(doubted.sampling_factor, 3 * error.sampling_factor);
  EXPECT_DOUBLE_EQ(doubted.squared(), error.sampling + 0.7 + 0.5);
}

TEST(SieveErrors, TheProbeCountsOnlyWhatTheBasisDoesNotHold) {
  SieveBatch batch = batch_of(row({0.3}), row({0}), 1024);
  batch.probed = row({0.5, 0});
  EXPECT_DOUBLE_EQ(probed_error(batch, 0.95), 0.25 - 0.09);
  batch.probe_noise = Vector{{0.2, 0.2}};  // Σ = 0.4 > 0.25: nothing but noise
  EXPECT_EQ(probed_error(batch, 0.95), 0);
  batch.probed = row({0.2, 0});
  batch.probe_noise.setZero();
  EXPECT_EQ(probed_error(batch, 0.95), 0);  // 0.04 < 0.09
  batch.probed.resize(0, 1);
  batch.probe_noise.resize(0);
  EXPECT_EQ(probed_error(batch, 0.95), 0);
}

TEST(SieveErrors, VerdictsFollowTheLimit) {
  SieveError error;
  EXPECT_EQ(judge(error, 1, 10, tuning), SieveVerdict::go_on);
  EXPECT_EQ(judge(error, 1, tuning.most_stages, tuning), SieveVerdict::stalled);
  error.upper = 1;
  EXPECT_EQ(judge(error, 1, tuning.most_stages, tuning), SieveVerdict::converged);
  EXPECT_EQ(judge(error, 0.99, 10, tuning), SieveVerdict::go_on);
}

// Full averages: after stages with Δ = u − y_k of n samples each, u is the mean of the y_k.
TEST(SieveStep, CoefficientsAreAveragesOfAllSamples) {
  SieveState state = state_of(row({5, -3}));
  const Coefficients wide = row({10, 10});  // noise that no step stands above
  Coefficients mean = row({0, 0});
  Matrix y(6, 2);
  fill_uniform(make_stream(1, Purpose::test), 0, y);
  for (Index k = 0; k < y.rows(); ++k) {
    const Coefficients seen = y.row(k).transpose();
    mean += seen / static_cast<double>(y.rows());
    const StepReport step = take_step(batch_of(state.u - seen, wide, 1024), tuning, state);
    EXPECT_EQ(step.optimisation, 0);
    EXPECT_FALSE(step.drifting);
  }
  EXPECT_LT((state.u - mean).norm(), 1e-14);
  EXPECT_EQ(state.averaged(0), 6 * 1024);
  Coefficients replicates = row({0, 0});
  for (const Coefficients& replicate : state.replicates) replicates += replicate / sieve_groups;
  EXPECT_LT((replicates - state.u).norm(), 1e-13);
}

TEST(SieveStep, WhatStandsAboveItsNoiseAndGoesOnIsNotAveraged) {
  SieveState state = state_of(row({0}));
  state.averaged(0) = 1024;
  state.last_step = row({1});
  // Noise 0.01²/7 of Δ = 1: N falls to next to nothing and the step is full.
  const StepReport step = take_step(batch_of(row({1}), row({0.01}), 1024), tuning, state);
  EXPECT_NEAR(state.u(0), -1, 1e-4);
  EXPECT_LT(step.optimisation, 1e-8);
  EXPECT_NEAR(state.averaged(0), 1024, 0.1);
}

TEST(SieveStep, DampingFollowsTheTurns) {
  const Coefficients before = row({1});
  EXPECT_EQ(adapted_damping(1, row({-0.5}), before, 1e-3, tuning), 0.5);
  EXPECT_EQ(adapted_damping(0.05, row({-0.5}), before, 1e-3, tuning), tuning.least_damping);
  EXPECT_EQ(adapted_damping(0.4, row({-0.2}), before, 1e-3, tuning), 0.4);
  EXPECT_DOUBLE_EQ(adapted_damping(0.4, row({0.5}), before, 1e-3, tuning), 0.6);
  EXPECT_DOUBLE_EQ(adapted_damping(0.4, row({-0.5}), before, 1, tuning), 0.6);  // noise
}

TEST(SieveStep, DriftIsThreeStandardDeviations) {
  const Coefficients path = row({1, 1}), variances = row({0.5, 0.5});
  const double deviation = std::sqrt(0.5);
  const auto along = [&](double size) {
    return moves_on(row({size / 2, size / 2}), variances, path, variances, tuning);
  };
  EXPECT_TRUE(along(3.01 * deviation));
  EXPECT_FALSE(along(2.99 * deviation));
  EXPECT_FALSE(along(-10));
}

TEST(SieveStep, AStepThatLedAstrayIsTakenBackByHalf) {
  SieveState state = state_of(row({4, 8}));
  state.stage = 3;
  state.last_step = row({3, 4});  // squared: 25
  state.error.sampling = 75;
  EXPECT_FALSE(overshoots(row({41, 0}), state, tuning));  // nothing to go back to
  state.inside = row({0, 0});
  EXPECT_FALSE(overshoots(row({41, 0}), state, tuning));  // new functions do not count
  state.averaged.setConstant(100);
  EXPECT_FALSE(overshoots(row({39, 0}), state, tuning));  // 16 · 100 = 40²
  EXPECT_TRUE(overshoots(row({41, 0}), state, tuning));
  state.replicates[2] = row({5, 9});
  halve_step(tuning, state);
  EXPECT_EQ(state.u, row({2, 4}));
  EXPECT_EQ(state.replicates[2], row({3, 5}));  // its distance to the mean stays
  EXPECT_EQ(state.damping, 0.5);
  EXPECT_EQ(state.halvings, 1);
  state.halvings = tuning.most_returns;
  EXPECT_FALSE(overshoots(row({41, 0}), state, tuning));
}

TEST(SieveBudget, BatchesAreHalfOfTheRunOrWhatIsMissing) {
  SieveState state = state_of(row({1}));
  const GradientBudget budget{.spent = 64 * sieve_chunk, .most = 1000 * sieve_chunk};
  EXPECT_EQ(next_batch(state, 1, budget, tuning), 32 * sieve_chunk);
  // Sampling error 1.25 times too large: a quarter more samples of 80 chunks, and 5 %.
  state.averaged(0) = static_cast<double>(80 * sieve_chunk);
  state.error = {.sampling = 1.25, .upper = 2};
  EXPECT_EQ(next_batch(state, 1, budget, tuning), 21 * sieve_chunk);
  state.error.sampling = 1.01;
  EXPECT_EQ(next_batch(state, 1, budget, tuning), 8 * sieve_chunk);  // the smallest batch
  state.error.sampling = 10;
  EXPECT_EQ(next_batch(state, 1, budget, tuning), 32 * sieve_chunk);
  state.error.sampling = 1.01;
  state.error.drifting = true;  // nobody knows what is missing
  EXPECT_EQ(next_batch(state, 1, budget, tuning), 32 * sieve_chunk);
  state.error.drifting = false;
  state.error.sampling = 10;
  // What is left of the budget, unless that is too little to be of use.
  EXPECT_EQ(next_batch(state, 1, {budget.spent, 70 * sieve_chunk}, tuning), 6 * sieve_chunk);
  EXPECT_EQ(next_batch(state, 1, {budget.spent, 66 * sieve_chunk}, tuning), 32 * sieve_chunk);
}

TEST(SieveBudget, MetricAndTest) {
  SieveState state = state_of(row({1}));
  EXPECT_TRUE(metric_is_due(state, 0, tuning));
  state.stage = 3;
  state.metric_made_at = 1000;
  EXPECT_FALSE(metric_is_due(state, 3999, tuning));
  EXPECT_TRUE(metric_is_due(state, 4000, tuning));
  state.concave = "its curvature is -1";
  EXPECT_TRUE(metric_is_due(state, 3999, tuning));
  EXPECT_TRUE(test_is_due(state, 1000, tuning));  // the first
  state.tested_at = 1000;
  EXPECT_FALSE(test_is_due(state, 1499, tuning));
  EXPECT_TRUE(test_is_due(state, 1500, tuning));
}

TEST(SieveGrowth, AddsWhatStandsClearWhileTheBasisLimitsTheError) {
  SieveState state = state_of(row({1, 1}));
  const Basis wide = with_candidates(state, tuning);
  ASSERT_EQ(wide.size(), 4);
  SieveBatch batch = batch_of(row({0, 0}), row({0, 0}), 1024);
  batch.beyond = row({0.001, 0.5});
  batch.noise = Vector{{0, 0, 1e-3, 1e-3}};
  const SieveError error{.sampling = 0.01, .basis = 0.25};
  const std::vector<MultiIndex> added = functions_to_add(wide, batch, error, 0.1, tuning);
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(added[0], MultiIndex{3});
  EXPECT_TRUE(functions_to_add(wide, batch, error, 2, tuning).empty());  // within a loose tolerance
  EXPECT_TRUE(functions_to_add(wide, batch, {.sampling = 1, .basis = 0.25}, 0.1, tuning).empty());

  extend(added, state);  // and the function of degree 2, without which the set has a gap
  EXPECT_EQ(state.basis.size(), 4);
  EXPECT_EQ(state.u, row({1, 1, 0, 0}));
  EXPECT_EQ(state.averaged.size(), 4);
  EXPECT_EQ(state.replicates.back(), state.u);
}

TEST(SieveSaved, ComesBackToTheBit) {
  Result run{.basis = state_of(row({0})).basis, .u = row({0})};
  SieveState state = state_of(row({1, 2, 3}));
  state.stage = 7;
  state.averaged = Vector{{3, 2, 1}};
  state.replicates[3](1, 0) = 1.0 / 3;
  state.path = row({0.1, 0.2, 0.3});
  state.damping = 0.7;
  state.smallest_step = 1e-3;
  state.metric = LocalMetric(decompose(Matrix::Identity(1, 1)));
  state.metric_made_at = 12345;
  state.lowest_slack = 0.25;
  state.highest_slack = 0.5;
  state.concave = "its curvature is -1";
  state.inside = row({4, 5, 6});
  state.halvings = 2;
  state.looks = 3;
  state.tested_at = 77;
  state.doubt = 1.5;
  state.vain_tests = 1;
  state.error = {.sampling = 0.1,
                 .basis = 0.2,
                 .optimisation = 0.3,
                 .sampling_factor = 1.4,
                 .upper = 0.9,
                 .hidden = 0.15,
                 .drifting = true,
                 .variances = row({0.01, 0.02})};
  run.gradients = 99;
  run.test_gradients = 55;
  save(state, run);
  EXPECT_EQ(run.u, state.u);

  Result again{.basis = state_of(row({0})).basis, .u = row({0})};
  const SieveState back =
      restore_state(as_solution(Measure({Distribution(Uniform{-1, 1})}), {}, run), again);
  EXPECT_EQ(again.gradients, 99);
  EXPECT_EQ(again.test_gradients, 55);
  EXPECT_EQ(back.lowest_slack, state.lowest_slack);
  EXPECT_EQ(back.highest_slack, state.highest_slack);
  EXPECT_EQ(back.concave, state.concave);
  EXPECT_EQ(back.inside, state.inside);
  EXPECT_EQ(back.halvings, state.halvings);
  EXPECT_EQ(back.looks, state.looks);
  EXPECT_EQ(back.tested_at, state.tested_at);
  EXPECT_EQ(back.doubt, state.doubt);
  EXPECT_EQ(back.vain_tests, state.vain_tests);
  EXPECT_EQ(back.error.hidden, state.error.hidden);
  EXPECT_EQ(back.error.drifting, state.error.drifting);
  EXPECT_EQ(back.stage, 7);
  EXPECT_EQ(back.basis.size(), 3);
  EXPECT_EQ(back.u, state.u);
  EXPECT_EQ(back.replicates, state.replicates);
  EXPECT_EQ(back.averaged, state.averaged);
  EXPECT_EQ(back.path, state.path);
  EXPECT_EQ(back.damping, state.damping);
  EXPECT_EQ(back.smallest_step, state.smallest_step);
  EXPECT_EQ(back.metric_made_at, state.metric_made_at);
  EXPECT_EQ(back.metric->mean().eigenvalues, state.metric->mean().eigenvalues);
  EXPECT_EQ(back.error.squared(), state.error.squared());
  EXPECT_EQ(back.error.sampling_factor, state.error.sampling_factor);
  EXPECT_EQ(back.error.upper, state.error.upper);
  EXPECT_EQ(back.error.variances, state.error.variances);
}

}  // namespace
}  // namespace chaosgrad
