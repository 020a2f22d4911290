// Condition numbers, predicted cost and the bounds of given runs.
#include "paper/theory.h"
#include "paper/theory_report.h"

#include <gtest/gtest.h>

#include "chaosgrad/chaosgrad.h"
#include "solution/check.h"
#include "support/paper_problem.h"
#include "support/theory_problems.h"
#include "solve/run.h"

namespace chaosgrad {
using namespace internal;
namespace {

using testing::PaperProblem;
using testing::Sample;
using testing::TheoryProblem;

// The truncation errors that the paper gives: R²_26 of one component, and 2 R²_91.
TEST(Condition, RemaindersOfThePapersOptimum) {
  const auto curve = reference_remainders(PaperProblem{}, {}, 120);
  ASSERT_TRUE(curve);
  ASSERT_EQ(curve->squared.size(), 121U);
  EXPECT_NEAR(curve->squared[26] / 2, 1.6e-5, 0.1e-5);  // 1.68e-5, cut to two digits
  EXPECT_NEAR(curve->squared[91], 7.1e-7, 0.05e-7);
  EXPECT_EQ(curve->start_squared, curve->squared[0]);  // from zero
  for (const double epsilon : {1.0, 0.1, 0.01, 1e-3}) {
    const auto m = curve->condition(epsilon);
    ASSERT_TRUE(m);
    EXPECT_LT(curve->squared[static_cast<std::size_t>(*m)], epsilon * epsilon);
    const auto before = static_cast<std::size_t>(std::max<Index>(1, *m)) - 1;
    EXPECT_TRUE(*m == 0 || curve->squared[before] >= epsilon * epsilon);
  }
  EXPECT_FALSE(curve->condition(1e-6));
}

TEST(Condition, ASolutionKnowsItsOwnRemainders) {
  Options options;
  options.method = Method::agd;
  options.gradient = GradientRule::quadrature;
  options.iterations = 400;
  const Solution solution = solve(PaperProblem{}, options);
  const RemainderCurve own = solution_remainders(solution.expansion, Vector::Zero(2));
  const auto exact = reference_remainders(PaperProblem{}, {}, 100);
  EXPECT_FALSE(own.exact);
  EXPECT_EQ(own.squared.back(), 0);
  for (std::size_t m = 0; m < 10; ++m) {
    // What it lacks is the remainder beyond its basis, but for the error of the coefficients.
    const double beyond = exact->squared[own.squared.size() - 1];
    EXPECT_NEAR(own.squared[m], exact->squared[m] - beyond, 1e-2 * exact->squared[m]);
  }
}

// x ↦ ½ h(θ) x² with h = 2 + cos θ: on constants the curvature is its mean, and with more functions
// it approaches [1, 3], in the eigenvalues 2 + cos(jπ/(m + 1)) of a tridiagonal matrix for the span
// of the cosines.
TEST(Condition, CurvatureOfALevelLiesBetweenMuAndL) {
  TheoryProblem problem{.name = "scalar", .constants = {1, 3, 0, 1}};
  problem.optimum = [](double) { return Vector(Vector::Zero(1)); };
  problem.mean_gradient = [](const Vector& x, double theta) {
    return Vector((2 + std::cos(theta)) * x);
  };
  const Basis basis({Family(problem.distribution, problem.kind)}, IndexSet::first(1, 21));
  double before = 1;
  for (const Index m : {1, 3, 9, 21}) {
    const auto curvature = level_curvature(problem, basis, m);
    ASSERT_TRUE(curvature);
    const auto frequencies = static_cast<double>(m / 2);
    // The even functions 1, √2 cos θ, … see the Jacobi matrix of the Chebyshev polynomials.
    const double extreme = std::cos(std::numbers::pi / (2 * (frequencies + 1)));
    EXPECT_NEAR(curvature->mu, 2 - extreme, 1e-6) << m;
    EXPECT_NEAR(curvature->L, 2 + extreme, 1e-6) << m;
    EXPECT_GE(curvature->kappa() * (1 + 1e-9), before);
    before = curvature->kappa();
  }
  const auto paper = level_curvature(PaperProblem{}, basis, 5);
  EXPECT_NEAR(paper->kappa(), 200, 1e-3);
}

TEST(Steps, LargestSteps) {
  const TheoryConstants constants{1, 200, 0, 1};
  const LargestSteps exact = largest_steps(constants, {});
  EXPECT_DOUBLE_EQ(exact.gd, 2.0 / 201);
  EXPECT_DOUBLE_EQ(exact.agd_proved, 1.0 / 200);
  const SampledLevel level{19, 500};
  EXPECT_DOUBLE_EQ(largest_steps(constants, level).gd, 2.0 / 201 / (1 + 38.0 / 500));
  const double alpha = largest_steps(constants, level).agd_proved;
  EXPECT_LE(accelerated_contraction(constants, level, alpha, 0).rate, 1 - std::sqrt(alpha) / 3);
  EXPECT_GT(alpha, 100 * largest_steps(constants, level).agd_paper);
}

// The predicted run, by the bounds it was solved from; and one run of the predicted size.
TEST(Cost, ThePredictionMeetsTheTolerance) {
  TheoryProblem problem = testing::random_quadratic(3, 4, 0.6);
  problem.add_noise(0.2, 0.2);
  const TheoryConstants& constants = problem.constants;
  const auto curve = reference_remainders(problem, {}, 60);
  const Basis basis({Family(problem.distribution, problem.kind)}, IndexSet::first(1, 60));
  const auto Q = [&](Index m) { return basis.Q(m); };
  for (const double tolerance : {0.5, 0.1, 0.01}) {
    for (const Method method : {Method::gd, Method::agd}) {
      const auto cost = predict_cost(method, constants, *curve, Q, tolerance);
      ASSERT_TRUE(cost);
      const double R2 = curve->squared[static_cast<std::size_t>(cost->m)];
      const double truncation = (1 + remainder_factors(constants.kappa()).sharp) * R2;
      EXPECT_LE(truncation, tolerance * tolerance / 4);
      const SampledLevel level{Q(cost->m), cost->M};
      const double C = noise_floor(constants, level, constants.L * constants.L * R2);
      const double start = std::pow(std::sqrt(curve->start_squared) + std::sqrt(truncation), 2);
      const double bound =
          method == Method::gd
              ? fixed_level_bound(constants, largest_steps(constants, level).gd, C, start,
                                  cost->iterations)
              : accelerated_bound(constants, level, 1 / constants.L, C, start, cost->iterations)
                    .value();
      EXPECT_LE(bound, tolerance * tolerance / 4 * (1 + 1e-9)) << to_string(method);
      EXPECT_DOUBLE_EQ(cost->gradients, cost->iterations * cost->M);
      if (tolerance < 0.1) continue;
      Options options;
      options.method = method;
      options.iterations = static_cast<Index>(cost->iterations);
      options.basis_size = static_cast<double>(cost->m);
      options.samples = cost->M;
      EXPECT_LE(*run(problem, options).history.back().true_error, tolerance);
    }
  }
  EXPECT_FALSE(predict_cost(Method::gd, constants, {.squared = {1, 0.5}}, Q, 0.01));
  EXPECT_FALSE(predict_cost(Method::nested, constants, *curve, Q, 0.5));
}

// Mean over 200 runs of error_squared against the bound of the same options (the bound does not
// depend on the seed). Returns the largest measured/bound.
double check_run_bounds(const TheoryProblem& problem, Options options) {
  options.threads = 1;
  std::vector<Sample> samples(static_cast<std::size_t>(options.iterations));
  std::vector<std::optional<double>> bounds;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    options.seed = seed;
    const Run result = run(problem, options);
    for (std::size_t k = 0; k < samples.size(); ++k) {
      samples[k].add(*result.history[k].error_squared);
    }
    if (seed == 1) bounds = run_bounds(problem, options, result.constants, result.history);
    if (options.gradient == GradientRule::quadrature && seed == 2) break;
  }
  double tightness = 0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    EXPECT_TRUE(bounds[k]) << problem.name << " " << to_string(options.method) << " " << k + 1;
    if (!bounds[k]) return 0;
    EXPECT_LE(samples[k].mean(), *bounds[k] * (1 + 1e-9) + 4 * samples[k].error())
        << problem.name << " " << to_string(options.method) << " k = " << k + 1;
    tightness = std::max(tightness, samples[k].mean() / *bounds[k]);
  }
  return tightness;
}

