// Noise that is integrated between its kinks: the rules on pieces, what formulas show of it, sums over
// data as moments, and gradients against closed forms and brute force.
#include "problem/integrated_problem.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "chaosgrad/chaosgrad.h"
#include "expression/expression.h"
#include "problem/expected_problem.h"
#include "random/random.h"
#include "support/keyed_numbers.h"

namespace chaosgrad {
using namespace internal;
namespace {

// ∫_a^b z^k φ(z) dz by its recursion: I_k = a^{k−1}φ(a) − b^{k−1}φ(b) + (k − 1) I_{k−2}.
double normal_moment(int k, double a, double b) {
  const auto density = [](double z) {
    return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  };
  if (k == 0) return a > 0 ? normal_cdf(-a) - normal_cdf(-b) : normal_cdf(b) - normal_cdf(a);
  const double ends = std::pow(a, k - 1) * density(a) - std::pow(b, k - 1) * density(b);
  return k == 1 ? ends : ends + (k - 1) * normal_moment(k - 2, a, b);
}

TEST(PieceRule, IsExactForPolynomialsOnEveryPiece) {
  for (const Index n : {1, 2, 5, 9}) {
    const PieceRule rule(NoiseChart::normal, n);
    for (const auto& [a, b] :
         {std::pair{-8.2, 8.2}, {-8.2, 0.3}, {0.3, 8.2}, {-1.0, 2.0}, {2.5, 3.0}}) {
      const Quadrature piece = rule.on(a, b);
      ASSERT_EQ(piece.nodes.size(), n);
      for (int k = 0; k < 2 * n; ++k) {
        const double found = (piece.weights.array() * piece.nodes.array().pow(k)).sum();
        const double scale = (piece.weights.array() * piece.nodes.array().abs().pow(k)).sum();
        EXPECT_NEAR(found, normal_moment(k, a, b), 1e-11 * scale + 1e-14)
            << n << " " << a << " " << k;
      }
    }
    const Quadrature uniform = PieceRule(NoiseChart::uniform, n).on(0.25, 0.75);
    for (int k = 0; k < 2 * n; ++k) {
      EXPECT_NEAR((uniform.weights.array() * uniform.nodes.array().pow(k)).sum(),
                  (std::pow(0.75, k + 1) - std::pow(0.25, k + 1)) / (k + 1), 1e-14);
    }
  }
}

TEST(PiecewiseDegree, IsTheLargestOfTheBranches) {
  const std::vector<std::pair<std::string, std::optional<int>>> cases = {
      {"abs(x - v)", 1},
      {"max(v, x)^2", 2},
      {"if(v < x, 1, v^3)", 3},
      {"sign(v - x)*v", 1},
      {"exp(max(v, 0))", std::nullopt},
      {"if(exp(v) > x, 2, 5)", 0},
      {"min(v, max(x, 1))", 1}};
  for (const auto& [text, degree] : cases) {
    Graph graph;
    const Node v = graph.input(2, 0);
    const Scope names = {{"x", graph.input(0, 0)}, {"v", v}};
    EXPECT_EQ(piecewise_degree(graph, parse(graph, text, names), v, v), degree) << text;
  }
}

TEST(CoupledInputs, AreThoseThatMeetInATermThatIsNotLinear) {
  const std::vector<std::pair<std::string, std::vector<std::vector<Index>>>> cases = {
      {"x*v + exp(w)", {{0}, {1}}},
      {"(v + w)*x", {{0}, {1}}},
      {"max(v - x, 0) + 2*max(w - x, 0) - u", {{0}, {1}, {2}}},
      {"max(v + w - x, 0) + u^2", {{0, 1}, {2}}},
      {"v*w + w*u", {{0, 1, 2}}},
      {"sum([v^2, w, x])", {{0}, {1}}},
      {"x^2", {}}};
  for (const auto& [text, sets] : cases) {
    Graph graph;
    const Scope names = {{"x", graph.input(0, 0)},
                         {"v", graph.input(2, 0)},
                         {"w", graph.input(2, 1)},
                         {"u", graph.input(2, 2)}};
    const Node node = parse(graph, text, names);
    const auto label = [](int slot, Index column) { return slot == 2 ? column : -1; };
    EXPECT_EQ(coupled_inputs(graph, std::array{node}, label), sets) << text;
  }
}

FormulaSpec spec(const std::string& objective, Index variables = 1) {
  FormulaSpec spec;
  spec.parameters.push_back({.name = "t", .distribution = Distribution(Uniform{1, 2})});
  for (Index i = 0; i < variables; ++i)
    spec.variables.push_back(
        {.name = std::string(1, static_cast<char>('x' + i)), .start = Vector::Ones(1)});
  spec.objective = {objective};
  return spec;
}

NoiseSpec noise(const std::string& name, const std::string& distribution,
                std::map<std::string, FormulaText> arguments) {
  return {name, std::nullopt, distribution, std::move(arguments)};
}

Matrix gradients(const Oracle& oracle, const NoiseChoice& choice, const Matrix& x,
                 const Matrix& theta) {
  const IntegratedProblem problem(oracle, make_noise_plan(oracle.facts(), choice), Stream{7, 7});
  Matrix g(x.rows(), x.cols());
  problem.gradient(x, theta, Matrix(x.rows(), 0), g);
  return g;
}

// The newsvendor: ∇f = (over + under) Φ((x − t)/2) − under, with one draw on each side of the kink;
// its Hessian is a density, which no second derivative of F shows.
TEST(IntegratedProblem, IsExactForTheNewsvendor) {
  FormulaSpec text = spec("max(x - v, 0) + 3*max(v - x, 0)");
  text.noise.push_back(noise("v", "normal", {{"mean", {"t"}}, {"sd", {"2"}}}));
  const FormulaProblem formula(text);
  const Oracle oracle(formula);
  const NoisePlan plan = make_noise_plan(oracle.facts(), {});
  EXPECT_TRUE(plan.exact);
  const IntegratedProblem problem(oracle, plan, Stream{1, 1}, 2);
  const Matrix x = 3 * testing::signed_numbers(1, 50, 1);
  const Matrix theta = (1.5 + 0.5 * testing::signed_numbers(2, 50, 1).array()).matrix();
  Matrix g(50, 1), h(50, 1), f(50, 1);
  problem.gradient(x, theta, Matrix(50, 0), g);
  problem.hessian(x, theta, Matrix(50, 0), h);
  problem.value(x, theta, Matrix(50, 0), f);
  for (const Index draws : problem.draws_at(x, theta)) EXPECT_EQ(draws, 2);
  for (Index i = 0; i < 50; ++i) {
    const double z = (x(i, 0) - theta(i, 0)) / 2;
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    EXPECT_NEAR(g(i, 0), 4 * normal_cdf(z) - 3, 1e-12);
    EXPECT_NEAR(h(i, 0), 4 * density / 2, 1e-4);  // a forward difference
    EXPECT_NEAR(f(i, 0), 2 * (z * (4 * normal_cdf(z) - 3) + 4 * density),
                1e-11);  // of each side's mean
  }
}

// d/dx E max(v + w − x, 0) = −P(v + w > x), v and w uniform on (0, 1): the sum has a triangular law.
// The kink leaves the square through its corners, where the inner integral has kinks of its own.
TEST(IntegratedProblem, FollowsKinksAcrossTwoNumbers) {
  FormulaSpec text = spec("max(v + w - x, 0)");
  text.noise.push_back(noise("v", "uniform", {{"lower", {"0"}}, {"upper", {"1"}}}));
  text.noise.push_back(noise("w", "uniform", {{"lower", {"0"}}, {"upper", {"1"}}}));
  const FormulaProblem formula(text);
  const Oracle oracle(formula);
  EXPECT_FALSE(make_noise_plan(oracle.facts(), {}).exact);
  const Matrix x = (1 + testing::signed_numbers(3, 40, 1).array()).matrix();
  const Matrix g = gradients(oracle, {.level = 1}, x, Matrix::Constant(40, 1, 1.5));
  for (Index i = 0; i < 40; ++i) {
    const double s = x(i, 0), above = s < 1 ? 1 - s * s / 2 : (2 - s) * (2 - s) / 2;
    EXPECT_NEAR(g(i, 0), -above, 1e-6) << s;
  }
}

// Terms of one noise number each: as many draws as their rules have together, and one more.
TEST(IntegratedProblem, AddsGroups) {
  FormulaSpec text = spec("max(v - x, 0) + (y - w)^2 + exp(u)*x + abs(y - u)", 2);
  text.noise.push_back(noise("v", "normal", {{"mean", {"t"}}, {"sd", {"1"}}}));
  text.noise.push_back(noise("w", "exponential", {{"rate", {"t"}}}));
  text.noise.push_back(noise("u", "uniform", {{"lower", {"0"}}, {"upper", {"t"}}}));
  const FormulaProblem formula(text);
  const Oracle oracle(formula);
  EXPECT_EQ(oracle.facts().noise_shape->groups, (std::vector<std::vector<Index>>{{0}, {1}, {2}}));
  const Matrix x = testing::signed_numbers(4, 30, 2);
  const Matrix theta = (1.5 + 0.5 * testing::signed_numbers(5, 30, 1).array()).matrix();
  const Matrix g = gradients(oracle, {.level = 6}, x, theta);
  for (Index i = 0; i < 30; ++i) {
    const double t = theta(i, 0), y = x(i, 1);
    EXPECT_NEAR(g(i, 0), normal_cdf(x(i, 0) - t) - 1 + (std::exp(t) - 1) / t, 1e-9);
    EXPECT_NEAR(g(i, 1), 2 * (y - 1 / t) + (y <= 0 ? -1 : y >= t ? 1 : 2 * y / t - 1), 1e-9);
  }
}

// Four numbers in one group: 1,024 Sobol' points in three of them, a line in the fourth. Plain draws
// would leave 1/64; what is integrated along the line first is smooth, and leaves less than a tenth.
TEST(IntegratedProblem, TakesManyNumbersBySobolPoints) {
  FormulaSpec text = spec("max(v + w + u + s - x, 0)");
  for (const char* name : {"v", "w", "u", "s"})
    text.noise.push_back(noise(name, "normal", {{"mean", {"0"}}, {"sd", {"t"}}}));
  const FormulaProblem formula(text);
  const Oracle oracle(formula);
  EXPECT_FALSE(can_plan(oracle.facts(), {}));
  const Matrix x = 2 * testing::signed_numbers(6, 5, 1), theta = Matrix::Constant(5, 1, 1.25);
  const Matrix g = gradients(oracle, {.sobol = true, .level = 4}, x, theta);
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(g(i, 0), normal_cdf(x(i, 0) / 2.5) - 1, 1.5e-3);
}

// (y − a·x)²/2 over rows: the compiled mean has the values, gradients and Hessians of the sum.
TEST(ExpectedProblem, IsTheSumOverAllRows) {
  FormulaSpec text = spec("exp(t)*(out - dot(a, [x, y]))^2/2 + norm2(a*x)^2/3", 2);
  NoiseTable table{{"a1", "a2", "out"}, testing::signed_numbers(8, 200, 3), {{"a", {"a1", "a2"}}}};
  text.table = table;
  const FormulaProblem formula(text);
  const Oracle oracle(formula);
  ASSERT_TRUE(oracle.facts().expectation);
  const ExpectedProblem expected(oracle);
  const Matrix x = testing::signed_numbers(9, 20, 2), theta = Matrix::Constant(20, 1, 1.25);
  Matrix g(20, 2), f(20, 1), h(20, 4), sum_g = Matrix::Zero(20, 2), sum_f = Matrix::Zero(20, 1),
                                       sum_h = Matrix::Zero(20, 4), one_g(20, 2), one_f(20, 1),
                                       one_h(20, 4);
  expected.gradient(x, theta, Matrix(20, 0), g);
  expected.value(x, theta, Matrix(20, 0), f);
  expected.hessian(x, theta, Matrix(20, 0), h);
  for (Index k = 0; k < 200; ++k) {
    const Matrix row = Matrix::Constant(20, 1, (static_cast<double>(k) + 0.5) / 200);
    oracle.gradient(x, theta, row, one_g);
    oracle.value(x, theta, row, one_f);
    oracle.hessian(x, theta, row, one_h);
    sum_g += one_g / 200;
    sum_f += one_f / 200;
    sum_h += one_h / 200;
  }
  EXPECT_LT((g - sum_g).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((f - sum_f).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((h - sum_h).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(ExpectedProblem, IsNoneForOtherFunctionsOfTheRow) {
  FormulaSpec text = spec("softplus(a*x) + x^2");
  text.table = NoiseTable{{"a"}, testing::signed_numbers(8, 20, 1), {}};
  EXPECT_FALSE(FormulaProblem(text).facts().expectation);
}

}  // namespace
}  // namespace chaosgrad
