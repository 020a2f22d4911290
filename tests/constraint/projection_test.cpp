// Projections against the conditions of optimality, recomputed from the rows at x, and against
// closed forms.
#include "constraint/projection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "constraint/random_curved.h"

namespace chaosgrad {
using namespace internal;
namespace {

using Outcome = QuadraticSolution::Outcome;
using testing::AffineRow;
using testing::CurvedConstraints;
using testing::CurvedProblem;
using testing::EllipsoidRow;

constexpr double accuracy = 1e-9;  // of conditions, relative to the terms that they are sums of
const Vector no_theta = Vector::Zero(1);

Matrix identity(Index q) { return Matrix::Identity(q, q); }

Projection project_one(const Constraints& constraints, const Matrix& factor, const Vector& y) {
  return project(constraints, no_theta, factor, y);
}

std::string broken_row(const ConstraintBlock& at, const Projection& result, Index i, double scale) {
  const double c = at.value(0, i), lambda = result.row_multipliers(i);
  if (lambda < at.least(0, i) || lambda > at.most(0, i)) return "limit";
  if (c > accuracy * scale && lambda < at.most(0, i)) return "row above";
  if (c < -accuracy * scale && lambda > at.least(0, i)) return "row below";
  return "";
}

// |λ| ≤ w and λᵀc = w |c|.
std::string broken_norm(const ConstraintBlock& at, const Projection& result,
                        const Constraint& entry, double scale) {
  const Vector c = at.value.row(0).segment(entry.first, entry.count);
  const Vector lambda = result.row_multipliers.segment(entry.first, entry.count);
  const double w = at.most(0, entry.first);
  if (lambda.norm() > w * (1 + accuracy)) return "limit of a norm";
  return w * c.norm() - lambda.dot(c) > accuracy * w * scale ? "norm" : "";
}

// Empty if the conditions hold, otherwise the one that does not.
std::string broken_condition(const CurvedProblem& problem, const Projection& result) {
  const CurvedConstraints& constraints = problem.constraints;
  const Index p = constraints.rows(), q = constraints.dimension();
  ConstraintBlock at;
  constraints.evaluate(result.x.transpose(), no_theta, at);
  const Matrix J = at.jacobian.reshaped(q, p).transpose();
  const Vector force = problem.M * (problem.y - result.x);
  const Vector terms = J.transpose().cwiseAbs() * result.row_multipliers.cwiseAbs() +
                       result.bound_multipliers.cwiseAbs();
  const double size = force.norm() + terms.norm() + 1e-3 * (problem.M * result.x).norm();
  if ((force - result.force).norm() > accuracy * size) return "force";
  if ((result.force - result.bound_multipliers - J.transpose() * result.row_multipliers).norm() >
      accuracy * size)
    return "sum of forces";
  for (Index j = 0; j < q; ++j) {
    const double mu = result.bound_multipliers(j), lower = constraints.lower(j);
    if (result.x(j) < lower || result.x(j) > constraints.upper(j)) return "bound";
    if (mu > 0 && result.x(j) != constraints.upper(j)) return "upper multiplier";
    if (mu < 0 && result.x(j) != lower) return "lower multiplier";
  }
  const Vector scale = J.cwiseAbs() * result.x.cwiseAbs() +
                       (J * result.x - at.value.row(0).transpose()).cwiseAbs() +
                       1e-2 * J.cwiseAbs().rowwise().sum();
  for (const Constraint& entry : constraints.list()) {
    std::string broken;
    if (entry.norm && entry.count > 1)
      broken = broken_norm(at, result, entry, scale.segment(entry.first, entry.count).norm());
    else
      broken = broken_row(at, result, entry.first, scale(entry.first));
    if (!broken.empty()) return broken;
  }
  return "";
}

TEST(Projection, RandomRowsOfEverySortMeetTheConditionsOfOptimality) {
  for (std::uint64_t key = 0; key < 3000; ++key) {
    const CurvedProblem problem = testing::random_curved(key);
    const Projection result = project_one(problem.constraints, problem.factor, problem.y);
    ASSERT_EQ(result.outcome, Outcome::solved) << "key " << key;
    EXPECT_EQ(broken_condition(problem, result), "") << "key " << key;
    EXPECT_LE(state_at(problem.constraints, no_theta, result.x).violation, 1e-9) << key;
  }
}

TEST(Projection, OfABallIsTheNearestPointOfTheSphere) {
  const Vector centre{{1, -1, 0.5}}, y{{4, 2, -1}};
  CurvedConstraints ball(3);
  ball.add(std::make_shared<EllipsoidRow>(identity(3), centre, 0.25), 0, infinity);
  const Projection result = project_one(ball, identity(3), y);
  const Vector nearest = centre + 0.5 * (y - centre).normalized();
  EXPECT_LT((result.x - nearest).norm(), 1e-13);
  EXPECT_LT((result.force - (y - nearest)).norm(), 1e-12);
  EXPECT_EQ(project_one(ball, identity(3), centre).x, centre);
}

// argmin ½ |x − y|² + Σ_g w_g |x_g|: each group shrinks towards zero by w_g.
TEST(Projection, OfGroupsIsSoftThresholding) {
  const Vector y{{3, -4, 0.3, 0.4, 1, 1, 1}};
  CurvedConstraints groups(7);
  groups.add_norm(identity(7).topRows(2), Vector::Zero(2), 1);
  groups.add_norm(identity(7).middleRows(2, 2), Vector::Zero(2), 1);
  groups.add_norm(identity(7).bottomRows(3), Vector::Zero(3), std::sqrt(3.0));
  const Projection result = project_one(groups, identity(7), y);
  ASSERT_EQ(result.outcome, Outcome::solved);
  const Vector expected{{0.8 * 3, 0.8 * -4, 0, 0, 0, 0, 0}};
  EXPECT_LT((result.x - expected).norm(), 1e-11);
  EXPECT_LT((result.force - (y - expected)).norm(), 1e-11);
}

// The multipliers of the bounds and of the norm are not unique at x = 0. At w = 0.5 the norm is zero
// with a multiplier at its limit, which costs digits.
TEST(Projection, OfGroupsThatMustNotBeNegative) {
  for (const double w : {0.3, 0.5, 2.0}) {
    const Vector y{{-5, 0.5}};
    CurvedConstraints group(2);
    group.lower.setZero();
    group.add_norm(identity(2), Vector::Zero(2), w);
    const Projection result = project_one(group, identity(2), y);
    ASSERT_EQ(result.outcome, Outcome::solved);
    EXPECT_LT((result.x - Vector{{0, std::max(0.5 - w, 0.0)}}).norm(), 1e-9) << w;
    EXPECT_LE(result.row_multipliers.norm(), w * (1 + 1e-9));
    EXPECT_LT((result.force - (y - result.x)).norm(), 1e-11);
  }
}

TEST(Projection, OfANormOfOneRowIsThatOfItsAbsoluteValue) {
  CurvedConstraints one(1);
  one.add_norm(identity(1), Vector::Zero(1), 2);
  EXPECT_EQ(project_one(one, identity(1), Vector{{1.5}}).x(0), 0);
  EXPECT_NEAR(project_one(one, identity(1), Vector{{-3.5}}).x(0), -1.5, 1e-15);
}

TEST(Projection, OnNothingIsFoundAndNamed) {
  CurvedConstraints apart(2);  // two balls, two units apart
  apart.add(std::make_shared<EllipsoidRow>(identity(2), Vector{{-2, 0}}, 1), 0, infinity);
  apart.add(std::make_shared<EllipsoidRow>(identity(2), Vector{{2, 0}}, 1), 0, infinity);
  const Projection of_balls = project_one(apart, identity(2), Vector{{5, 3}});
  EXPECT_EQ(of_balls.outcome, Outcome::infeasible);
  EXPECT_TRUE(of_balls.violated == 0 || of_balls.violated == 1);

  CurvedConstraints empty(1);  // x² + 1 ≤ 0
  empty.add(std::make_shared<EllipsoidRow>(identity(1), Vector{{0}}, -1), 0, infinity);
  for (const double y : {3.0, 0.0, -1e-3})
    EXPECT_EQ(project_one(empty, identity(1), Vector{{y}}).outcome, Outcome::infeasible) << y;

  CurvedConstraints beyond(2);  // a ball beyond a bound
  beyond.upper(0) = -3;
  beyond.add(std::make_shared<EllipsoidRow>(identity(2), Vector{{0, 0}}, 1), 0, infinity);
  const Projection of_ball = project_one(beyond, identity(2), Vector{{0, 0}});
  EXPECT_EQ(of_ball.outcome, Outcome::infeasible);
  EXPECT_EQ(of_ball.violated, 0);
}

// Balls that touch: the multipliers are unbounded, the point is found as far as rows are met.
TEST(Projection, OnASinglePoint) {
  CurvedConstraints touching(2);
  touching.add(std::make_shared<EllipsoidRow>(identity(2), Vector{{-1, 0}}, 1), 0, infinity);
  touching.add(std::make_shared<EllipsoidRow>(identity(2), Vector{{1, 0}}, 1), 0, infinity);
  const Projection result = project_one(touching, identity(2), Vector{{0.3, 1}});
  ASSERT_EQ(result.outcome, Outcome::solved);
  EXPECT_LE(state_at(touching, no_theta, result.x).violation, 1e-9);
  EXPECT_LT(result.x.norm(), 1e-4);  // violations are squares of distances
}

TEST(Projection, FromFarAwayWhereRowsAreHuge) {
  CurvedConstraints one(2);
  one.add(std::make_shared<testing::ExponentialRow>(2), 0, infinity);
  const Projection result = project_one(one, identity(2), Vector{{60, 1}});
  ASSERT_EQ(result.outcome, Outcome::solved);
  EXPECT_LT((result.x - Vector{{std::log(2.0), 1}}).norm(), 1e-12);
}

// y is outside of where the row is defined; the bound keeps x inside.
TEST(Projection, OfRowsThatAreNotDefinedEverywhere) {
  CurvedConstraints one(1);
  one.lower(0) = 1e-3;
  one.add(std::make_shared<testing::LogarithmRow>(2), 0, infinity);
  const Projection result = project_one(one, identity(1), Vector{{-3}});
  ASSERT_EQ(result.outcome, Outcome::solved);
  EXPECT_NEAR(result.x(0), 2, 1e-12);
  one.lower(0) = -infinity;
  EXPECT_EQ(project_one(one, identity(1), Vector{{-3}}).outcome, Outcome::unfinished);
}

TEST(Projection, ABlockIsItsRowsAndIsEvaluatedAtOnce) {
  const CurvedProblem problem = testing::random_curved(11);
  const Index n = 20, q = problem.constraints.dimension();
  const Matrix y = 4 * testing::signed_numbers(3, n, q);
  problem.constraints.calls = 0;
  const std::vector<Projection> block =
      project_block(problem.constraints, Matrix::Zero(n, 1), {problem.factor}, y);
  const Index calls = problem.constraints.calls;
  Index most = 0;
  for (Index b = 0; b < n; ++b) {
    problem.constraints.calls = 0;
    const Projection one = project_one(problem.constraints, problem.factor, y.row(b));
    EXPECT_EQ(block[static_cast<std::size_t>(b)].x, one.x);
    EXPECT_EQ(block[static_cast<std::size_t>(b)].force, one.force);
    most = std::max(most, problem.constraints.calls);
  }
  EXPECT_EQ(calls, most);
}

TEST(Projection, AffineRowsAreMetWhereTheirLimitsAreZero) {
  // x_0 ≥ 0 and x_0 ≤ 0 as rows: only x_0 = 0 is left, whatever y is.
  const LinearConstraints constraints(
      2, Vector(), Vector(),
      {{"r", Matrix{{-0.1488, 0}, {0.5545, 0}, {-0.7708, 0}}, Vector(), Vector::Zero(3)}});
  for (const double y : {-4.807246, 0.1, 1e8}) {
    const Projection result = project(constraints, no_theta, identity(2), Vector{{y, 1}});
    ASSERT_EQ(result.outcome, Outcome::solved) << y;
    EXPECT_LT((result.x - Vector{{0, 1}}).norm(), 1e-15 * std::abs(y));
  }
}

TEST(Projection, StateSaysWhatIsViolatedMost) {
  const LinearConstraints constraints(
      2, Vector::Zero(2), Vector{{1, 9}},
      {{"budget", Matrix{{1, 1}}, Vector(), Vector{{3}}},
       {"pair", Matrix{{1, 0}, {0, 1}}, Vector{{-1, -1}}, Vector{{1, 9}}}},
      "w");
  const ConstraintState inside = state_at(constraints, no_theta, Vector{{0.5, 0.5}});
  EXPECT_EQ(inside.violation, 0);
  EXPECT_EQ(inside.worst, -1);
  const ConstraintState above = state_at(constraints, no_theta, Vector{{1, 6}});
  EXPECT_EQ(above.violation, 1);  // 4 / (1 + 3)
  EXPECT_EQ(above.worst, 0);
  const ConstraintState below = state_at(constraints, no_theta, Vector{{0, -0.5}});
  EXPECT_EQ(below.worst, constraints.rows() + 1);
}

TEST(Projection, StateSumsTheTermsWithKinks) {
  CurvedConstraints terms(2);
  terms.add(std::make_shared<AffineRow>(Vector{{1, 0}}, 1), 0, 2);
  terms.add(std::make_shared<AffineRow>(Vector{{0, 1}}, 1), -3, 3);
  terms.add_norm(identity(2), Vector::Zero(2), 0.5);
  EXPECT_NEAR(state_at(terms, no_theta, Vector{{3, -4}}).kinks, 2 * 2 + 3 * 5 + 0.5 * 5, 1e-15);
  EXPECT_NEAR(state_at(terms, no_theta, Vector{{0, 1}}).kinks, 0.5, 1e-15);
  EXPECT_TRUE(terms.has_kinks());
}

}  // namespace
}  // namespace chaosgrad
