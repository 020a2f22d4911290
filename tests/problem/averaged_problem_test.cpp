// Noise that is integrated out: degrees of polynomials, the rules, the sums, and what auto makes of
// them.
#include "problem/averaged_problem.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "chaosgrad/chaosgrad.h"
#include "chaosgrad/error.h"
#include "expression/expression.h"
#include "samples/noise_rule.h"
#include "support/keyed_numbers.h"

namespace chaosgrad {
using namespace internal;
namespace {

TEST(PolynomialDegree, IsThatOfTheFormula) {
  const std::vector<std::pair<std::string, std::optional<int>>> cases = {
      {"x^2 + t", 0},
      {"v", 1},
      {"3*v - x*v/t", 1},
      {"(x - v)^2", 2},
      {"(v*x + v^3)*(1 - v)", 4},
      {"dot([v, x], [v, 1])", 2},
      {"sum([v, v^2, 1])", 2},
      {"if(t < 0, v, v^3)", 3},
      {"if(v < 0, x, 1)", std::nullopt},
      {"abs(x - v)", std::nullopt},
      {"exp(v)", std::nullopt},
      {"x/v", std::nullopt},
      {"v^0.5", std::nullopt},
      {"exp(t)*v^2", 2},
  };
  for (const auto& [text, degree] : cases) {
    Graph graph;
    const Node v = graph.input(2, 0);
    const Scope names = {{"x", graph.input(0, 0)}, {"t", graph.input(1, 0)}, {"v", v}};
    EXPECT_EQ(polynomial_degree(graph, parse(graph, text, names), v, v), degree) << text;
  }
}

// In Φ⁻¹(u): u itself is no polynomial of it.
TEST(PolynomialDegree, MayBeInAFunctionOfTheInput) {
  Graph graph;
  const Node u = graph.input(2, 0), z = graph.apply(Op::normal_quantile, std::array{u});
  const Scope names = {{"u", u}, {"z", z}};
  EXPECT_EQ(polynomial_degree(graph, parse(graph, "1 + z^2", names), u, z), 2);
  EXPECT_EQ(polynomial_degree(graph, parse(graph, "z*u", names), u, z), std::nullopt);
}

FormulaSpec spec(const std::string& objective) {
  FormulaSpec spec;
  spec.parameters.push_back({.name = "t", .distribution = Distribution(Uniform{1, 2})});
  spec.variables.push_back({.name = "x", .start = Vector::Zero(1)});
  spec.objective = {objective};
  return spec;
}

NoiseSpec noise(const std::string& name, const std::string& distribution,
                std::map<std::string, FormulaText> arguments) {
  return {name, std::nullopt, distribution, std::move(arguments)};
}

// E over v ~ N(t, 2²) and w uniform on (0, t) of d/dx[(x − v)⁴/4 + w² x²/2]
//   = (x − t)³ + 3·4 (x − t) + x t²/3.
TEST(AveragedProblem, IntegratesPolynomialsExactly) {
  FormulaSpec text = spec("(x - v)^4/4 + w^2*x^2/2");
  text.noise.push_back(noise("v", "normal", {{"mean", {"t"}}, {"sd", {"2"}}}));
  text.noise.push_back(noise("w", "uniform", {{"lower", {"0"}}, {"upper", {"t"}}}));
  const FormulaProblem problem(text);
  const Oracle oracle(problem);
  EXPECT_EQ(exact_noise_draws(oracle.facts().noise_axes), 2 * 2);  // degrees 3 and 2
  const AveragedProblem averaged(oracle);
  const Index n = 300;
  const Matrix x = testing::signed_numbers(1, n, 1);
  const Matrix theta = (1.5 + 0.5 * testing::signed_numbers(2, n, 1).array()).matrix();
  Matrix g(n, 1);
  averaged.gradient(x.topRows(200), theta.topRows(200), Matrix(200, 0), g.topRows(200));
  averaged.gradient(x.bottomRows(100), theta.bottomRows(100), Matrix(100, 0), g.bottomRows(100));
  for (Index i = 0; i < n; ++i) {
    const double d = x(i, 0) - theta(i, 0);
    EXPECT_NEAR(g(i, 0), d * d * d + 12 * d + x(i, 0) * theta(i, 0) * theta(i, 0) / 3, 1e-12);
  }
}

// Cases with weights: a sum, whatever the formula. auto takes it, and counts every draw.
TEST(AveragedProblem, SumsCases) {
  FormulaSpec text = spec("10*huber(x - v, 0.1) + t*(x - 1)^2");
  text.noise.push_back({"v", Distribution(Discrete{{-1, 0.25, 3}, {0.5, 0.2, 0.3}}), "", {}});
  const FormulaProblem problem(text);
  const Oracle oracle(problem);
  ASSERT_EQ(exact_noise_draws(oracle.facts().noise_axes), 3);
  Matrix g(1, 1);
  AveragedProblem(oracle).gradient(Matrix::Constant(1, 1, 0.5), Matrix::Constant(1, 1, 2.0),
                                   Matrix(1, 0), g);
  EXPECT_NEAR(g(0, 0), 0.5 + 0.2 - 0.3 + 4 * (0.5 - 1), 1e-14);

  const Solution solution = solve(problem, {.relative_tolerance = 1e-6});
  ASSERT_EQ(solution.status, Status::converged) << solution.message;
  EXPECT_EQ(solution.state.text("method"), "collocation");
  EXPECT_EQ(solution.gradients % 3, 0);
  // Away from the values the gradient is 0.4 + 2 t (x − 1): x* = 1 − 0.2/t.
  const Vector theta = Vector::Constant(1, 1.3);
  EXPECT_NEAR(solution(theta)(0), 1 - 0.2 / 1.3, 1e-5);
}

TEST(AveragedProblem, CollocationRefusesNoiseThatCannotBeIntegratedOut) {
  FormulaSpec text = spec("abs(x - floor(v)) + t*(x - 1)^2");
  text.noise.push_back(noise("v", "normal", {{"mean", {"0"}}, {"sd", {"1"}}}));
  const FormulaProblem problem(text);
  EXPECT_FALSE(Oracle(problem).facts().noise_shape);  // a jump at every whole number
  EXPECT_EQ(exact_noise_draws(Oracle(problem).facts().noise_axes),
            std::numeric_limits<double>::infinity());
  EXPECT_THROW((void)solve(problem, {.method = Method::collocation}), InputError);
}

}  // namespace
}  // namespace chaosgrad