std::vector<TheoryProblem> run_problems() {
  std::vector<TheoryProblem> problems = {testing::random_quadratic(1, 4, 0),
                                         testing::random_quadratic(2, 4, 0.7), testing::logistic(),
                                         testing::expectile()};
  // Hermite polynomials, hence Christoffel sampling: m takes the place of Q_m = ∞.
  problems.push_back({.name = "hermite", .constants = {1, 2, 0, 1}});
  problems.back().distribution = Normal{0, 1};
  problems.back().kind = Family::Kind::polynomial;
  problems.back().optimum = [](double theta) {
    return Vector(Vector::Constant(1, std::exp(theta / 2)));
  };
  problems.back().mean_gradient = [](const Vector& x, double theta) {
    return Vector((1.5 + 0.5 * std::sin(theta)) * (x.array() - std::exp(theta / 2)).matrix());
  };
  for (const std::size_t i : {0U, 1U, 2U, 4U}) problems[i].add_noise(0.2, 0.3);
  return problems;
}

// Largest measured/bound over k and the problems: 0.86 for gd, and
// 0.12 for the accelerated method, whose bound starts at κ + 1 times the distance.
TEST(RunBounds, HoldForEveryIterationWhileTheLevelGrows) {
  double gd = 0, agd = 0;
  for (const TheoryProblem& problem : run_problems()) {
    Options options;
    options.iterations = 40;
    options.basis_size = "2 + k/8";
    options.samples = 30.0;
    options.method = Method::gd;
    gd = std::max(gd, check_run_bounds(problem, options));
    options.method = Method::uqsa;
    options.step = "1/(mu + L)/(1 + 2*VG*Q/M)/(1 + k/20)";
    check_run_bounds(problem, options);
    options.step.reset();
    options.iterations = 16;
    options.basis_size = "2 + k/8";
    options.samples = 250.0;
    options.method = Method::agd;
    agd = std::max(agd, check_run_bounds(problem, options));
    options.method = Method::masg;
    check_run_bounds(problem, options);
    options.method = Method::agd;
    options.step = "1/L/(1 + k/10)";  // Λ changes with the step
    check_run_bounds(problem, options);
  }
  RecordProperty("tightness_gd", std::to_string(gd));
  RecordProperty("tightness_agd", std::to_string(agd));
  EXPECT_GT(gd, 0.25);
}

