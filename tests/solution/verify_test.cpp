// verify(): other minima, domains, and points that the quick method does not solve.
#include "chaosgrad/verify.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chaosgrad/chaosgrad.h"

namespace chaosgrad {
namespace {

FormulaProblem problem_of(const std::string& objective, double start, bool noisy = false) {
  FormulaSpec spec;
  spec.parameters.push_back({.name = "t", .distribution = Uniform{-1, 1}});
  if (noisy) {
    spec.noise.push_back({.name = "v",
                          .finite = {},
                          .distribution = "uniform",
                          .arguments = {{"lower", {"-1", 1}}, {"upper", {"1", 2}}}});
  }
  spec.variables = {{"x", false, Vector::Constant(1, start)}};
  spec.objective = {objective, 0};
  return FormulaProblem(spec);
}

// x(θ) = constant + slope·θ as an expansion of Legendre polynomials, orthonormal on [−1, 1].
Expansion line(const FormulaProblem& problem, double constant, double slope) {
  const Basis basis({Family(Uniform{-1, 1}, Family::Kind::polynomial)}, IndexSet::first(1, 2));
  Coefficients u(2, 1);
  u << constant, slope / std::sqrt(3.0);
  return Expansion(problem.parameters(), basis, u);
}

// F = (x² − 1)²/4 − 0.3 t x: near x = 1 lies one minimum, near −1 the other; for t < 0 the latter is
// the lower one.
TEST(Verify, FindsTheLowerOfTwoMinima) {
  const std::string wells = "(x^2 - 1)^2/4 - 0.3*t*x";
  VerifyOptions options;
  options.points = 200;
  const FormulaProblem from_left = problem_of(wells, -1.2);
  const Verification found = verify(from_left, line(from_left, 1, 0.15), options);
  EXPECT_EQ(found.failure, "");
  EXPECT_LT(found.error, 0.05);  // the expansion is near the minimum that it follows
  // The start leads to the left minimum, which is the lower one where t < 0: half of θ.
  EXPECT_EQ(found.minima.equal, 0);
  EXPECT_NEAR(static_cast<double>(found.minima.lower), 100, 5 * std::sqrt(200 * 0.25));
  EXPECT_LT(found.minima.theta(0), -0.9);
  EXPECT_LT(found.minima.other(0), -1);
  EXPECT_GT(found.minima.near(0), 0.7);
  const auto value = [&](double x, double t) { return std::pow(x * x - 1, 2) / 4 - 0.3 * t * x; };
  EXPECT_NEAR(found.minima.other_value, value(found.minima.other(0), found.minima.theta(0)), 1e-12);
  EXPECT_NEAR(found.minima.near_value, value(found.minima.near(0), found.minima.theta(0)), 1e-12);
  // From the same side nothing else is found.
  const FormulaProblem from_right = problem_of(wells, 1.2);
  EXPECT_EQ(verify(from_right, line(from_right, 1, 0.15), options).minima.count(), 0);
  EXPECT_DOUBLE_EQ(found.unseen, 3.0 / 200);
}

TEST(Verify, CountsMinimaThatAreAsLow) {
  const FormulaProblem problem = problem_of("(x^2 - 1)^2/4 + 0*t*x", -1.2);
  const Verification found = verify(problem, line(problem, 1, 0));
  EXPECT_EQ(found.minima.lower, 0);
  EXPECT_EQ(found.minima.equal, found.points);
}

// The same under noise: the halves of the draws are averages with two wells each.
TEST(Verify, FindsTheLowerOfTwoMinimaUnderNoise) {
  const FormulaProblem problem = problem_of("(x^2 - 1)^2/4 - 0.3*t*x + tanh(v)*x", -1.2, true);
  VerifyOptions options;
  options.points = 40;
  options.draws = 512;
  const Verification found = verify(problem, line(problem, 1, 0.15), options);
  EXPECT_EQ(found.failure, "");
  EXPECT_NEAR(static_cast<double>(found.minima.lower), 20, 5 * std::sqrt(40 * 0.25));
  EXPECT_LT(found.minima.other(0), -0.9);
}

// x* = exp(3t): where the quick method would step to x < 0, where −log x is not defined.
TEST(Verify, ShortensStepsThatLeaveTheDomain) {
  const FormulaProblem problem = problem_of("x*exp(-3*t) - log(x)", 1);
  const Verification found = verify(problem, line(problem, 7, 6.9));
  EXPECT_EQ(found.failure, "");
  EXPECT_EQ(found.unsolved, 0);
  EXPECT_EQ(found.minima.count(), 0);
  EXPECT_EQ(found.outside, 0);
  // ‖7 + 6.9 t − exp(3t)‖² on [−1, 1], by the midpoint rule.
  double square = 0;
  const int n = 20000;
  for (int i = 0; i < n; ++i) {
    const double t = -1 + 2 * (i + 0.5) / n;
    square += std::pow(7 + 6.9 * t - std::exp(3 * t), 2) / n;
  }
  EXPECT_LE(found.lower, std::sqrt(square));
  EXPECT_GE(found.upper, std::sqrt(square));
}

TEST(Verify, SaysWhereTheExpansionLeavesTheDomain) {
  const FormulaProblem problem = problem_of("x*exp(-3*t) - log(x)", 1);
  const Verification found = verify(problem, line(problem, 1, 2));  // negative for t < −0.5
  EXPECT_EQ(found.failure, "");
  EXPECT_NEAR(static_cast<double>(found.outside), 50, 5 * std::sqrt(200 * 0.25 * 0.75));
  EXPECT_LT(found.outside_theta(0), -0.5);
  EXPECT_NE(found.outside_reason.find("log of a negative number (x = -"), std::string::npos);
}

// Two of 200 points are more than a probability of 1e-3 explains with confidence 0.95, one is not:
// P(at least 1) = 1 − 0.999²⁰⁰ = 0.18, P(at least 2) = 0.0175.
TEST(Verify, AllowsTheDomainToBeLeftRarely) {
  Verification found;
  found.points = 200;
  for (const auto& [outside, leaves] : {std::pair{0, false}, {1, false}, {2, true}, {50, true}}) {
    found.outside = outside;
    EXPECT_EQ(leaves_domain(found, 0.95), leaves) << outside;
  }
  found.outside = 2;
  EXPECT_FALSE(leaves_domain(found, 0.99));
}

// Where the mean Hessian at the middle of the expansion is not positive there is no quick method.
TEST(Verify, NeedsNoConvexityInTheMiddle) {
  const FormulaProblem problem = problem_of("log(1 + 10*(x - 5*t)^2)", 0.1);
  const Verification found = verify(problem, line(problem, 0, 5));
  EXPECT_EQ(found.failure, "");
  EXPECT_LT(found.upper, 1e-8);
}

}  // namespace
}  // namespace chaosgrad
