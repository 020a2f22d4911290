// Problems: formulas against hand-written gradients, noise that depends on θ, rows as noise, and
// what validation finds.
#include <gtest/gtest.h>

#include <boost/math/distributions.hpp>
#include <cmath>

#include "chaosgrad/chaosgrad.h"
#include "samples/parameters.h"
#include "support/paper_problem.h"

namespace chaosgrad {
using namespace internal;
namespace {

FormulaSpec paper_spec() {
  FormulaSpec spec;
  spec.parameters.push_back(
      {.name = "theta", .distribution = Uniform{-std::numbers::pi, std::numbers::pi}});
  spec.noise.push_back({.name = "v",
                        .finite = {},
                        .distribution = "uniform",
                        .arguments = {{"lower", {"-1", 0}}, {"upper", {"1", 1}}}});
  spec.definitions = {
      {"s", {"abs(4/5 + exp(sin(theta))/4 - cosh(sin(theta)^2)) * (1 + sin(2*theta))", 2}}};
  spec.variables = {{"x", false, Vector::Zero(1)}, {"y", false, Vector::Zero(1)}};
  spec.objective = {"1/2*(x - s)^2 + 100*(y - s)^2 + v*(x + y)", 3};
  return spec;
}

struct Samples {
  Matrix x, theta, noise;
  Samples(const Oracle& oracle, Index n)
      : x(n, oracle.dimension()),
        theta(n, oracle.parameters().dimension()),
        noise(n, oracle.noise_dimension()) {
    fill_uniform(make_stream(5, Purpose::test, 0), 0, x);
    fill_parameters(oracle.parameters(), make_stream(5, Purpose::test, 1), 0, theta, theta);
    fill_uniform(make_stream(5, Purpose::test, 2), 0, noise);
  }
};

TEST(Formula, GradientEqualsTheOneByHand) {
  const FormulaProblem formula(paper_spec());
  testing::PaperProblem by_hand;
  by_hand.noisy = true;
  const Samples at(formula, 100);
  Matrix g(100, 2), expected(100, 2);
  formula.gradient(at.x, at.theta, at.noise, g);
  by_hand.gradient(at.x, at.theta, at.noise, expected);
  EXPECT_LT((g - expected).cwiseAbs().maxCoeff(), 1e-12);
}

// sin and cos that a trigonometric basis has too, whatever its interval.
TEST(Formula, KnowsTheBasisFunctionsInItsGradient) {
  const auto problem_on = [](double lower, double upper, const std::string& factor,
                             Family::Kind basis) {
    FormulaSpec spec;
    spec.parameters.push_back({.name = "t", .distribution = Uniform{lower, upper}, .basis = basis});
    spec.constants = {{"a", Matrix::Constant(1, 1, 0.5)}};
    spec.variables = {{"x", false, Vector::Zero(1)}};
    spec.objective = {"(x - sin(" + factor + "*t))^2/2 + a*x*cos(3*" + factor + "*t)", 0};
    return FormulaProblem(spec);
  };
  constexpr auto fourier = Family::Kind::fourier;
  const double pi = std::numbers::pi;
  struct Case {
    double lower, upper;
    std::string factor;
  };
  for (const auto& [lower, upper, factor] : {Case{-pi, pi, "1"},
                                             {0, 2 * pi, "1"},
                                             {0, 1, "2*pi"},
                                             {-0.25, 0.25, "4*pi"},
                                             {1, 3, "pi"}}) {
    const FormulaProblem problem = problem_on(lower, upper, factor, fourier);
    const Oracle oracle(problem);
    const std::vector<BasisFunction>& known = oracle.facts().known;
    ASSERT_EQ(known.size(), 2) << lower;
    const Samples at(oracle, 100);
    Matrix functions(100, 2), basis(100, 7), g(100, 1), expected(100, 1);
    Family(Uniform{lower, upper}, fourier).values(at.theta.data(), 100, basis);
    for (Index j = 0; j < 2; ++j) {
      const BasisFunction& function = known[static_cast<std::size_t>(j)];
      functions.col(j) = function.factor * basis.col(function.degree);
    }
    oracle.gradient(at.x, at.theta, at.noise, functions, g);
    oracle.gradient(at.x, at.theta, at.noise, expected);
    EXPECT_LT((g - expected).cwiseAbs().maxCoeff(), 1e-13) << lower;
  }
  EXPECT_TRUE(problem_on(-pi, pi, "1", Family::Kind::polynomial).facts().known.empty());
  EXPECT_TRUE(problem_on(-pi, pi, "1.5", fourier).facts().known.empty());
  EXPECT_TRUE(problem_on(0, 3, "1", fourier).facts().known.empty());
  EXPECT_TRUE(problem_on(0.25, 1.25, "2*pi", fourier).facts().known.empty());
  EXPECT_EQ(problem_on(-pi, pi, "2", fourier).facts().known.size(), 1);  // cos 6t is too far
}

// v as the problem sees it: the gradient of −v x is −v.
Vector noise_values(const std::string& distribution, std::map<std::string, FormulaText> arguments,
                    double theta, const Vector& u) {
  FormulaSpec spec;
  spec.parameters.push_back({.name = "t", .distribution = Uniform{0, 1}});
  spec.noise.push_back(
      {.name = "v", .finite = {}, .distribution = distribution, .arguments = std::move(arguments)});
  spec.variables = {{"x", false, Vector::Zero(1)}};
  spec.objective = {"x^2/2 - v*x", 9};
  const FormulaProblem problem(spec);
  const Index n = u.size();
  Matrix g(n, 1);
  problem.gradient(Matrix::Zero(n, 1), Matrix::Constant(n, 1, theta), u, g);
  return -g;
}

TEST(Noise, DistributionsWithArgumentsThatDependOnTheta) {
  const Vector u = Vector::LinSpaced(99, 0.01, 0.99);
  const double t = 0.7;
  const auto expect = [&](const std::string& name, std::map<std::string, FormulaText> arguments,
                          auto quantile) {
    const Vector v = noise_values(name, std::move(arguments), t, u);
    for (Index i = 0; i < u.size(); ++i)
      EXPECT_NEAR(v(i), quantile(u(i)), 1e-10 * (1 + std::abs(v(i)))) << name;
  };
  using namespace boost::math;
  expect("uniform", {{"lower", {"-t", 0}}, {"upper", {"1 + t", 1}}},
         [&](double p) { return -t + p * (1 + 2 * t); });
  expect("normal", {{"mean", {"2*t", 0}}, {"sd", {"exp(t)", 1}}},
         [&](double p) { return quantile(normal(2 * t, std::exp(t)), p); });
  expect("lognormal", {{"mu", {"t", 0}}, {"sigma", {"t/2", 1}}},
         [&](double p) { return quantile(lognormal(t, t / 2), p); });
  expect("beta", {{"alpha", {"1 + t", 0}}, {"beta", {"2", 1}}, {"upper", {"3", 2}}},
         [&](double p) { return 3 * quantile(beta_distribution<>(1 + t, 2), p); });
  expect("gamma", {{"shape", {"1 + t", 0}}, {"scale", {"2", 1}}},
         [&](double p) { return quantile(gamma_distribution<>(1 + t, 2), p); });
  expect("exponential", {{"rate", {"1 + t", 0}}},
         [&](double p) { return quantile(exponential(1 + t), p); });
  expect("weibull", {{"shape", {"1 + t", 0}}, {"scale", {"2", 1}}},
         [&](double p) { return quantile(weibull(1 + t, 2), p); });
  expect("triangular", {{"lower", {"-1", 0}}, {"mode", {"t", 1}}, {"upper", {"2", 2}}},
         [&](double p) { return quantile(triangular(-1, t, 2), p); });
  expect("loguniform", {{"lower", {"t", 0}}, {"upper", {"10*t", 1}}},
         [&](double p) { return t * std::pow(10, p); });
  expect("truncated_normal",
         {{"mean", {"t", 0}}, {"sd", {"2", 1}}, {"lower", {"0", 2}}, {"upper", {"3", 3}}},
         [&](double p) {
           const normal z(t, 2);
           return quantile(z, cdf(z, 0) + p * (cdf(z, 3) - cdf(z, 0)));
         });
}

TEST(Noise, RowsOfATableAreDrawnUniformlyAndBundledIntoVectors) {
  FormulaSpec spec;
  spec.parameters.push_back({.name = "t", .distribution = Uniform{0, 1}});
  Matrix rows(3, 3);
  rows << 1, 10, 5, 2, 20, 6, 3, 30, 7;
  spec.table = NoiseTable{{"a", "b", "c"}, rows, {{"features", {"a", "b"}}}};
  spec.variables = {{"w", true, Vector::Zero(2)}};
  spec.objective = {"(dot(features, w) - c)^2/2 + t*dot(w, w)", 0};
  const FormulaProblem problem(spec);
  ASSERT_EQ(problem.noise_dimension(), 1);
  Matrix noise(3, 1), g(3, 2);
  noise << 0.1, 0.5, 0.999;
  problem.gradient(Matrix::Zero(3, 2), Matrix::Ones(3, 1), noise, g);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(g(i, 0), -rows(i, 0) * rows(i, 2));
    EXPECT_DOUBLE_EQ(g(i, 1), -rows(i, 1) * rows(i, 2));
  }
  EXPECT_EQ(problem.component_names(), (std::vector<std::string>{"w[0]", "w[1]"}));
}

TEST(Noise, FiniteValuesWithWeights) {
  FormulaSpec spec;
  spec.parameters.push_back({.name = "t", .distribution = Uniform{0, 1}});
  spec.noise.push_back({.name = "v",
                        .finite = Distribution(Discrete{{5, 7}, {1, 3}}),
                        .distribution = {},
                        .arguments = {}});
  spec.variables = {{"x", false, Vector::Zero(1)}};
  spec.objective = {"x^2/2 - v*x", 0};
  Matrix noise(2, 1), g(2, 1);
  noise << 0.2, 0.3;
  FormulaProblem(spec).gradient(Matrix::Zero(2, 1), Matrix::Ones(2, 1), noise, g);
  EXPECT_EQ(g(0, 0), -5);
  EXPECT_EQ(g(1, 0), -7);
}

// What validate() says about an objective of x (and t, and noise v uniform on [0, 1]).
std::string complaint(const std::string& objective, const std::string& noise_sd = "1") {
  FormulaSpec spec;
  spec.parameters.push_back({.name = "t", .distribution = Uniform{-1, 1}});
  spec.noise.push_back({.name = "v",
                        .finite = {},
                        .distribution = "normal",
                        .arguments = {{"mean", {"0", 1}}, {"sd", {noise_sd, 2}}}});
  spec.variables = {{"x", false, Vector::Zero(1)}, {"w", true, Vector::Zero(2)}};
  spec.objective = {objective + " + dot(w, w) + x^2", 0};
  try {
    FormulaProblem(spec).validate();
  } catch (const FormulaError& error) {
    return error.what();
  }
  return "";
}

TEST(Validate, KinksInTheVariablesAreFoundUnlessNoiseSmoothsThem) {
  EXPECT_NE(complaint("-abs(x - t)").find("not differentiable"), std::string::npos);
  EXPECT_NE(complaint("exp(max(x, t))").find("not differentiable"), std::string::npos);
  EXPECT_NE(complaint("if(x > t, 3*x, x)").find("not differentiable"), std::string::npos);
  EXPECT_NE(complaint("exp(norm2(w))").find("not differentiable"), std::string::npos);
  EXPECT_EQ(complaint("abs(x - t) + max(x, t) + norm2(w)"), "");  // convex terms are rows
  EXPECT_EQ(complaint("abs(x - v)"), "");
  EXPECT_EQ(complaint("abs(t)*x"), "");
  EXPECT_EQ(complaint("norm2(w)^2"), "");
  EXPECT_EQ(complaint("abs(x - t)^3"), "");
  EXPECT_EQ(complaint("if(abs(x) < 1, x^2/2, abs(x) - 1/2)"), "");  // Huber: once differentiable
}

TEST(Validate, ValuesThatAreNotRealAreFound) {
  EXPECT_NE(complaint("log(x - 5)").find("log"), std::string::npos);
  EXPECT_NE(complaint("sqrt(t - 2)*x").find("square root"), std::string::npos);
  EXPECT_NE(complaint("sqrt(x)"), "");
  EXPECT_NE(complaint("1/x"), "");
  EXPECT_NE(complaint("v*x", "t").find("sd must be positive"), std::string::npos);
}

TEST(Formula, MistakesAreNamed) {
  const auto message = [](auto change) -> std::string {
    FormulaSpec spec = paper_spec();
    change(spec);
    try {
      const FormulaProblem problem(spec);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message([](FormulaSpec& s) { s.variables.clear(); }).find("at least one variable"),
            std::string::npos);
  EXPECT_NE(message([](FormulaSpec& s) {
              s.objective.text = "(x - s)^2";
            }).find("does not depend on 'y'"),
            std::string::npos);
  EXPECT_NE(message([](FormulaSpec& s) { s.variables[0].name = "theta"; }).find("used twice"),
            std::string::npos);
  EXPECT_NE(message([](FormulaSpec& s) {
              s.reference = {{"x", {"s", 7}}};
            }).find("'y' has none"),
            std::string::npos);
  EXPECT_NE(message([](FormulaSpec& s) {
              s.reference = {{"x", {"v", 7}}, {"y", {"s", 8}}};
            }).find("parameters only"),
            std::string::npos);
  EXPECT_NE(message([](FormulaSpec& s) {
              s.strong_convexity = FormulaText{"theta", 7};
            }).find("constants"),
            std::string::npos);
}

TEST(PerSample, AdaptorEqualsTheBatchedProblem) {
  const testing::PaperProblem batched;
  PerSampleProblem single(2, batched.parameters(), 0,
                          [](const Vector& x, const Vector& theta, const Vector&) {
                            const double s = testing::paper_optimum(theta(0));
                            return Vector{{x(0) - s, 200 * (x(1) - s)}};
                          });
  single.known = batched.facts();
  Options options;
  options.iterations = 20;
  // The compiler may fuse multiplications and additions differently: rounding only.
  const Coefficients one = solve(single, options).expansion.coefficients(),
                     other = solve(batched, options).expansion.coefficients();
  EXPECT_LT((one - other).norm(), 1e-13);
}

TEST(OracleCheck, FactsOfTheWrongShapeAreRefused) {
  PerSampleProblem problem(2, Measure({Distribution(Uniform{0, 1})}), 0,
                           [](const Vector& x, const Vector&, const Vector&) { return x; });
  problem.known.start = Vector::Zero(3);
  EXPECT_THROW(Oracle{problem}, InputError);
  problem.known = {};
  problem.known.strong_convexity = 2;
  problem.known.smoothness = 1;
  EXPECT_THROW(Oracle{problem}, InputError);
  problem.known = {};
  problem.known.row_group = 3;
  EXPECT_THROW(Oracle{problem}, InputError);
}

}  // namespace
}  // namespace chaosgrad