TEST(RunBounds, HoldForExactGradientsAndStages) {
  TheoryProblem problem = testing::random_quadratic(2, 4, 0.7);
  Options options;
  options.iterations = 60;
  options.basis_size = "2 + k/5";
  options.gradient = GradientRule::quadrature;
  for (const Method method : {Method::gd, Method::agd, Method::masg, Method::uqsa}) {
    options.method = method;
    check_run_bounds(problem, options);
  }
  // Down to rounding: the bound stops where the iterates do.
  problem = testing::random_quadratic(1, 1, 0);
  options.basis_size = 17.0;
  options.iterations = 200;
  options.method = Method::gd;
  check_run_bounds(problem, options);
}

TEST(RunBounds, AreEmptyWhereNoStatementApplies) {
  const auto given = [](const auto& problem, auto change) {
    Options options;
    options.method = Method::gd;
    options.iterations = 20;
    change(options);
    const auto result = run(problem, options);
    Index count = 0;
    for (const auto& bound : run_bounds(problem, options, result.constants, result.history))
      count += bound ? 1 : 0;
    return count;
  };
  const PaperProblem paper;
  EXPECT_EQ(given(paper, [](Options&) {}), 20);
  EXPECT_EQ(given(paper, [](Options& o) { o.gradient = GradientRule::sobol; }), 0);
  EXPECT_EQ(given(paper, [](Options& o) { o.method = Method::nested; }), 0);
  EXPECT_EQ(given(paper, [](Options& o) { o.method = Method::agd; }),
            0);  // rate above 1 at M = 500
  EXPECT_EQ(given(paper,
                  [](Options& o) {
                    o.method = Method::agd;
                    o.gradient = GradientRule::quadrature;
                  }),
            20);
  EXPECT_EQ(given(paper,
                  [](Options& o) {
                    o.method = Method::agd;
                    o.gradient = GradientRule::quadrature;
                    o.momentum = 0.5;
                  }),
            0);
  // Too long from iteration 11 on.
  EXPECT_EQ(given(paper,
                  [](Options& o) {
                    o.guard = false;
                    o.basis_size = 5.0;
                    o.step = "2/(mu + L)*if(k > 10, 1, 0.9)";
                  }),
            10);
  const PerSampleProblem unknown(
      1, Measure({Distribution(Uniform{-1, 1})}), 0,
      [](const Vector& x, const Vector& theta, const Vector&) { return Vector(x - theta); });
  EXPECT_EQ(given(unknown, [](Options&) {}), 0);
}

TEST(Report, LevelsAndTolerances) {
  const PaperProblem problem;
  const ProblemConstants constants = estimate_constants(problem, 1);
  const TheoryReport report = theory_report(problem, {}, constants);
  ASSERT_EQ(report.levels.size(), 5U);
  EXPECT_EQ(report.levels.front().m, 5);
  EXPECT_EQ(report.levels.back().m, 19);
  EXPECT_NEAR(report.levels.back().noise_growth, 1 + 2 * 19.0 / 500, 1e-9);
  ASSERT_EQ(report.tolerances.size(), 3U);
  EXPECT_LT(report.tolerances[0].condition, report.tolerances[1].condition);
  ASSERT_TRUE(report.tolerances[0].gd && report.tolerances[0].agd);
  EXPECT_LT(report.tolerances[0].agd->iterations, report.tolerances[0].gd->iterations);
}

}  // namespace
}  // namespace chaosgrad
