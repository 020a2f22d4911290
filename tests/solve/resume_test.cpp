// A run that is stopped and gone on with ends in the same bits as one that never stopped. Here:
// with other limits, and what each method has to remember; contract_test.cpp has the rest.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "chaosgrad/chaosgrad.h"
#include "chaosgrad/error.h"
#include "support/paper_problem.h"

namespace chaosgrad {
using namespace internal;
namespace {

using testing::PaperProblem;
using Result = Solution;

Options agd() {
  Options options;
  options.method = Method::agd;
  return options;
}

// Curvature 1 + θ² with θ normal has no largest value: an L estimated from samples is too small for
// the rest, and is raised on the way.
auto unbounded_curvature() {
  return PerSampleProblem(1, Measure({Distribution(Normal{0, 2})}), 0,
                          [](const Vector& x, const Vector& theta, const Vector&) {
                            return Vector((1 + theta(0) * theta(0)) * (x - theta));
                          });
}

void expect_same_bits(const Result& a, const Result& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.expansion.coefficients(), b.expansion.coefficients());
  EXPECT_EQ(a.gradients, b.gradients);
  EXPECT_EQ(a.constants.L.value, b.constants.L.value);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.expansion.basis().indices().indices(), b.expansion.basis().indices().indices());
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t i = 0; i < a.history.size(); ++i) {
    const IterationRecord &x = a.history[i], &y = b.history[i];
    EXPECT_EQ(std::tuple(x.k, x.basis_size, x.samples, x.step, x.gradients, x.gradient_norm,
                         x.error_squared, x.true_error),
              std::tuple(y.k, y.basis_size, y.samples, y.step, y.gradients, y.gradient_norm,
                         y.error_squared, y.true_error));
  }
  EXPECT_EQ(a.state.arrays, b.state.arrays);
  EXPECT_EQ(a.state.integers, b.state.integers);
  EXPECT_EQ(a.state.texts, b.state.texts);
}

// Stops after `stride` iterations, each session with another number of threads.
template <class P>
Result in_sessions(const P& problem, Options options, int stride) {
  for (int session = 0;; ++session) {
    const Index before =
        options.resume && !options.resume->history.empty() ? options.resume->history.back().k : 0;
    options.callback = [=](const Progress& progress) {
      return progress.iteration - before >= stride ? Action::stop : Action::go_on;
    };
    options.threads = 1 + session % 2;
    Result result = solve(problem, options);
    if (result.status != Status::interrupted) return result;
    if (session > 1000) throw std::runtime_error("the sessions make no progress");
    options.resume = std::make_shared<Result>(std::move(result));
  }
}

TEST(Resume, EveryGradientRuleEndsInTheSameBits) {
  for (const GradientRule rule : {GradientRule::quadrature, GradientRule::sobol}) {
    Options options = agd();
    options.gradient = rule;
    options.iterations = 30;
    expect_same_bits(in_sessions(PaperProblem{}, options, 4), solve(PaperProblem{}, options));
  }
  Options options = agd();
  options.sampling = Sampling::christoffel;
  options.iterations = 30;
  expect_same_bits(in_sessions(PaperProblem{}, options, 4), solve(PaperProblem{}, options));
}

// The step of the second run does not know L, the guard does.
TEST(Resume, RaisedConstantsAndTheGuardAreKept) {
  const auto problem = unbounded_curvature();
  Options options = agd();
  options.gradient = GradientRule::quadrature;
  options.basis_size = 20.0;
  options.iterations = 60;
  const Result whole = solve(problem, options);
  ASSERT_FALSE(whole.notes.empty());
  EXPECT_NE(whole.notes.front().find("raised"), std::string::npos);
  expect_same_bits(in_sessions(problem, options, 3), whole);
  options.step = "0.1";
  expect_same_bits(in_sessions(problem, options, 3), solve(problem, options));
}

// Collocation, stopped every stage or two (a stage may ask twice whether to go on); and a converged
// run asked for more.
TEST(Resume, TheAdaptiveMethodEndsInTheSameBits) {
  Options options;
  options.tolerance = 0.02;
  const Result whole = solve(PaperProblem{}, options);
  EXPECT_EQ(whole.status, Status::converged);
  ASSERT_GT(whole.history.size(), 4U);
  for (const int stride : {2, 3})
    expect_same_bits(in_sessions(PaperProblem{}, options, stride), whole);

  // Budgets that end before a stage, or within one.
  for (const std::int64_t short_of : {1, 5, 20}) {
    Options poor = options;
    poor.max_gradients = whole.gradients - short_of;
    const Result stopped = solve(PaperProblem{}, poor);
    EXPECT_EQ(stopped.status, Status::out_of_gradients);
    EXPECT_LE(stopped.gradients, poor.max_gradients);
    Options richer = options;
    richer.resume = std::make_shared<Result>(stopped);
    expect_same_bits(solve(PaperProblem{}, richer), whole);
  }

  options.resume = std::make_shared<Result>(whole);
  options.tolerance = 0.01;
  const Result tighter = solve(PaperProblem{}, options);
  EXPECT_EQ(tighter.status, Status::converged);
  EXPECT_LE(*tighter.error.estimate, 0.01);
  EXPECT_GT(tighter.gradients, whole.gradients);
}

