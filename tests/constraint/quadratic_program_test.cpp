// Quadratic programs against the conditions of optimality, which prove a solution of a convex
// program, and against enumeration of all states of all rows.
#include "constraint/quadratic_program.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "constraint/random_program.h"

namespace chaosgrad {
using namespace internal;
namespace {

using Outcome = QuadraticSolution::Outcome;
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

// The x of least norm with the rows of B equal to b; empty if there is none.
Vector least_norm_point(const Matrix& B, const Vector& b) {
  if (B.rows() == 0) return Vector::Zero(B.cols());
  const Vector x = B.completeOrthogonalDecomposition().solve(b);
  return (B * x - b).norm() <= 1e-9 * (1 + b.norm()) ? x : Vector();
}

// Some x meets the bounds and the rows that have an unlimited multiplier: the point of least norm
// among them has that property among the points that meet some of them with equality.
class FeasibilityByEnumeration {
 public:
  explicit FeasibilityByEnumeration(const OwnProgram& program) {
    const Index q = program.y.size();
    for (Index i = 0; i < program.rows.rows(); ++i) {
      if (program.most(i) == infinity) add(program.rows.row(i), program.right(i));
      if (program.least(i) == -infinity) add(-program.rows.row(i), -program.right(i));
    }
    for (Index j = 0; j < q; ++j) {
      if (program.upper(j) < infinity) add(Matrix::Identity(q, q).row(j), program.upper(j));
      if (program.lower(j) > -infinity) add(-Matrix::Identity(q, q).row(j), -program.lower(j));
    }
    normals_.conservativeResize(right_.size(), q);
  }
  [[nodiscard]] Index size() const { return right_.size(); }
  [[nodiscard]] bool operator()() const {
    for (Index set = 0; set < Index{1} << size(); ++set) {
      std::vector<Index> members;
      for (Index i = 0; i < size(); ++i)
        if (set >> i & 1) members.push_back(i);
      if (static_cast<Index>(members.size()) > normals_.cols()) continue;
      const Vector x = least_norm_point(normals_(members, Eigen::all), right_(members));
      if (x.size() > 0 && (size() == 0 || (normals_ * x - right_).maxCoeff() <= 1e-9)) return true;
    }
    return false;
  }

 private:
  void add(const Eigen::RowVectorXd& normal, double right) {
    normals_.conservativeResize(size() + 1, normal.size());
    normals_.row(size()) = normal;
    right_.conservativeResize(size() + 1);
    right_(size() - 1) = right;
  }
  Matrix normals_;
  Vector right_;
};

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

}  // namespace
}  // namespace chaosgrad
