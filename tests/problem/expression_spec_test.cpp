// Expressions and templated functions of C++ programs: their gradients against Eigen's automatic
// differentiation and differences, their problems against known optima.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <unsupported/Eigen/AutoDiff>

#include "chaosgrad/chaosgrad.h"

namespace chaosgrad {
namespace {

// The operations that templates may use; kinks become rows of their own, and are tested below.
struct Everything {
  template <class T>
  T operator()(const std::vector<T>& x, const std::vector<T>& theta,
               const std::vector<T>& v) const {
    using std::acos, std::asin, std::atan, std::cos, std::cosh, std::erf, std::exp, std::log,
        std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
    T sum = 0;
    sum += exp(0.3 * x[0]) * sin(x[1] + theta[0]) - cos(x[0] * x[1]) / (2 + x[2] * x[2]);
    sum -= log(1 + x[2] * x[2]) * sqrt(2 + sin(x[0]));
    T factor = 1 + 0.1 * tanh(x[1]);
    factor *= cosh(0.2 * x[2]);
    factor /= 2 + atan(x[0]);
    sum +=
        factor * factor + tan(0.1 * x[1]) + sinh(0.2 * x[0]) + asin(0.1 * x[1]) - acos(0.1 * x[2]);
    sum += pow(2 + x[0] * x[0], 1.5) + square(x[1]) + v[0] * x[0] - (-x[2]) + erf(x[1]);
    return sum;
  }
};

Vector differences(const auto& f, const Vector& x, const std::vector<double>& theta,
                   const std::vector<double>& v) {
  Vector slopes(x.size());
  for (Index i = 0; i < x.size(); ++i) {
    const double h = 1e-5;
    std::vector<double> up(x.begin(), x.end()), down = up;
    up[static_cast<std::size_t>(i)] += h;
    down[static_cast<std::size_t>(i)] -= h;
    slopes(i) = (f(up, theta, v) - f(down, theta, v)) / (2 * h);
  }
  return slopes;
}

TEST(ExpressionSpec, GradientsAreThoseOfTheFunction) {
  const Everything f;
  const FormulaProblem problem(traced(f, 3, {Normal{0, 1}}, {Uniform{-1, 1}}));
  for (int sample = 0; sample < 20; ++sample) {
    const Vector x{{std::sin(sample), std::cos(2.0 * sample), 0.1 * sample - 1}};
    const double theta = 0.1 * sample, u = (sample + 0.5) / 20;
    Matrix g(1, 3), value(1, 1);
    const Matrix at = x.transpose(), t = Matrix::Constant(1, 1, theta),
                 noise = Matrix::Constant(1, 1, u);
    problem.gradient(at, t, noise, g);
    problem.value(at, t, noise, value);
    const std::vector<double> v = {2 * u - 1};
    EXPECT_NEAR(value(0, 0), f(std::vector<double>(x.begin(), x.end()), {theta}, v), 1e-12);
    EXPECT_LT((g.row(0).transpose() - differences(f, x, {theta}, v)).norm(), 1e-8 * (1 + g.norm()));
  }
}

// Forward mode as Eigen has it, of the same template.
struct Rosenbrock {
  template <class T>
  T operator()(const std::vector<T>& x, const std::vector<T>& theta, const std::vector<T>&) const {
    using std::cosh;
    T sum = 0.5 * x[0] * x[0];
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      const T bend = x[i + 1] - theta[0] * x[i];
      sum += bend * bend + cosh(x[i] - theta[0]);
    }
    return sum;
  }
};

TEST(ExpressionSpec, GradientsAgreeWithEigensAutomaticDifferentiation) {
  using Scalar = Eigen::AutoDiffScalar<Vector>;
  const Index q = 12;
  const FormulaProblem problem(traced(Rosenbrock{}, q, {Uniform{0, 1}}));
  const Vector x = Vector::LinSpaced(q, -1, 1);
  std::vector<Scalar> variables, theta = {Scalar(0.7, Vector::Zero(q))};
  for (Index i = 0; i < q; ++i) variables.emplace_back(x(i), q, i);
  const Scalar expected = Rosenbrock{}(variables, theta, {});
  Matrix g(1, q);
  problem.gradient(x.transpose(), Matrix::Constant(1, 1, 0.7), Matrix(1, 0), g);
  EXPECT_LT((g.row(0).transpose() - expected.derivatives()).norm(),
            1e-12 * expected.derivatives().norm());
}

TEST(ExpressionSpec, OperatorsSolveAConstrainedProblem) {
  // ½|w − (t, 1 − t)|² over w ≥ 0 with w₀ + w₁ = 1, t ~ U(−1, 2): w₀ = t cut to [0, 1].
  const Expression a = named("a"), b = named("b"), t = named("t");
  FormulaSpec spec =
      minimize(0.5 * (square(a - t) + square(b - (1 - t))),
               {.parameters = {{"t", Uniform{-1, 2}}},
                .variables = {{"a", false, Vector::Zero(1)}, {"b", false, Vector::Zero(1)}}});
  constrain(spec, "budget", a + b == 1);
  constrain(spec, "sign", a >= 0);
  constrain(spec, "other", b >= 0);
  observe(spec, "product", a * b);
  const FormulaProblem problem(spec);
  const Solution solution = solve(problem, {.tolerance = 1e-6});
  ASSERT_TRUE(solution.ok()) << solution.message;
  for (const double at : {-0.5, 0.25, 0.9, 1.7}) {
    const Vector x = solution(Vector::Constant(1, at));
    const double exact = std::min(1.0, std::max(0.0, at));
    EXPECT_NEAR(x(0), exact, 1e-5);
    EXPECT_NEAR(x(1), 1 - exact, 1e-5);
  }
  EXPECT_EQ(problem.quantity_names(), std::vector<std::string>{"product"});
}

TEST(ExpressionSpec, KinksAreUnderstoodAsInFiles) {
  // ½(x − t)² + ½|x|: soft thresholding.
  const auto lasso = [](const auto& x, const auto& theta, const auto&) {
    using std::abs;
    return 0.5 * square(x[0] - theta[0]) + 0.5 * abs(x[0]);
  };
  const FormulaProblem problem(traced(lasso, 1, {Normal{0, 1}}));
  const Solution solution = solve(problem, {.tolerance = 1e-5});
  ASSERT_TRUE(solution.ok()) << solution.message;
  EXPECT_NEAR(solution(Vector::Constant(1, 0.3))(0), 0, 1e-4);
  EXPECT_NEAR(solution(Vector::Constant(1, 1.3))(0), 0.8, 1e-4);
}

TEST(ExpressionSpec, NoiseAndSelection) {
  // Discrete noise of mean 1: x = 1 + t²; the branch depends on θ.
  const auto f = [](const auto& x, const auto& theta, const auto& v) {
    return 0.5 * square(x[0] - v[0] - select(theta[0] > 0, theta[0] * theta[0], 0 * theta[0]));
  };
  const FormulaProblem problem(traced(f, 1, {Uniform{0, 1}}, {Discrete{{0.0, 4.0}, {3.0, 1.0}}}));
  const Solution solution = solve(problem, {.tolerance = 1e-8});
  ASSERT_TRUE(solution.ok()) << solution.message;
  EXPECT_NEAR(solution(Vector::Constant(1, 0.5))(0), 1.25, 1e-7);
}

TEST(ExpressionSpec, LongChainsOfOperations) {
  // A loop of 20,000 steps whose parts are used twice: as text it would be 2^20000 long.
  Expression sum = named("x");
  for (int i = 0; i < 20000; ++i) sum = 0.5 * sum + 0.5 * (sum - 1e-6 * named("t"));
  const FormulaSpec spec = minimize(
      square(sum - named("t")),
      {.parameters = {{"t", Uniform{0, 1}}}, .variables = {{"x", false, Vector::Zero(1)}}});
  const FormulaProblem problem(spec);
  Matrix g(1, 1);
  problem.gradient(Matrix::Constant(1, 1, 2.0), Matrix::Constant(1, 1, 0.5), Matrix(1, 0), g);
  EXPECT_NEAR(g(0, 0), 2 * (2 - 0.01 * 0.5 - 0.5), 1e-9);
}

TEST(ExpressionSpec, MistakesAreNamed) {
  FormulaSpec spec;
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const InputError& error) {
      return error.what();
    } catch (const FormulaError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_NE(message([&] { constrain(spec, "c", named("x") + 1); }).find("expected a comparison"),
            std::string::npos);
  EXPECT_NE(message([&] { (void)Expression(std::nan("")); }).find("finite number"),
            std::string::npos);
  EXPECT_NE(message([&] { (void)traced_inputs(0, {}, {}); }).find("at least one variable"),
            std::string::npos);
  EXPECT_NE(message([&] {
              (void)FormulaProblem(
                  minimize(square(named("y")), {.parameters = {{"t", Uniform{0, 1}}},
                                                .variables = {{"x", false, Vector::Zero(1)}}}));
            }).find("'y'"),
            std::string::npos);
}

}  // namespace
}  // namespace chaosgrad
