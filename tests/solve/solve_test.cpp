// The paper's methods: against the closed-form recursion, and when things go wrong. What they share
// with the adaptive ones is in contract_test.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "chaosgrad/chaosgrad.h"
#include "estimate/reference.h"
#include "samples/sample_source.h"
#include "solve/descent/guard.h"
#include "solve/descent/step_policy.h"
#include "support/paper_problem.h"

namespace chaosgrad {
using namespace internal;
namespace {

using testing::PaperProblem;

const std::vector<Method> all_methods = {Method::gd, Method::agd, Method::masg, Method::uqsa,
                                         Method::nested};

// u* of the paper's problem, one coefficient per function, by the quadrature rule itself but
// written out as plain sums.
Vector rule_optimum(Index m, Index nodes) {
  const PaperProblem problem;
  const Quadrature rule =
      piecewise_rule(Family(Uniform{-std::numbers::pi, std::numbers::pi}, Family::Kind::fourier),
                     testing::paper_kinks, nodes);
  Vector u = Vector::Zero(m);
  for (Index j = 0; j < rule.nodes.size(); ++j) {
    const double theta = rule.nodes(j), weighted = rule.weights(j) * testing::paper_optimum(theta);
    for (Index i = 0; i < m; ++i) {
      const auto frequency = static_cast<double>((i + 1) / 2);
      u(i) +=
          weighted * (i == 0 ? 1
                             : std::numbers::sqrt2 * (i % 2 == 1 ? std::cos(frequency * theta)
                                                                 : std::sin(frequency * theta)));
    }
  }
  return u;
}

Index paper_level(Index k) {
  return static_cast<Index>(std::floor(std::sqrt(static_cast<double>(k) + 10) + 2));
}

Options quadrature_options(Method method) {
  Options options;
  options.method = method;
  options.gradient = GradientRule::quadrature;
  options.iterations = 300;
  return options;
}

// u ← u − γ λ (u − u*) for each component and function separately, functions entering at 0 when the
// level reaches them.
TEST(Descent, GradientDescentFollowsTheClosedForm) {
  const auto result = solve(PaperProblem{}, quadrature_options(Method::gd));
  const Vector star = rule_optimum(paper_level(300), 64);
  const double gamma = 2.0 / 201;
  Matrix u = Matrix::Zero(star.size(), 2);
  for (Index k = 1; k <= 300; ++k) {
    double error = 0;
    for (Index i = 0; i < paper_level(k); ++i) {
      u(i, 0) -= gamma * 1 * (u(i, 0) - star(i));
      u(i, 1) -= gamma * 200 * (u(i, 1) - star(i));
      error += std::pow(u(i, 0) - star(i), 2) + std::pow(u(i, 1) - star(i), 2);
    }
    const IterationRecord& record = result.history[static_cast<std::size_t>(k - 1)];
    ASSERT_EQ(record.basis_size, paper_level(k));
    ASSERT_NEAR(*record.error_squared, error, 1e-12) << k;
  }
  EXPECT_LT((result.expansion.coefficients() - u).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Descent, AcceleratedDescentFollowsTheClosedForm) {
  const auto result = solve(PaperProblem{}, quadrature_options(Method::agd));
  const Vector star = rule_optimum(paper_level(300), 64);
  const double alpha = 1.0 / 200, beta = (1 - std::sqrt(alpha)) / (1 + std::sqrt(alpha));
  Matrix u = Matrix::Zero(star.size(), 2), previous = u;
  for (Index k = 1; k <= 300; ++k) {
    double error = 0;
    for (Index i = 0; i < paper_level(k); ++i) {
      for (Index j = 0; j < 2; ++j) {
        const double lambda = j == 0 ? 1 : 200;
        const double y = (1 + beta) * u(i, j) - beta * previous(i, j);
        previous(i, j) = u(i, j);
        u(i, j) = y - alpha * lambda * (y - star(i));
        error += std::pow(u(i, j) - star(i), 2);
      }
    }
    ASSERT_NEAR(*result.history[static_cast<std::size_t>(k - 1)].error_squared, error, 1e-12) << k;
  }
  EXPECT_LT((result.expansion.coefficients() - u).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Descent, TrueErrorIsTheDistanceInFunctionSpace) {
  const auto result = solve(PaperProblem{}, quadrature_options(Method::gd));
  const Expansion expansion(PaperProblem{}.parameters(), result.expansion.basis(),
                            result.expansion.coefficients());
  const Quadrature rule =
      piecewise_rule(result.expansion.basis().families()[0], testing::paper_kinks, 200);
  double squared = 0;
  for (Index j = 0; j < rule.nodes.size(); ++j) {
    const Vector x = expansion(Vector::Constant(1, rule.nodes(j)));
    squared += rule.weights(j) * (x.array() - testing::paper_optimum(rule.nodes(j))).square().sum();
  }
  EXPECT_NEAR(*result.history.back().true_error, std::sqrt(squared), 1e-10);
}

class EveryMethod : public ::testing::TestWithParam<std::tuple<Method, bool>> {};

TEST_P(EveryMethod, ComesCloserThanTheStart) {
  const auto [method, noisy] = GetParam();
  Options options;
  options.method = method;
  options.iterations = 300;
  PaperProblem problem;
  problem.noisy = noisy;
  const Solution solution = solve(problem, options);
  EXPECT_EQ(solution.status, Status::completed);
  // ‖x*‖ = 0.437 at the start; uqsa with its decaying steps is the slowest.
  EXPECT_LT(*solution.true_error, 0.11);
  // The estimate is as good as its own samples: 4096 without noise; with noise its square has a
  // standard error of about σ²√(2m)/N, (1/3)·√38/65536·… ≈ 4e-5 here, against true squares from
  // 2e-4 on.
  EXPECT_NEAR(*solution.error.estimate, *solution.true_error,
              (noisy ? 0.35 : 0.1) * *solution.true_error);
  EXPECT_GE(*solution.error.bound, *solution.true_error);
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod,
                         ::testing::Combine(::testing::ValuesIn(all_methods), ::testing::Bool()),
                         [](const auto& test) {
                           return std::string(to_string(std::get<0>(test.param))) +
                                  (std::get<1>(test.param) ? "Noisy" : "");
                         });

TEST(Gradients, SobolAndQuadratureAgreeWithMonteCarloWithinItsNoise) {
  Options options;
  options.method = Method::gd;
  options.iterations = 100;
  options.basis_size = 9.0;
  options.step = 0.005;
  options.gradient = GradientRule::quadrature;
  const Coefficients exact = solve(PaperProblem{}, options).expansion.coefficients();
  options.gradient = GradientRule::sobol;
  options.samples = 4096.0;
  const Coefficients sobol_points = solve(PaperProblem{}, options).expansion.coefficients();
  options.gradient = GradientRule::monte_carlo;
  const Coefficients random_points = solve(PaperProblem{}, options).expansion.coefficients();
  const double sobol_error = (sobol_points - exact).norm(),
               random_error = (random_points - exact).norm();
  EXPECT_LT(sobol_error, 0.1 * random_error);
  EXPECT_LT(random_error, 0.02);
}

// The paper: without 1/C_G gradient descent blows up; the accelerated method diverges at m = 91, M
// = 250.
Options blow_up(Method method) {
  Options options;
  options.method = method;
  options.iterations = 600;
  options.basis_size = 91.0;
  options.samples = 250.0;
  if (method == Method::gd) options.step = "2/(mu + L)";
  return options;
}

TEST(Guard, DivergenceIsNoticedWithoutTheGuardAndPreventedWithIt) {
  for (const Method method : {Method::gd, Method::agd}) {
    Options options = blow_up(method);
    options.guard = false;
    const auto free = solve(PaperProblem{}, options);
    EXPECT_EQ(free.status, Status::diverged) << to_string(method);
    EXPECT_NE(free.message.find("iteration"), std::string::npos);
    EXPECT_TRUE(free.expansion.coefficients().allFinite());
    EXPECT_LT(free.expansion.coefficients().norm(), 10);
    options.guard = true;
    const auto guarded = solve(PaperProblem{}, options);
    EXPECT_EQ(guarded.status, Status::completed);
    EXPECT_LT(*guarded.history.back().true_error, 0.1);
    ASSERT_FALSE(guarded.notes.empty());
    EXPECT_NE(guarded.notes.back().find("guard"), std::string::npos);
  }
}

// Curvature 1 + θ² with θ normal has no largest value; what 24 samples show is too small for the
// rest.
TEST(Guard, AnEstimatedSmoothnessThatIsTooSmallIsRaised) {
  const PerSampleProblem problem(1, Measure({Distribution(Normal{0, 2})}), 0,
                                 [](const Vector& x, const Vector& theta, const Vector&) {
                                   return Vector((1 + theta(0) * theta(0)) * (x - theta));
                                 });
  Options options;
  options.method = Method::agd;
  options.gradient = GradientRule::quadrature;
  options.basis_size = 20.0;
  options.iterations = 2000;
  const auto guarded = solve(problem, options);
  ASSERT_EQ(guarded.status, Status::completed);
  EXPECT_NE(guarded.notes.back().find("raised"), std::string::npos);
  EXPECT_NEAR(guarded.expansion.coefficients()(1, 0), 2, 1e-3);  // x*(θ) = θ = 2 · He_1(θ/2)
  options.guard = false;
  EXPECT_EQ(solve(problem, options).status, Status::diverged);
}

TEST(Guard, LeavesThePapersStepsAlone) {
  Options options;
  options.method = Method::agd;
  options.samples = 500.0;
  const auto result = solve(PaperProblem{}, options);
  for (const IterationRecord& record : result.history) EXPECT_EQ(record.step, 1.0 / 200);
  EXPECT_TRUE(result.notes.empty());
}

// The second moments themselves, iterated.
TEST(Guard, SecondMomentRateIsTheGrowthOfTheIteratedMoments) {
  for (const double s : {0.0, 0.05, 0.36, 1.0}) {
    for (const double lambda : {1.0, 20.0, 200.0}) {
      const double alpha = 1.0 / 200, beta = 0.868;
      double a = 1, b = 1, c = 1, scale = 0;
      const int steps = 20000;
      for (int k = 0; k < steps; ++k) {
        const double y = (1 + beta) * (1 + beta) * a - 2 * beta * (1 + beta) * b + beta * beta * c;
        const double next = (std::pow(1 - alpha * lambda, 2) + s * std::pow(alpha * lambda, 2)) * y;
        const double cross = (1 - alpha * lambda) * ((1 + beta) * a - beta * b);
        c = a, a = next, b = cross;
        const double size = std::abs(a) + std::abs(b) + std::abs(c);
        if (size == 0) break;
        scale += std::log(size);
        a /= size, b /= size, c /= size;
      }
      if (scale == 0) continue;
      EXPECT_NEAR(second_moment_rate(alpha, beta, lambda, s), std::exp(scale / steps), 2e-3)
          << s << " " << lambda;
    }
  }
}

TEST(Multistage, StagesHaveTheirLengths) {
  const double kappa = 200;
  const auto first = static_cast<Index>(std::ceil(std::sqrt(kappa) * std::log(kappa)));
  const auto unit = static_cast<Index>(std::ceil(std::sqrt(kappa) * std::log(8.0)));
  EXPECT_EQ(stage_of(1, kappa).number, 1);
  EXPECT_TRUE(stage_of(1, kappa).first_iteration);
  EXPECT_EQ(stage_of(first, kappa).number, 1);
  EXPECT_EQ(stage_of(first + 1, kappa).number, 2);
  EXPECT_TRUE(stage_of(first + 1, kappa).first_iteration);
  EXPECT_EQ(stage_of(first + 4 * unit, kappa).number, 2);
  EXPECT_EQ(stage_of(first + 4 * unit + 1, kappa).number, 3);
  Options options;
  options.method = Method::masg;
  options.iterations = first + 4 * unit + 2;
  options.samples = 2000.0;
  const auto result = solve(PaperProblem{}, options);
  const auto step = [&](Index k) { return result.history[static_cast<std::size_t>(k - 1)].step; };
  EXPECT_DOUBLE_EQ(step(first), 1.0 / 200);
  EXPECT_DOUBLE_EQ(step(first + 1), 1.0 / 200 / 16);
  EXPECT_DOUBLE_EQ(step(first + 4 * unit + 1), 1.0 / 200 / 64);
}

TEST(StochasticApproximation, StepsDecayAndTheBallHolds) {
  Options options;
  options.method = Method::uqsa;
  options.step = "1/(100 + k)";
  options.guard = false;
  options.radius = 0.3;
  const auto result = solve(PaperProblem{}, options);
  EXPECT_DOUBLE_EQ(result.history[9].step, 1.0 / 110);
  EXPECT_LE(result.expansion.coefficients().norm(), 0.3 * (1 + 1e-12));
}

TEST(Nested, BothFitsAreMadeAndLeastSquaresIsFarBetter) {
  Options options;
  options.method = Method::nested;
  options.basis_size = 21.0;
  const Solution solution = solve(PaperProblem{}, options);
  ASSERT_TRUE(solution.fits);
  EXPECT_LT(*solution.fits->least_squares_error, 0.2 * *solution.fits->projection_error);
  EXPECT_EQ(*solution.true_error, *solution.fits->least_squares_error);
  options.fit = Fit::projection;
  EXPECT_EQ(*solve(PaperProblem{}, options).true_error, *solution.fits->projection_error);
}

// A budget that ends before the averaging begins: the last iterates are used, not the start.
TEST(Nested, AShortNoisyRunKeepsItsProgress) {
  PaperProblem problem;
  problem.noisy = true;
  Options options;
  options.method = Method::nested;
  options.samples = 50.0;
  options.max_gradients = 500 * 50 * 100;
  const Solution solution = solve(problem, options);
  EXPECT_EQ(solution.status, Status::out_of_gradients);
  EXPECT_LT(*solution.true_error, 0.2);
}

TEST(Stops, AGradientThatIsNotFiniteIsNamedWithItsPlace) {
  PerSampleProblem problem(1, Measure({Distribution(Uniform{0, 1})}), 0,
                           [](const Vector& x, const Vector& theta, const Vector&) {
                             return Vector::Constant(
                                 1, theta(0) > 0.99 ? std::log(-1.0) : x(0) - theta(0));
                           });
  problem.known.strong_convexity = 1;
  problem.known.smoothness = 1;
  const auto result = solve(problem, {});
  EXPECT_EQ(result.status, Status::bad_gradient);
  EXPECT_NE(result.message.find("theta = 0.99"), std::string::npos) << result.message;
  EXPECT_TRUE(result.expansion.coefficients().allFinite());
}

TEST(OptionsCheck, BadOptionsNameTheirField) {
  const auto field = [](auto change) -> std::string {
    Options options{.method = Method::agd};
    change(options);
    try {
      static_cast<void>(solve(PaperProblem{}, options));
    } catch (const InputError& error) {
      return error.field();
    }
    return "no error";
  };
  EXPECT_EQ(field([](Options& o) { o.iterations = 0; }), "solve.iterations");
  EXPECT_EQ(field([](Options& o) { o.samples = -3.0; }), "solve.samples");
  EXPECT_EQ(field([](Options& o) { o.basis_size = "10 - k"; }), "solve.basis_size");
  EXPECT_EQ(field([](Options& o) { o.basis_size = "m + 1"; }), "solve.basis_size");
  EXPECT_EQ(field([](Options& o) { o.step = "0*k"; }), "solve.step");
  EXPECT_EQ(field([](Options& o) { o.momentum = 1.5; }), "solve.momentum");
  EXPECT_EQ(field([](Options& o) { o.confidence = 1; }), "solve.confidence");
  EXPECT_EQ(field([](Options& o) {
              o.method = Method::nested;
              o.points = 3;
            }),
            "solve.points");
}

TEST(Unbounded, HermiteRunsUnderChristoffelSampling) {
  PerSampleProblem problem(1, Measure({Distribution(Normal{0, 1})}), 0,
                           [](const Vector& x, const Vector& theta, const Vector&) {
                             return Vector::Constant(1, x(0) - std::exp(0.5 * theta(0)));
                           });
  problem.known.strong_convexity = 1;
  problem.known.smoothness = 1;
  Options options;
  options.method = Method::gd;
  options.basis_size = 8.0;
  options.iterations = 200;
  options.samples = 1000.0;
  const auto result = solve(problem, options);
  ASSERT_EQ(result.status, Status::completed);
  EXPECT_NE(result.notes.front().find("Christoffel"), std::string::npos);
  // exp(a t) has the coefficients e^{a²/2} a^n/√n!.
  for (Index n = 0; n < 4; ++n) {
    const double exact = std::exp(0.125) * std::pow(0.5, static_cast<double>(n)) /
                         std::sqrt(std::tgamma(static_cast<double>(n) + 1));
    EXPECT_NEAR(result.expansion.coefficients()(n, 0), exact, 2e-3);
  }
}

TEST(Unbounded, DiscreteParametersLimitTheBasis) {
  PerSampleProblem problem(1, Measure({Distribution(Discrete{{1, 2, 5}, {}})}), 0,
                           [](const Vector& x, const Vector& theta, const Vector&) {
                             return Vector(x - theta.cwiseAbs2());
                           });
  Options options;
  options.gradient = GradientRule::quadrature;
  const Solution solution = solve(problem, options);
  EXPECT_EQ(solution.expansion.coefficients().rows(), 3);
  for (const double theta : {1.0, 2.0, 5.0})
    EXPECT_NEAR(solution(Vector::Constant(1, theta))(0), theta * theta, 1e-9);
}

}  // namespace
}  // namespace chaosgrad
