// Quadratic programs with bounds alone by primal-dual active sets: against enumeration of all sides of
// all components, against the dual method, and against the conditions of optimality.
#include "constraint/bound_active_set.h"

#include <gtest/gtest.h>

#include "constraint/dual_active_set.h"
#include "constraint/enumeration.h"
#include "constraint/random_program.h"

namespace chaosgrad {
using namespace internal;
namespace {

using testing::OptimumByEnumeration;
using testing::OwnProgram;
using testing::random_program;

OwnProgram large_program(Index q, double width, double floor) {
  OwnProgram program;
  const Matrix B = testing::signed_numbers(1, q, q);
  program.M = B * B.transpose() / static_cast<double>(q) + floor * Matrix::Identity(q, q);
  program.factor = cholesky_factor(program.M);
  program.y = testing::signed_numbers(2, q, 1);
  program.lower = Vector::Constant(q, -width);
  program.upper = Vector::Constant(q, width);
  program.rows.resize(0, q);
  return program;
}

// The largest violation of M (x − y) + λ = 0 with λ ≥ 0 at upper bounds, ≤ 0 at lower ones and 0
// between them, relative to the terms.
double condition_error(const OwnProgram& program, const QuadraticSolution& at) {
  const Vector s = at.x - program.y;
  const double size = (program.M.cwiseAbs() * s.cwiseAbs()).maxCoeff();
  double worst = (program.M * s + at.bound_multipliers).cwiseAbs().maxCoeff() / size;
  for (Index j = 0; j < s.size(); ++j) {
    const double force = at.bound_multipliers(j);
    const bool right =
        force == 0 || (force > 0 ? at.x(j) == program.upper(j) : at.x(j) == program.lower(j));
    if (!right || at.x(j) < program.lower(j) || at.x(j) > program.upper(j)) worst = infinity;
  }
  return worst;
}

TEST(BoundActiveSet, OptimumIsThatOfAllSidesOfAllComponents) {
  constexpr std::uint64_t programs = 3000;
  std::uint64_t answered = 0;
  for (std::uint64_t key = 50000; key < 50000 + programs; ++key) {
    const OwnProgram program = random_program(key, 1 + static_cast<Index>(key % 5), 0, true);
    const std::optional<QuadraticSolution> found =
        BoundActiveSet(program.factor).solve(program.y, program.lower, program.upper, {});
    if (!found) continue;  // the dual method has those
    ++answered;
    const Vector best = OptimumByEnumeration(program)();
    const double distance = (program.factor.transpose() * (found->x - best)).norm();
    EXPECT_LE(distance, 1e-7 * program.factor.norm() * (1 + best.norm())) << "key " << key;
  }
  EXPECT_GE(answered, programs * 9 / 10);
}

TEST(BoundActiveSet, AgreesWithTheDualMethodOnManyVariables) {
  for (const double width : {0.02, 0.2, 0.5}) {
    const OwnProgram program = large_program(150, width, 0.1);
    const std::optional<QuadraticSolution> found =
        BoundActiveSet(program.factor).solve(program.y, program.lower, program.upper, {});
    ASSERT_TRUE(found.has_value()) << width;
    EXPECT_LE(condition_error(program, *found), 1e-12) << width;
    const QuadraticSolution dual = DualActiveSet(program.view()).run({});
    EXPECT_LE((found->x - dual.x).cwiseAbs().maxCoeff(), 1e-11) << width;
    EXPECT_LE((found->bound_multipliers - dual.bound_multipliers).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LE(found->steps, 20);
  }
}

// Changes of all sides at once may cycle here; programs are solved all the same.
TEST(BoundActiveSet, IllConditionedProgramsAreSolvedByOneMethodOrTheOther) {
  const OwnProgram program = large_program(120, 0.3, 1e-9);
  const QuadraticSolution at = solve(program.view());
  ASSERT_EQ(at.outcome, QuadraticSolution::Outcome::solved);
  EXPECT_LE(condition_error(program, at), 1e-9);
}

TEST(BoundActiveSet, TheGuessDoesNotChangeTheAnswer) {
  const OwnProgram program = large_program(130, 0.3, 0.1);
  const BoundActiveSet set(program.factor);
  const auto cold = set.solve(program.y, program.lower, program.upper, {});
  const auto near = set.solve(1.01 * program.y, program.lower, program.upper, {});
  ASSERT_TRUE(cold && near);
  const auto warm = set.solve(program.y, program.lower, program.upper, near->working);
  ASSERT_TRUE(warm);
  EXPECT_EQ(warm->x, cold->x);
  EXPECT_EQ(warm->bound_multipliers, cold->bound_multipliers);
  EXPECT_LT(warm->steps, cold->steps);
}

TEST(BoundActiveSet, ComponentsOnTheirBoundsAndFixedOnes) {
  OwnProgram program = large_program(110, 0.5, 0.1);
  program.y = program.y.array().round() * 0.5;  // y on bounds
  program.lower(3) = program.upper(3) = 0.25;
  program.lower(4) = -infinity;
  program.upper(5) = infinity;
  const QuadraticSolution at = solve(program.view());
  ASSERT_EQ(at.outcome, QuadraticSolution::Outcome::solved);
  EXPECT_EQ(at.x(3), 0.25);
  EXPECT_LE(condition_error(program, at), 1e-12);
}

TEST(BoundActiveSet, BoundsThatCrossAndNumbersThatAreNoneHaveNoAnswer) {
  OwnProgram program = large_program(100, 0.5, 0.1);
  program.lower(7) = 1;
  EXPECT_EQ(solve(program.view()).outcome, QuadraticSolution::Outcome::infeasible);
  EXPECT_EQ(solve(program.view()).violated, 7);
  program.lower(7) = 0;
  program.y(0) = std::nan("");
  EXPECT_EQ(solve(program.view()).outcome, QuadraticSolution::Outcome::unfinished);
}

}  // namespace
}  // namespace chaosgrad