// The sieve, stopped every stage or two, its replicates included; and a converged run asked for
// more.
TEST(Resume, TheNoisyAdaptiveMethodEndsInTheSameBits) {
  const PerSampleProblem problem(
      2, Measure({Distribution(Uniform{-1, 1})}), 1,
      [](const Vector& x, const Vector& theta, const Vector& noise) {
        return Vector{{(2 + theta(0)) * (x(0) - std::sin(theta(0))) + noise(0) - 0.5,
                       x(1) - theta(0) * theta(0) + 0.5 - noise(0)}};
      });
  Options options;
  options.tolerance = 0.005;
  const Result whole = solve(problem, options);
  EXPECT_EQ(whole.status, Status::converged);
  ASSERT_GT(whole.history.size(), 4U);
  for (const int stride : {3, 4}) {
    const Result sliced = in_sessions(problem, options, stride);
    expect_same_bits(sliced, whole);
    EXPECT_EQ(sliced.replicates, whole.replicates);
  }
  options.resume = std::make_shared<Result>(whole);
  options.tolerance = 0.003;
  const Result tighter = solve(problem, options);
  EXPECT_EQ(tighter.status, Status::converged);
  EXPECT_GT(tighter.gradients, whole.gradients);
}

// More iterations or gradients than first asked for: as if asked for from the start.
TEST(Resume, AFinishedRunCanBeGivenMore) {
  Options options = agd();
  options.iterations = 25;
  const Result first = solve(PaperProblem{}, options);
  options.iterations = 60;
  const Result whole = solve(PaperProblem{}, options);
  Options more = options;
  more.resume = std::make_shared<Result>(first);
  expect_same_bits(solve(PaperProblem{}, more), whole);

  Options poor = options;
  poor.max_gradients = 10'000;
  const Result stopped = solve(PaperProblem{}, poor);
  EXPECT_EQ(stopped.status, Status::out_of_gradients);
  more.resume = std::make_shared<Result>(stopped);
  expect_same_bits(solve(PaperProblem{}, more), whole);
}

TEST(Resume, SecondsAccumulateButALimitIsOfOneSession) {
  Options options = agd();
  options.iterations = 30;
  Result first = solve(PaperProblem{}, options);
  first.seconds = 5000;
  options.iterations = 60;
  options.resume = std::make_shared<Result>(first);
  const Result result = solve(PaperProblem{}, options);
  EXPECT_EQ(result.status, Status::completed);
  EXPECT_GT(result.seconds, 5000);
  EXPECT_GT(result.history.back().seconds, 5000);
}

TEST(Resume, WhatCannotChangeIsRefused) {
  const auto message = [](const PaperProblem& problem, const Options& options) -> std::string {
    try {
      static_cast<void>(solve(problem, options));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Options options = agd();
  options.iterations = 30;
  options.resume = std::make_shared<Result>(solve(PaperProblem{}, options));
  Options changed = options;
  changed.method = Method::gd;
  EXPECT_EQ(message({}, changed), "resume: the run was begun with method agd, not gd");
  changed = options;
  changed.iterations = 10;
  EXPECT_EQ(message({}, changed), "solve.iterations: must not be below the 30 that are done");
  changed = options;
  changed.basis_size = 2.0;
  EXPECT_EQ(message({}, changed), "resume: the run was begun with another basis");

  PaperProblem noisy;
  noisy.noisy = true;
  options = agd();
  options.method = Method::nested;
  options.iterations = 10;
  options.resume = std::make_shared<Result>(solve(noisy, options));
  options.iterations = 20;
  EXPECT_NE(message(noisy, options).find("averages the second half"), std::string::npos);
}

// Noise by a Gauss rule that a pilot chose: the rule is remembered, the pilot counts once.
TEST(Resume, KeepsTheRuleForTheNoise) {
  FormulaSpec text;
  text.parameters.push_back({.name = "t", .distribution = Distribution(Uniform{1, 2})});
  text.noise.push_back({"v", std::nullopt, "lognormal", {{"mu", {"t"}}, {"sigma", {"0.5"}}}});
  text.variables.push_back({.name = "x", .start = Vector::Ones(1)});
  text.objective = {"max(v - x, 0)^2 + x*log(1 + v)/5 + x^2/10"};
  const FormulaProblem problem(text);
  Options options;
  options.relative_tolerance = 1e-5;
  const Result whole = solve(problem, options);
  ASSERT_EQ(whole.status, Status::converged) << whole.message;
  EXPECT_EQ(whole.state.text("noise"), "gauss");
  ASSERT_GT(whole.history.size(), 2u);
  expect_same_bits(in_sessions(problem, options, 1), whole);
}

}  // namespace
}  // namespace chaosgrad
