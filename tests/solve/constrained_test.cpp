// Problems under constraints, solved by every method, against enumeration of active sets.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "chaosgrad/chaosgrad.h"
#include "random/random.h"
#include "samples/parameters.h"
#include "solve/collocation/curvature/metric.h"

namespace chaosgrad::internal {
namespace {

// f = ½ xᵀH(θ)x − b(θ)·x over a box and, if wanted, Σx = 1; exp(x_0)-terms make it not quadratic.
struct BoxProblem {
  Index q = 3;
  double lower = -0.2, upper = 0.5;
  bool budget = false, curved = false, with_hessian = true;
  double noise = 0;

  [[nodiscard]] Index dimension() const { return q; }
  [[nodiscard]] Measure parameters() const { return Measure({Uniform{-1, 1}, Uniform{-1, 1}}); }
  [[nodiscard]] Index noise_dimension() const { return noise > 0 ? 1 : 0; }
  [[nodiscard]] ProblemFacts facts() const {
    ProblemFacts facts;
    facts.start = Vector::Constant(q, 5.0);  // outside of the box
    std::vector<LinearConstraints::Rows> rows;
    if (budget) rows = {{"budget", Matrix::Ones(1, q), Vector::Constant(1, 1.0), Vector::Ones(1)}};
    facts.constraints = std::make_shared<LinearConstraints>(q, Vector::Constant(q, lower),
                                                            Vector::Constant(q, upper), rows);
    if (with_hessian) facts.operations = 100;
    return facts;
  }
  [[nodiscard]] Matrix quadratic(const Vector& theta) const {
    Matrix H = Matrix::Identity(q, q) * (1.5 + 0.5 * theta(0));
    for (Index i = 0; i + 1 < q; ++i) H(i, i + 1) = H(i + 1, i) = 0.4 + 0.2 * theta(1);
    return H;
  }
  [[nodiscard]] Vector linear(const Vector& theta) const {
    Vector b(q);
    for (Index i = 0; i < q; ++i)
      b(i) = std::sin(1.0 + static_cast<double>(i) + theta(0)) * (0.8 + theta(1)) + 0.3 * theta(0);
    return b;
  }
  [[nodiscard]] Vector slope(const Vector& x, const Vector& theta) const {
    Vector g = quadratic(theta) * x - linear(theta);
    if (curved) g(0) += 0.5 * (std::exp(2 * x(0)) - 1);
    return g;
  }
  void gradient(Block x, Block theta, Block v, BlockOut g) const {
    for (Index i = 0; i < x.rows(); ++i) {
      g.row(i) = slope(x.row(i).transpose(), theta.row(i).transpose()).transpose();
      if (noise > 0) g.row(i).array() += noise * (2 * v(i, 0) - 1);
    }
  }
  void value(Block x, Block theta, Block v, BlockOut f) const {
    for (Index i = 0; i < x.rows(); ++i) {
      const Vector at = x.row(i).transpose(), t = theta.row(i).transpose();
      f(i, 0) = 0.5 * at.dot(quadratic(t) * at) - linear(t).dot(at);
      if (curved) f(i, 0) += 0.25 * std::exp(2 * at(0)) - 0.5 * at(0);
      if (noise > 0) f(i, 0) += noise * (2 * v(i, 0) - 1) * at.sum();
    }
  }
  [[nodiscard]] bool has_hessian() const { return with_hessian; }
  void hessian(Block x, Block theta, Block, BlockOut h) const {
    for (Index i = 0; i < x.rows(); ++i) {
      Matrix H = quadratic(theta.row(i).transpose());
      if (curved) H(0, 0) += std::exp(2 * x(i, 0));
      for (Index k = 0; k < q * q; ++k) h(i, k) = H(k);
    }
  }
};

struct Truth {
  Vector x;
  Vector bounds;      // multipliers: > 0 at the upper bound
  double budget = 0;  // multiplier of Σx = 1
};

// All 3^q choices of free, lower, upper; Newton's method on the free components (and the budget).
Truth enumerate(const BoxProblem& problem, const Vector& theta) {
  const Index q = problem.q;
  const auto sets = static_cast<Index>(std::pow(3, q));
  for (Index code = 0; code < sets; ++code) {
    std::vector<Index> free;
    Vector x = Vector::Zero(q);
    for (Index i = 0, rest = code; i < q; ++i, rest /= 3) {
      if (rest % 3 == 0) free.push_back(i);
      if (rest % 3 == 1) x(i) = problem.lower;
      if (rest % 3 == 2) x(i) = problem.upper;
    }
    const auto n = static_cast<Index>(free.size()), rows = n + (problem.budget ? 1 : 0);
    double multiplier = 0;
    for (int k = 0; k < 60 && rows > 0; ++k) {
      Matrix K = Matrix::Zero(rows, rows), h(1, q * q);
      problem.hessian(x.transpose(), theta.transpose(), Matrix(1, 0), h);
      const Matrix H = Eigen::Map<const Matrix>(h.data(), q, q);
      Vector r(rows);
      K.topLeftCorner(n, n) = H(free, free);
      r.head(n) = -problem.slope(x, theta)(free);
      if (problem.budget) {
        K.col(n).head(n).setOnes();
        K.row(n).head(n).setOnes();
        r(n) = 1 - x.sum();
      }
      const Vector step = K.fullPivLu().solve(r);
      for (Index i = 0; i < n; ++i) x(free[static_cast<std::size_t>(i)]) += step(i);
      if (problem.budget) multiplier = step(n);
    }
    const Vector force = -(problem.slope(x, theta).array() + multiplier).matrix();
    bool optimal = !problem.budget || std::abs(x.sum() - 1) < 1e-9;
    for (Index i = 0, rest = code; i < q; ++i, rest /= 3) {
      const bool inside = x(i) >= problem.lower - 1e-12 && x(i) <= problem.upper + 1e-12;
      const double sign = rest % 3 == 0 ? 0 : rest % 3 == 1 ? -1 : 1;
      optimal = optimal && inside && (sign == 0 ? std::abs(force(i)) < 1e-9 : sign * force(i) >= 0);
    }
    if (optimal) return {x, force, multiplier};
  }
  ADD_FAILURE() << "no active set is optimal";
  return {};
}

Matrix fresh_parameters(Index n) {
  return draw_parameters(BoxProblem{}.parameters(), make_stream(3, Purpose::test), 0, n).theta;
}

struct Distances {
  double x = 0, bounds = 0, budget = 0, violation = 0;  // root mean squares; the largest violation
};
Distances distances(const BoxProblem& problem, const Solution& solution, Index n = 300) {
  const Matrix theta = fresh_parameters(n);
  const LiftedBlock found = solution.expansion.evaluate_lifted(theta);
  Distances result;
  for (Index i = 0; i < n; ++i) {
    const Truth truth = enumerate(problem, theta.row(i).transpose());
    result.x += (found.x.row(i).transpose() - truth.x).squaredNorm();
    result.bounds += (found.bound_multipliers.row(i).transpose() - truth.bounds).squaredNorm();
    if (problem.budget) result.budget += std::pow(found.row_multipliers(i, 0) - truth.budget, 2);
    result.violation = std::max({result.violation, problem.lower - found.x.row(i).minCoeff(),
                                 found.x.row(i).maxCoeff() - problem.upper,
                                 problem.budget ? std::abs(found.x.row(i).sum() - 1) : 0.0});
  }
  for (double* part : {&result.x, &result.bounds, &result.budget})
    *part = std::sqrt(*part / static_cast<double>(n));
  return result;
}

Options within(double tolerance) {
  Options options;
  options.tolerance = tolerance;
  return options;
}

class Constrained : public testing::TestWithParam<BoxProblem> {};

TEST_P(Constrained, CollocationMeetsItsToleranceOnX) {
  const BoxProblem& problem = GetParam();
  const Solution solution = solve(problem, within(1e-4));
  ASSERT_EQ(solution.status, Status::converged) << solution.message;
  const Distances found = distances(problem, solution);
  // 300 samples of an error with heavy tails: within twice of what was promised.
  EXPECT_LE(found.x, 2e-4);
  EXPECT_LE(found.violation, 1e-12);
  if (found.x > 1e-9) {  // x that nothing moves leaves its multipliers behind; their bars tell
    EXPECT_LE(found.bounds, 20 * found.x + 1e-6);  // H times as far off, L ≤ 5
    EXPECT_LE(found.budget, 20 * found.x + 1e-6);
  }
  if (solution.multiplier_errors.size() > 0) {
    const double said = solution.multiplier_errors.head(problem.q).norm();
    EXPECT_LE(found.bounds, 3 * said + 1e-6);
    EXPECT_LE(said, 10 * found.bounds + 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, Constrained,
                         testing::Values(BoxProblem{}, BoxProblem{.q = 4},
                                         BoxProblem{.budget = true}, BoxProblem{.curved = true},
                                         BoxProblem{.with_hessian = false},
                                         BoxProblem{.q = 2, .curved = true, .with_hessian = false},
                                         BoxProblem{.q = 1},
                                         BoxProblem{.lower = 0.1, .upper = 0.1}));

TEST(ConstrainedProblem, TheExpansionOfAQuadraticWithItsOwnMetricHasNoKinks) {
  BoxProblem problem;
  const Solution lifted = solve(problem, within(1e-5));
  problem.lower = -100;
  problem.upper = 100;
  const Solution free = solve(problem, within(1e-5));
  ASSERT_EQ(lifted.status, Status::converged) << lifted.message;
  ASSERT_EQ(free.status, Status::converged) << free.message;
  // Without the lift kinks in two parameters take hundreds of functions for 1e-3 alone.
  EXPECT_LE(lifted.expansion.coefficients().rows(), 8 * free.expansion.coefficients().rows());
}

// The metric of a quadratic is its Hessian: kinks cost Hessians, not gradients.
TEST(ConstrainedProblem, BoundsOnAQuadraticTakeAboutTheGradientsOfTheFreeProblem) {
  std::int64_t bounded_gradients = 0, free_gradients = 0;
  for (const std::uint64_t seed : {1U, 2U}) {
    Options options = within(1e-4);
    options.seed = seed;
    const Solution bounded = solve(BoxProblem{}, options);
    const Solution free = solve(BoxProblem{.lower = -100, .upper = 100}, options);
    ASSERT_TRUE(bounded.status == Status::converged && free.status == Status::converged);
    EXPECT_GT(bounded.hessians, 0);
    bounded_gradients += bounded.gradients;
    free_gradients += free.gradients;
  }
  EXPECT_LE(static_cast<double>(bounded_gradients), 1.5 * static_cast<double>(free_gradients));
  EXPECT_EQ(solve(BoxProblem{.with_hessian = false}, within(1e-3)).hessians, 0);
}

TEST(ConstrainedProblem, EmptySetsAreNamedWithTheirParameters) {
  BoxProblem problem{.lower = 0, .upper = 0.2, .budget = true};  // Σx ≤ 0.6
  const Solution solution = solve(problem, within(1e-3));
  EXPECT_EQ(solution.status, Status::infeasible);
  EXPECT_NE(solution.message.find("no x satisfies the constraints at"), std::string::npos);
}

TEST(ConstrainedProblem, NoiseIsAveragedUnderConstraints) {
  const BoxProblem problem{.noise = 0.5};
  Options options = within(1e-2);
  options.method = Method::sieve;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    options.seed = seed;
    const Solution solution = solve(problem, options);
    ASSERT_EQ(solution.status, Status::converged) << solution.message;
    const Distances found = distances(problem, solution);
    EXPECT_LE(found.x, 1.2e-2);
    EXPECT_LE(found.violation, 1e-12);
  }
}

TEST(ConstrainedProblem, ThePapersMethodsComeClose) {
  const BoxProblem problem;
  for (const Method method : {Method::gd, Method::agd, Method::uqsa, Method::nested}) {
    Options options;
    options.method = method;
    options.iterations = 200;
    const Solution solution = solve(problem, options);
    ASSERT_TRUE(solution.ok()) << solution.message;
    const Distances found = distances(problem, solution);
    EXPECT_LE(found.x, 0.1) << to_string(method);
    EXPECT_LE(found.violation, 1e-12);
    ASSERT_TRUE(solution.error.estimate);
    EXPECT_GE(*solution.error.estimate, 0.5 * found.x) << to_string(method);
  }
}

TEST(ConstrainedProblem, ResumesToTheSameBits) {
  const BoxProblem problem{.curved = true};
  Options options = within(1e-4);
  const Solution whole = solve(problem, options);
  Options cut = options;
  cut.max_gradients = whole.gradients / 2;
  const Solution half = solve(problem, cut);
  ASSERT_EQ(half.status, Status::out_of_gradients) << half.message;
  options.resume = std::make_shared<const Solution>(half);
  const Solution resumed = solve(problem, options);
  EXPECT_EQ(resumed.expansion.coefficients(), whole.expansion.coefficients());
  EXPECT_EQ(resumed.expansion.lift()->factor(), whole.expansion.lift()->factor());
  EXPECT_EQ(resumed.gradients, whole.gradients);
  EXPECT_EQ(resumed.hessians, whole.hessians);
  EXPECT_EQ(resumed.error.estimate, whole.error.estimate);
}

TEST(ConstrainedProblem, ThreadsDoNotMatter) {
  const BoxProblem problem{.budget = true};
  Options one = within(1e-4), two = within(1e-4);
  one.threads = 1;
  two.threads = 2;
  const Solution a = solve(problem, one), b = solve(problem, two);
  EXPECT_EQ(a.expansion.coefficients(), b.expansion.coefficients());
  EXPECT_EQ(a.error.estimate, b.error.estimate);
}

}  // namespace
}  // namespace chaosgrad::internal
