// Where the sieve begins, and what it says of starts, kinks, domains and curvature.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "chaosgrad/chaosgrad.h"
#include "random/random.h"
#include "solve/sieve/first_descent.h"

namespace chaosgrad {
using namespace internal;
namespace {

// The minimiser of g·p + ½ p·Hp in a ball: H p + τ p = −g with τ ≥ 0, and τ = 0 inside.
TEST(FirstDescent, BoundedStepsFulfilTheirConditions) {
  const Matrix vectors = Matrix::Identity(2, 2);
  const Vector g{{3, 4}};
  EXPECT_LT((bounded_step(vectors, Vector{{1, 2}}, g, 10) - Vector{{-3, -2}}).norm(), 1e-12);
  const Vector p = bounded_step(vectors, Vector{{1, 2}}, g, 1);
  EXPECT_NEAR(p.norm(), 1, 1e-5);
  const double tau = (-g(0) - p(0)) / p(0);
  EXPECT_GT(tau, 0);
  EXPECT_NEAR(2 * p(1) + tau * p(1), -g(1), 1e-4);
  // No curvature: down the gradient.
  EXPECT_LT((bounded_step(vectors, Vector::Zero(2), g, 5) - Vector{{-3, -4}}).norm(), 1e-4);
}

// The 80 % quantile of N(θ, 1): kinks only, no curvature at all a few units from the optimum.
TEST(FirstDescent, QuantilesAreFoundFromAnyStart) {
  for (const double start : {-50.0, 0.0, 1000.0}) {
    PerSampleProblem problem(1, Measure({Distribution(Uniform{-1, 1})}), 1,
                             [](const Vector& x, const Vector& theta, const Vector& noise) {
                               const double v = theta(0) + normal_quantile(noise(0));
                               return Vector::Constant(1, v < x(0) ? 0.2 : -0.8);
                             });
    problem.known.start = Vector::Constant(1, start);
    const Solution solution = solve(problem, {.tolerance = 0.05});
    ASSERT_EQ(solution.status, Status::converged) << start << ": " << solution.message;
    for (const double t : {-0.8, 0.0, 0.8})
      EXPECT_NEAR(solution(Vector::Constant(1, t))(0), t + normal_quantile(0.8), 0.2) << start;
  }
}

// CVaR with two assets: kinks in three variables, whose Hessians by differences are asymmetric by
// noise alone. z1, z2 independent N(μ_i, σ_i): by symmetry the weights are equal for μ = 0, σ = 1.
TEST(NoisyCurvature, KinksInSeveralVariablesAreNoBadGradient) {
  const PerSampleProblem problem(2, Measure({Distribution(Uniform{0.7, 0.9})}), 2,
                                 [](const Vector& x, const Vector& theta, const Vector& noise) {
                                   const double z1 = normal_quantile(noise(0)),
                                                z2 = normal_quantile(noise(1));
                                   const double loss = x(1) * z1 + (1 - x(1)) * z2,
                                                tail = loss > x(0) ? 1 / (1 - theta(0)) : 0;
                                   return Vector{{1 - tail, tail * (z1 - z2)}};
                                 });
  const Solution solution = solve(problem, {.tolerance = 0.05, .max_gradients = 4'000'000});
  ASSERT_EQ(solution.status, Status::converged) << solution.message;
  for (const double level : {0.75, 0.85}) {
    const Vector x = solution(Vector::Constant(1, level));
    EXPECT_NEAR(x(0), normal_quantile(level) / std::sqrt(2.0), 0.15);
    EXPECT_NEAR(x(1), 0.5, 0.15);
  }
}

// log(1 + x v): x must stay below 1/2. Newton's steps from 0.49 may leave; they are shortened.
struct Kelly {
  double start = 0.4;
  [[nodiscard]] static Index dimension() { return 1; }
  [[nodiscard]] static Index noise_dimension() { return 1; }
  [[nodiscard]] static Measure parameters() { return Measure({Distribution(Uniform{0.55, 0.65})}); }
  [[nodiscard]] ProblemFacts facts() const {
    ProblemFacts facts;
    facts.start = Vector::Constant(1, start);
    facts.parameter_names = {"chance"};
    facts.variable_names = {"bet"};
    return facts;
  }
  static void gradient(const Block& x, const Block& theta, const Block& noise, BlockOut g) {
    for (Index i = 0; i < x.rows(); ++i) {
      const double v = noise(i, 0) < theta(i, 0) ? 2 : -2, wealth = 1 + x(i, 0) * v;
      g(i, 0) = wealth > 0 ? -v / wealth : std::numeric_limits<double>::quiet_NaN();
    }
  }
  [[nodiscard]] static std::string explain(const Block& x, const Block&, const Block& noise) {
    return "log of a negative number (" + std::to_string(1 - 2 * x(0, 0)) + ")" +
           (noise.rows() == 1 ? "" : "?");
  }
};

TEST(Domains, StepsThatLeaveAreShortened) {
  for (const double start : {0.0, 0.4, 0.49}) {
    const Kelly problem{start};
    const Solution solution = solve(problem, {.tolerance = 0.02, .max_gradients = 2'000'000});
    ASSERT_EQ(solution.status, Status::converged) << start << ": " << solution.message;
    // (2 p − 1)/2 by hand.
    EXPECT_NEAR(solution(Vector::Constant(1, 0.6))(0), 0.1, 0.06);
  }
}

TEST(Domains, AStartOutsideIsNamed) {
  const Kelly problem{0.7};
  const Solution solution = solve(problem, {.tolerance = 0.02});
  EXPECT_EQ(solution.status, Status::outside_domain);
  for (const char* part : {"log of a negative number", "chance = ", "bet = 0.7", "start inside"})
    EXPECT_NE(solution.message.find(part), std::string::npos) << solution.message;
}

TEST(NoisyCurvature, FallingWithoutEndIsToldWithItsDirection) {
  PerSampleProblem problem(2, Measure({Distribution(Uniform{-1, 1})}), 1,
                           [](const Vector& x, const Vector& theta, const Vector& noise) {
                             return Vector{{x(0) - theta(0) + noise(0) - 0.5, -1 + 0.1 * noise(0)}};
                           });
  problem.known.variable_names = {"safe", "endless"};
  const Solution solution = solve(problem, {.tolerance = 0.05});
  EXPECT_EQ(solution.status, Status::diverged);
  EXPECT_NE(solution.message.find("endless"), std::string::npos) << solution.message;
  EXPECT_NE(solution.message.find("start nearer"), std::string::npos) << solution.message;
}

TEST(NoisyCurvature, NegativeCurvatureIsToldWithPlaceAndDirection) {
  PerSampleProblem problem(1, Measure({Distribution(Uniform{-1, 1})}), 1,
                           [](const Vector& x, const Vector& theta, const Vector& noise) {
                             return Vector::Constant(1, theta(0) * (x(0) - 1) + noise(0) - 0.5);
                           });
  problem.known.parameter_names = {"stiffness"};
  problem.known.variable_names = {"bend"};
  const Solution solution = solve(problem, {.tolerance = 0.05, .max_gradients = 400'000});
  EXPECT_EQ(solution.status, Status::not_strongly_convex) << solution.message;
  EXPECT_NE(solution.message.find("stiffness is lowest"), std::string::npos) << solution.message;
  EXPECT_NE(solution.message.find("along bend"), std::string::npos) << solution.message;
}

}  // namespace
}  // namespace chaosgrad
