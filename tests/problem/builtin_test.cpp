// Problems coded in C++: gradients against differences of F, optima against dense linear algebra,
// names and quantities.
#include "problem/coded/builtin.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "chaosgrad/error.h"
#include "problem/any_problem.h"
#include "random/random.h"
#include "solution/check.h"

namespace chaosgrad {
using namespace internal;
namespace {

struct Case {
  const char* name;
  BuiltinValues options;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class EveryBuiltin : public ::testing::TestWithParam<Case> {
 protected:
  CodedProblem problem = make_builtin(GetParam().name, GetParam().options);

  [[nodiscard]] Matrix draw_theta(Index count) const {
    Matrix theta(count, problem.parameters().dimension());
    fill_uniform(make_stream(1, Purpose::test, 0), 0, theta);
    problem.parameters().germ_from_uniform(theta, theta);
    problem.parameters().parameters_from_germ(theta, theta);
    return theta;
  }
  [[nodiscard]] Matrix draw_x(Index count) const {
    Matrix x(count, problem.dimension());
    fill_uniform(make_stream(1, Purpose::test, 1), 0, x);
    return (2 * x.array() - 1).matrix();
  }
};

// F is quadratic in x: central differences with a large step are exact up to rounding.
TEST_P(EveryBuiltin, GradientIsTheDerivativeOfTheValue) {
  const Index count = 37;
  const Matrix theta = draw_theta(count), x = draw_x(count), noise(count, 0);
  Matrix g(count, problem.dimension()), above(count, 1), below(count, 1);
  problem.gradient(x, theta, noise, g);
  ASSERT_TRUE(problem.has_value());
  for (Index j = 0; j < problem.dimension(); ++j) {
    Matrix moved = x;
    moved.col(j).array() += 0.5;
    problem.value(moved, theta, noise, above);
    moved.col(j).array() -= 1;
    problem.value(moved, theta, noise, below);
    EXPECT_LT(((above - below) - g.col(j)).cwiseAbs().maxCoeff(),
              1e-11 * above.cwiseAbs().maxCoeff())
        << j;
  }
}

TEST_P(EveryBuiltin, GradientVanishesAtTheReference) {
  const Index count = block_size;
  const Matrix theta = draw_theta(count), noise(count, 0);
  Matrix x(count, problem.dimension()), g(count, problem.dimension()), g0 = g;
  problem.facts().reference(theta, x);
  problem.gradient(x, theta, noise, g);
  problem.gradient(Matrix::Zero(count, problem.dimension()), theta, noise, g0);
  EXPECT_GT(x.norm(), 0);
  EXPECT_LT(g.cwiseAbs().maxCoeff(), 1e-11 * g0.cwiseAbs().maxCoeff());
}

// The Hessian column by column from differences of the gradient: no eigenvalue outside [μ, L].
TEST_P(EveryBuiltin, StatedCurvatureHolds) {
  const ProblemFacts facts = problem.facts();
  const Index q = problem.dimension();
  ASSERT_TRUE(facts.strong_convexity.has_value());
  const Matrix thetas = draw_theta(20);
  for (Index i = 0; i < thetas.rows(); ++i) {
    const Matrix theta = thetas.row(i).replicate(q, 1), noise(q, 0);
    Matrix at_zero(q, q), at_unit(q, q);
    problem.gradient(Matrix::Zero(q, q), theta, noise, at_zero);
    problem.gradient(Matrix::Identity(q, q), theta, noise, at_unit);
    const Matrix hessian = at_unit - at_zero;
    EXPECT_LT((hessian - hessian.transpose()).norm(), 1e-12 * hessian.norm());
    const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix>(hessian).eigenvalues();
    EXPECT_GE(eigenvalues(0), *facts.strong_convexity * (1 - 1e-9));
    if (facts.smoothness) {
      EXPECT_LE(eigenvalues(q - 1), *facts.smoothness * (1 + 1e-9));
    }
  }
}

// All three are quadratic in x: a whole step shows the Hessian.
TEST_P(EveryBuiltin, HessianIsTheDerivativeOfTheGradient) {
  const Index q = problem.dimension(), count = 5;
  ASSERT_EQ(problem.has_hessian(), q <= 50);
  ASSERT_GT(problem.facts().operations.value_or(0), static_cast<double>(q));
  if (!problem.has_hessian()) return;
  const Matrix theta = draw_theta(count), x = draw_x(count), noise(count, 0);
  Matrix h(count, q * q), before(count, q), after(count, q);
  problem.hessian(x, theta, noise, h);
  problem.gradient(x, theta, noise, before);
  for (Index j = 0; j < q; ++j) {
    Matrix moved = x;
    moved.col(j).array() += 1;
    problem.gradient(moved, theta, noise, after);
    EXPECT_LT((after - before - h.middleCols(j * q, q)).norm(), 1e-10 * (h.norm() + before.norm()))
        << j;
  }
}

// A sample alone has the gradient that it has in a block.
TEST_P(EveryBuiltin, SamplesDoNotDependOnTheirBlock) {
  const Matrix theta = draw_theta(block_size), x = draw_x(block_size), noise(block_size, 0);
  Matrix g(block_size, problem.dimension()), alone(1, problem.dimension());
  problem.gradient(x, theta, noise, g);
  for (const Index i : {0, 5, 127}) {
    problem.gradient(x.row(i), theta.row(i), noise.row(i), alone);
    EXPECT_LT((alone - g.row(i)).norm(), 1e-14 * g.row(i).norm());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Problems, EveryBuiltin,
    ::testing::Values(Case{"elliptic-control", {}},
                      Case{"elliptic-control", {{"d", 30}, {"q", 100}}},
                      Case{"elliptic-control", {{"d", 1}, {"q", 1}, {"beta", 2}}},
                      Case{"oscillator-control", {}}, Case{"oscillator-control", {{"q", 1}}},
                      Case{"quadratic", {}},
                      Case{"quadratic", {{"d", 3}, {"active", 3}, {"q", 1}}}));

// The definition, with dense matrices and none of the problem's own parts.
TEST(EllipticControl, IsTheDenseProblem) {
  const Index d = 3, q = 7;
  const double beta = 0.01, h = 1.0 / 8;
  const CodedProblem problem =
      make_builtin("elliptic-control", {{"d", 3}, {"q", 7}, {"beta", beta}});
  Matrix theta(1, d), x(1, q), g(1, q), reference(1, q);
  theta << 0.3, -0.9, 0.5;
  x << 1, -2, 0.5, 3, -1, 0, 2;
  Matrix a = Matrix::Zero(q, q);
  for (Index j = 0; j <= q; ++j) {
    double coefficient = 1;
    for (Index k = 1; k <= d; ++k) {
      const auto order = static_cast<double>(k);
      coefficient += theta(0, k - 1) * 0.6 / (order * order) *
                     std::sin(order * std::numbers::pi * (static_cast<double>(j) + 0.5) * h);
    }
    coefficient *= 0.05 / (h * h);
    if (j > 0) a(j - 1, j - 1) += coefficient;
    if (j < q) a(j, j) += coefficient;
    if (j > 0 && j < q) a(j - 1, j) = a(j, j - 1) = -coefficient;
  }
  Vector z(q);
  for (Index j = 0; j < q; ++j) {
    const double s = static_cast<double>(j + 1) * h;
    z(j) = 2 * s * (1 - s) * std::exp(s);
  }
  const Matrix inverse = a.inverse();
  const Vector gradient =
      inverse.transpose() * (inverse * x.row(0).transpose() - z) + beta * x.row(0).transpose();
  const Matrix hessian = inverse.transpose() * inverse + beta * Matrix::Identity(q, q);
  const Vector optimum = hessian.ldlt().solve(inverse.transpose() * z);
  problem.gradient(x, theta, Matrix(1, 0), g);
  problem.facts().reference(theta, reference);
  EXPECT_LT((g.row(0).transpose() - gradient).norm(), 1e-12 * gradient.norm());
  EXPECT_LT((reference.row(0).transpose() - optimum).norm(), 1e-11 * optimum.norm());
}

// The state follows the closed form of the damped oscillation as the step shrinks: second order.
TEST(OscillatorControl, FollowsTheFreeOscillation) {
  // F(0) = h/2 Σ |s_j|² → ½ ∫ |s|² dt. For m y″ + c y′ + k y = 0 the energy E = (k y² + m y′²)/2
  // has E′ = −c y′², so ∫ y′² = (E(0) − E(T))/c; with m = k = 1, T = 60 nothing is left, and
  // ∫ y² = ∫ y′² + c/2 (from (y y′)′ = y′² − y² − c y y′).
  const double c = 0.5;
  Matrix theta(1, 3), value(1, 1);
  theta << 1, c, 1;
  const double limit = 0.5 * (0.5 / c + 0.5 / c + c / 2);
  double previous = 0;
  for (const double q : {2000.0, 4000.0}) {
    const CodedProblem problem = make_builtin("oscillator-control", {{"q", q}, {"horizon", 60}});
    problem.value(Matrix::Zero(1, problem.dimension()), theta, Matrix(1, 0), value);
    // The sum leaves out ½ h |s_0|² · ½ of the trapezoidal rule.
    const double error = value(0, 0) + 0.25 * 60 / q - limit;
    if (previous != 0) {
      EXPECT_NEAR(previous / error, 4, 0.2);
    }
    previous = error;
  }
}

TEST(Quadratic, OnlyActiveParametersMatter) {
  const CodedProblem problem = make_builtin("quadratic");
  Matrix theta = Matrix::Zero(51, 50), x(51, 4);
  for (Index k = 0; k < 50; ++k) theta(k + 1, k) = 0.7;
  problem.facts().reference(theta, x);
  Index active = 0;
  for (Index k = 0; k < 50; ++k) {
    if ((x.row(k + 1) - x.row(0)).norm() > 0) {
      EXPECT_EQ(k % 10, 0);
      ++active;
    }
  }
  EXPECT_EQ(active, 5);
}

TEST(CodedProblem, HasNamesAndQuantities) {
  const AnyProblem problem =
      make_builtin("elliptic-control", {{"d", 2}, {"q", 3}},
                   {.definitions = {{"twice", {"2*x"}}},
                    .quantities = {{"effort", {"dot(twice, x)"}}, {"shifted", {"x[1] + theta2"}}}});
  EXPECT_EQ(problem.parameter_names(), (std::vector<std::string>{"theta1", "theta2"}));
  EXPECT_EQ(problem.component_names(), (std::vector<std::string>{"x[0]", "x[1]", "x[2]"}));
  EXPECT_EQ(problem.quantity_names(), (std::vector<std::string>{"effort", "shifted"}));
  Matrix x(2, 3), theta(2, 2), values(2, 2);
  x << 1, 2, 3, 4, 5, 6;
  theta << 0.5, 0.25, -0.5, -0.25;
  problem.quantities(x, theta, Matrix(2, 0), values);
  EXPECT_EQ(values(0, 0), 28);
  EXPECT_EQ(values(1, 0), 154);
  EXPECT_EQ(values(0, 1), 2.25);
  EXPECT_EQ(values(1, 1), 4.75);
}

// A gradient is all that a problem needs.
struct GradientOnly {
  [[nodiscard]] Index dimension() const { return 1; }
  [[nodiscard]] Measure parameters() const { return Measure({Uniform{-1, 1}}); }
  [[nodiscard]] Index noise_dimension() const { return 0; }
  void gradient(Block x, Block theta, Block /*noise*/, BlockOut g) const {
    g = scale * (x - theta);
  }
  [[nodiscard]] std::vector<std::string> parameter_names() const { return {"t"}; }
  [[nodiscard]] std::vector<VariableSpec> variables() const {
    return {{"y", false, Vector::Zero(1)}};
  }
  double scale = 1;
};

TEST(CodedProblem, WorksWithoutValues) {
  const AnyProblem problem = CodedProblem(GradientOnly{2}, {});
  EXPECT_FALSE(problem.has_value());
  EXPECT_EQ(problem.component_names(), std::vector<std::string>{"y"});
  problem.validate();
  const ProblemCheck check = check_problem(problem, {}, 1);
  EXPECT_FALSE(check.gradient_error.has_value());
  EXPECT_TRUE(check.problems.empty());
  EXPECT_NEAR(check.measured.mu.value, 2, 1e-6);
}

TEST(CodedProblem, RefusesAGradientThatIsNotFinite) {
  const CodedProblem problem(GradientOnly{std::numeric_limits<double>::infinity()}, {});
  EXPECT_THROW(problem.validate(), InputError);
}

}  // namespace
}  // namespace chaosgrad
