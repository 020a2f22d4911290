// Quadratic programs against the conditions of optimality, which prove a solution of a convex
// program, and against enumeration of all states of all rows.
#include "constraint/quadratic_program.h"

#include <gtest/gtest.h>

#include "constraint/enumeration.h"
#include "constraint/random_program.h"

namespace chaosgrad {
using namespace internal;
namespace {

using Outcome = QuadraticSolution::Outcome;
using testing::FeasibilityByEnumeration;
using testing::OptimumByEnumeration;
using testing::OwnProgram;
using testing::random_program;

constexpr double accuracy = 1e-10;  // of conditions, relative to the terms that they are sums of

// Empty if the conditions hold, otherwise the one that does not.
std::string broken_condition(const OwnProgram& program, const QuadraticSolution& at) {
  const Vector s = at.x - program.y;
  const Vector sum =
      program.M * s + program.rows.transpose() * at.row_multipliers + at.bound_multipliers;
  const Vector terms = program.M.cwiseAbs() * (s.cwiseAbs() + 1e-4 * at.x.cwiseAbs()) +
                       program.rows.transpose().cwiseAbs() * at.row_multipliers.cwiseAbs() +
                       at.bound_multipliers.cwiseAbs();
  for (Index j = 0; j < s.size(); ++j) {
    const double mu = at.bound_multipliers(j);
    if (std::abs(sum(j)) > accuracy * terms.maxCoeff()) return "stationary";
    if (at.x(j) < program.lower(j) || at.x(j) > program.upper(j)) return "bound";
    if (mu > 0 && at.x(j) != program.upper(j)) return "upper multiplier";
    if (mu < 0 && at.x(j) != program.lower(j)) return "lower multiplier";
  }
  // Numbers of the program are about one: where x is zero rounding is relative to a bit of that.
  const Vector extent = (at.x.cwiseAbs().array() + 1e-3).matrix();
  for (Index i = 0; i < program.rows.rows(); ++i) {
    const double c = program.rows.row(i).dot(at.x) - program.right(i);
    const double rounding =
        accuracy * (std::abs(program.right(i)) + program.rows.row(i).cwiseAbs().dot(extent));
    const double lambda = at.row_multipliers(i);
    if (lambda < program.least(i) || lambda > program.most(i)) return "limit";
    if (c > rounding && lambda < program.most(i)) return "row above";
    if (c < -rounding && lambda > program.least(i)) return "row below";
  }
  return "";
}

void expect_solved(const OwnProgram& program, const QuadraticSolution& at, std::uint64_t key) {
  ASSERT_EQ(at.outcome, Outcome::solved) << "key " << key;
  EXPECT_EQ(broken_condition(program, at), "") << "key " << key;
}

TEST(QuadraticProgram, TenThousandFeasibleProgramsMeetTheConditionsOfOptimality) {
  for (std::uint64_t key = 0; key < 10000; ++key) {
    const Index q = 1 + static_cast<Index>(key % 6), p = static_cast<Index>(key / 6 % 7);
    const OwnProgram program = random_program(key, q, p, true);
    const QuadraticSolution cold = solve(program.view());
    expect_solved(program, cold, key);
    const QuadraticSolution warm = solve(program.view(), cold.working);
    expect_solved(program, warm, key);
    const double size = program.factor.transpose().norm() * (1 + cold.x.norm() + program.y.norm());
    EXPECT_LE((program.factor.transpose() * (warm.x - cold.x)).norm(), 1e-10 * size) << key;
  }
}

// Half of the programs have whole numbers, rows twice, sums of rows: degenerate ones.
TEST(QuadraticProgram, OptimumIsThatOfAllStatesOfAllRowsInTenThousandPrograms) {
  for (std::uint64_t key = 30000; key < 40000; ++key) {
    const Index q = 1 + static_cast<Index>(key % 3), p = static_cast<Index>(key / 3 % 4);
    OwnProgram program = random_program(key, q, p, key % 5 != 0);
    const QuadraticSolution at = solve(program.view());
    const Vector best = OptimumByEnumeration(program)();
    ASSERT_EQ(at.outcome, best.size() > 0 ? Outcome::solved : Outcome::infeasible) << key;
    if (best.size() == 0) continue;
    const double distance = (program.factor.transpose() * (at.x - best)).norm();
    EXPECT_LE(distance, 1e-7 * program.factor.norm() * (1 + best.norm())) << "key " << key;
  }
}

TEST(QuadraticProgram, InfeasibleProgramsAreFoundExactlyWhereEnumerationFindsNoPoint) {
  Index feasible = 0, infeasible = 0;
  for (std::uint64_t key = 20000; key < 23000; ++key) {
    const Index q = 1 + static_cast<Index>(key % 4), p = static_cast<Index>(key / 4 % 5);
    const OwnProgram program = random_program(key, q, p, false);
    const FeasibilityByEnumeration has_point(program);
    if (has_point.size() > 9) continue;
    const QuadraticSolution at = solve(program.view());
    ++(has_point() ? feasible : infeasible);
    EXPECT_EQ(at.outcome, has_point() ? Outcome::solved : Outcome::infeasible) << "key " << key;
    if (at.outcome == Outcome::solved) {
      EXPECT_EQ(broken_condition(program, at), "") << key;
    } else {
      EXPECT_GE(at.violated, 0) << key;
    }
  }
  EXPECT_GT(feasible, 500);
  EXPECT_GT(infeasible, 200);
}

// M with eigenvalues from 1 to 1e-10 in random directions; half of the bounds are active.
TEST(QuadraticProgram, IllConditionedMetricWithManyBounds) {
  constexpr Index q = 60;
  const Matrix Q = thin_qr(testing::signed_numbers(1, q, q)).q;
  const Vector decades = Vector::LinSpaced(q, 0, -10);
  OwnProgram program;
  program.M = Q * Vector(Eigen::pow(10.0, decades.array())).asDiagonal() * Q.transpose();
  program.M = (0.5 * (program.M + program.M.transpose())).eval();
  program.factor = cholesky_factor(program.M);
  program.M = program.factor * program.factor.transpose();
  program.y = 3 * testing::signed_numbers(2, q, 1);
  program.lower = Vector::Constant(q, -1);
  program.upper = Vector::Constant(q, 1);
  program.rows.resize(0, q);
  const QuadraticSolution cold = solve(program.view());
  expect_solved(program, cold, 0);
  EXPECT_GT((cold.bound_multipliers.array() != 0).count(), 20);
  expect_solved(program, solve(program.view(), cold.working), 0);
}

// Support vectors: Σ w max(c_i, 0) with many more rows than components.
TEST(QuadraticProgram, ManyMoreSoftRowsThanComponents) {
  constexpr Index q = 5, p = 442;
  OwnProgram program;
  program.M = program.factor = Matrix::Identity(q, q);
  program.y = 0.1 * testing::signed_numbers(1, q, 1);
  program.lower = Vector::Constant(q, -infinity);
  program.upper = Vector::Constant(q, infinity);
  program.rows = testing::signed_numbers(2, p, q);
  program.right = 0.3 * testing::signed_numbers(3, p, 1);
  program.least = Vector::Zero(p);
  program.most = Vector::Constant(p, 0.02);
  const QuadraticSolution cold = solve(program.view());
  expect_solved(program, cold, 0);
  EXPECT_GT((cold.row_multipliers.array() == 0.02).count(), 50);
  // Another y near by: the guess tells which multipliers are at their limits.
  program.y *= 1.01;
  const QuadraticSolution warm = solve(program.view(), cold.working);
  expect_solved(program, warm, 0);
  EXPECT_LT(warm.steps, solve(program.view()).steps / 4);
}

// Each of what may be in a program alone: x = y = (1, −2), M = I.
struct SmallProgram : OwnProgram {
  explicit SmallProgram(Index p) {
    M = factor = Matrix::Identity(2, 2);
    y = Vector{{1, -2}};
    lower = Vector::Constant(2, -infinity);
    upper = Vector::Constant(2, infinity);
    rows = Matrix::Zero(p, 2);
    right = least = Vector::Zero(p);
    most = Vector::Constant(p, infinity);
  }
};

TEST(QuadraticProgram, WithoutRowsAndBoundsTheAnswerIsY) {
  const SmallProgram program(0);
  const QuadraticSolution at = solve(program.view());
  EXPECT_EQ(at.outcome, Outcome::solved);
  EXPECT_EQ(at.x, program.y);
  EXPECT_TRUE(at.working.empty());
}

TEST(QuadraticProgram, DependentEqualitiesThatAgree) {
  SmallProgram program(3);
  program.rows << 1, 1, 2, 2, -3, -3;
  program.right << 0.5, 1, -1.5;
  program.least.setConstant(-infinity);
  const QuadraticSolution at = solve(program.view());
  expect_solved(program, at, 0);
  EXPECT_NEAR(at.x.sum(), 0.5, 1e-15);
  program.right(2) = -1.6;
  EXPECT_EQ(solve(program.view()).outcome, Outcome::infeasible);
}

TEST(QuadraticProgram, RowsOfZerosAreMetOrNot) {
  SmallProgram program(2);
  program.right << 0, 1;
  EXPECT_EQ(solve(program.view()).x, program.y);
  program.right(0) = -1;
  const QuadraticSolution at = solve(program.view());
  EXPECT_EQ(at.outcome, Outcome::infeasible);
  EXPECT_EQ(at.violated, 0);
  program.most(0) = 5;
  EXPECT_EQ(solve(program.view()).x, program.y);
  EXPECT_EQ(solve(program.view()).row_multipliers(0), 5);
}

TEST(QuadraticProgram, BoundsThatCrossAreNamed) {
  SmallProgram program(1);
  program.lower(1) = 2, program.upper(1) = 1;
  const QuadraticSolution at = solve(program.view());
  EXPECT_EQ(at.outcome, Outcome::infeasible);
  EXPECT_EQ(at.violated, 2);
}

TEST(QuadraticProgram, WorkingBoundsAreExact) {
  SmallProgram program(0);
  program.M << 2, 1, 1, 3;
  program.factor = cholesky_factor(program.M);
  program.upper(0) = -0.3, program.lower(1) = program.upper(1) = 1.0 / 3;
  const QuadraticSolution at = solve(program.view());
  expect_solved(program, at, 0);
  EXPECT_EQ(at.x(0), -0.3);
  EXPECT_EQ(at.x(1), 1.0 / 3);
}

// x₀ + x₁ + x₂ = 10, x₀ ≤ 4, x₁ ≤ 5.9, x₂ ≥ 0: with a metric that is nearly flat along x₂, and y as far
// away as 1e12, the vertex (4, 5.9, 0.1). A violation of 0.1 is rounding beside y, but not beside x.
TEST(QuadraticProgram, AFarCentreHidesNoViolation) {
  OwnProgram program;
  program.M = Eigen::Vector3d(1e-2, 1e-2, 1e-10).asDiagonal();
  program.factor = cholesky_factor(program.M);
  program.y = Eigen::Vector3d(1e6, 2e6, -1e12);
  program.lower = Vector::Zero(3);
  program.upper = Eigen::Vector3d(4, 5.9, infinity);
  program.rows = Matrix::Ones(1, 3);
  program.right = Vector::Constant(1, 10);
  program.least = Vector::Constant(1, -infinity);
  program.most = Vector::Constant(1, infinity);
  const QuadraticSolution at = solve(program.view());
  ASSERT_EQ(at.outcome, Outcome::solved);
  EXPECT_LT((at.x - Eigen::Vector3d(4, 5.9, 0.1)).norm(), 1e-12);
}

TEST(QuadraticProgram, WhatIsNotFiniteIsUnfinished) {
  SmallProgram program(0);
  program.y(0) = std::nan("");
  program.upper.setZero();
  EXPECT_EQ(solve(program.view()).outcome, Outcome::unfinished);
}

TEST(QuadraticProgram, TheSameInputGivesTheSameBits) {
  const OwnProgram program = random_program(7, 6, 6, true);
  const QuadraticSolution one = solve(program.view()), other = solve(program.view());
  EXPECT_EQ(one.x, other.x);
  EXPECT_EQ(one.row_multipliers, other.row_multipliers);
  EXPECT_EQ(one.bound_multipliers, other.bound_multipliers);
}

}  // namespace
}  // namespace chaosgrad
