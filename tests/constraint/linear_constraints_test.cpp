// Linear constraints as rows: which rows a user's limits become, under which names, and what is
// wrong with limits that cannot be.
#include <gtest/gtest.h>

#include <functional>

#include "chaosgrad/constraints.h"
#include "chaosgrad/error.h"
#include "support/keyed_numbers.h"

namespace chaosgrad {
namespace {

using Kind = Constraint::Kind;
using Rows = LinearConstraints::Rows;

ConstraintBlock rows_at(const Constraints& constraints, const Matrix& x) {
  ConstraintBlock at;
  constraints.evaluate(x, Matrix::Zero(x.rows(), 1), at);
  return at;
}

std::vector<std::string> names(const Constraints& constraints) {
  std::vector<std::string> result;
  for (const Constraint& entry : constraints.list()) result.push_back(entry.name);
  return result;
}

TEST(LinearConstraints, BoundsAndRowsHaveNames) {
  const LinearConstraints constraints(2, Vector{{0, -infinity}}, Vector(),
                                      {{"budget", Matrix{{1, 1}}, Vector(), Vector{{2}}},
                                       {"gap", Matrix{{1, -1}}, Vector{{-1}}, Vector{{1}}},
                                       {"total", Matrix{{2, 1}}, Vector{{3}}, Vector{{3}}}},
                                      "w");
  EXPECT_EQ(names(constraints),
            (std::vector<std::string>{"w.lower", "budget", "gap.lower", "gap.upper", "total"}));
  EXPECT_EQ(constraints.list().back().kind, Kind::equality);
  EXPECT_TRUE(constraints.list().front().is_list);
  EXPECT_FALSE(constraints.list().back().is_list);
  EXPECT_TRUE(constraints.is_affine());
  EXPECT_FALSE(constraints.has_kinks());
}

TEST(LinearConstraints, ValuesAreRowsMinusLimits) {
  const Matrix A = testing::signed_numbers(1, 2, 3), x = testing::signed_numbers(2, 4, 3);
  const LinearConstraints constraints(3, Vector(), Vector(),
                                      {{"r", A, Vector{{-1, -2}}, Vector{{1, 2}}}});
  const ConstraintBlock at = rows_at(constraints, x);
  const Matrix Ax = x * A.transpose();
  EXPECT_LT((at.value.col(0) - (-Ax.col(0).array() - 1).matrix()).norm(), 1e-15);
  EXPECT_LT((at.value.col(3) - (Ax.col(1).array() - 2).matrix()).norm(), 1e-15);
  for (Index b = 0; b < 4; ++b) EXPECT_EQ(at.jacobian.row(b).segment(3 * 3, 3), A.row(1));
  EXPECT_EQ(at.least, Matrix::Zero(4, 4));
  EXPECT_EQ(at.most, Matrix::Constant(4, 4, infinity));
  EXPECT_EQ(at.lower, Matrix::Constant(4, 3, -infinity));
  Matrix h = Matrix::Ones(4, 9);
  constraints.curvature(x, Matrix::Zero(4, 1), Matrix::Ones(4, 4), h);
  EXPECT_EQ(h.norm(), 0);
}

// Rows keep their numbers: where a row of the block is of another kind, there is one that holds.
TEST(LinearConstraints, BlocksMayMixEqualitiesAndInequalities) {
  const LinearConstraints constraints(
      1, Vector(), Vector(),
      {{"m", Matrix{{1}, {2}, {3}}, Vector{{5, -infinity, 1}}, Vector{{5, 4, infinity}}}});
  EXPECT_EQ(names(constraints), (std::vector<std::string>{"m", "m.lower", "m.upper"}));
  const ConstraintBlock at = rows_at(constraints, Matrix{{0.5}});
  EXPECT_EQ(at.value, (Matrix{{-4.5, 0, 0, -1, -1, -0.5, -1, -3, -1}}));
  EXPECT_EQ(at.least(0, 0), -infinity);
  EXPECT_EQ(at.least(0, 8), 0);
}

std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(LinearConstraints, WhatCannotBeIsNamed) {
  const Vector none, one = Vector::Ones(1), two = Vector::Ones(2);
  const auto with = [](Vector lower, Vector upper, std::vector<Rows> rows = {}) {
    return [=] { LinearConstraints(2, lower, upper, rows); };
  };
  EXPECT_EQ(message([] { LinearConstraints(0, Vector(), Vector()); }),
            "dimension: must be at least 1");
  EXPECT_EQ(message(with(one, none)), "x.lower: has 1 numbers, not 2");
  EXPECT_EQ(message(with(two, Vector{{3, 0}})), "x.lower: number 1 is 1, above the upper limit 0");
  EXPECT_EQ(message(with(none, Vector{{0, std::nan("")}})), "x.upper: number 1 is nan");
  EXPECT_EQ(message(with(Vector{{infinity, 0}}, none)), "x.lower: number 0 is inf");
  EXPECT_EQ(message(with(none, none, {{"", Matrix::Ones(1, 2), one, one}})),
            "rows: they need a name");
  EXPECT_EQ(message(with(none, none, {{"r", Matrix::Ones(1, 3), one, one}})),
            "r.A: has 3 columns, not 2");
  EXPECT_EQ(message(with(none, none, {{"r", Matrix::Ones(1, 2), one, two}})),
            "r.upper: has 2 numbers, not 1");
  EXPECT_EQ(message(with(none, none, {{"r", Matrix::Constant(1, 2, infinity), one, one}})),
            "r.A: is not finite");
}

}  // namespace
}  // namespace chaosgrad
