// Where the method starts, how long it runs, and what it returns.
#include "constraint/quadratic_program.h"

#include <algorithm>
#include <cmath>

#include "constraint/bound_active_set.h"
#include "constraint/dual_active_set.h"

namespace chaosgrad::internal {
namespace {

using Outcome = QuadraticSolution::Outcome;

bool is_in(const std::vector<Index>& set, Index number) {
  return std::find(set.begin(), set.end(), number) != set.end();
}

}  // namespace

DualActiveSet::DualActiveSet(const QuadraticProgram& program)
    : program_(program),
      p_(program.rows.rows()),
      q_(program.y.size()),
      factor_(program.factor),
      x_(program.y),
      multiplier_(Vector::Zero(p_ + q_)),
      least_(Vector::Zero(p_ + q_)),
      most_(Vector::Zero(p_ + q_)),
      side_(Vector::Zero(q_)),
      norm_(p_ + q_),
      norm_of_y_((program.factor.triangularView<Eigen::Lower>().transpose() * program.y).norm()),
      past_(x_.lpNorm<Eigen::Infinity>()),
      position_(static_cast<std::size_t>(p_ + q_), -1),
      implied_(position_.size(), false) {
  least_.head(p_) = program.least;
  most_.head(p_) = program.most;
  multiplier_.head(p_) = program.least.cwiseMax(0.0).cwiseMin(program.most);
  norm_.tail(q_) = factor_.component_norms();
  if (p_ > 0) {
    Matrix normals = program.rows.transpose();
    program.factor.triangularView<Eigen::Lower>().solveInPlace(normals);
    norm_.head(p_) = normals.colwise().norm().transpose();
  }
}

void DualActiveSet::start_with(Index row, const std::vector<Index>& guess) {
  if (row >= p_) {
    const Index j = row - p_;
    const bool upper = !is_in(guess, row + q_);
    if (std::isinf(upper ? program_.upper(j) : program_.lower(j))) return;
    take_side(j, upper);
  }
  if (!(least_(row) < most_(row)) || position_[static_cast<std::size_t>(row)] >= 0) return;
  find_direction(row);
  if (direction_.square > 0) join(row);
}

void DualActiveSet::start(const std::vector<Index>& guess) {
  for (const Index number : guess) {
    const Index row = number - p_ - 2 * q_;
    if (number >= 0 && number < p_ + q_) start_with(number, guess);
    if (row >= 0 && row < p_ && std::isfinite(most_(row))) multiplier_(row) = most_(row);
    if (row >= p_ && row < 2 * p_ && std::isfinite(least_(row - p_)))
      multiplier_(row - p_) = least_(row - p_);
  }
  settle();
}

QuadraticSolution DualActiveSet::result(Outcome outcome, Index violated) {
  QuadraticSolution solution;
  solution.outcome = outcome;
  solution.violated = violated;
  solution.steps = steps_;
  for (const Index i : working_) {
    multiplier_(i) = std::clamp(multiplier_(i), least_(i), most_(i));
    solution.working.push_back(i);
    if (i < p_) continue;
    x_(i - p_) = side_(i - p_);
    if (side_(i - p_) == program_.lower(i - p_)) solution.working.push_back(i + q_);
  }
  for (Index i = 0; i < p_; ++i) {
    if (position_[static_cast<std::size_t>(i)] >= 0 || multiplier_(i) == 0) continue;
    if (multiplier_(i) == most_(i)) solution.working.push_back(p_ + 2 * q_ + i);
    if (multiplier_(i) == least_(i)) solution.working.push_back(2 * p_ + 2 * q_ + i);
  }
  solution.x = x_.cwiseMax(program_.lower).cwiseMin(program_.upper);
  solution.row_multipliers = multiplier_.head(p_);
  solution.bound_multipliers = multiplier_.tail(q_);
  return solution;
}

QuadraticSolution DualActiveSet::run(const std::vector<Index>& guess) {
  for (Index j = 0; j < q_; ++j)
    if (program_.lower(j) > program_.upper(j)) return result(Outcome::infeasible, p_ + j);
  start(guess);
  while (steps_ < 100 * (p_ + q_) + 1000) {
    const Violation violation = most_violated();
    if (violation.row < 0) {
      if (settled_) return result(x_.allFinite() ? Outcome::solved : Outcome::unfinished, -1);
      settle();
    } else if (raise(violation) == Outcome::infeasible) {
      if (settled_) return result(Outcome::infeasible, violation.row);
      settle();
    }
    ++steps_;
  }
  return result(Outcome::unfinished, -1);
}

bool has_many_bounds(Index rows, Index variables) {
  return rows == 0 && variables >= BoundActiveSet::least_variables;
}

QuadraticSolution solve(const QuadraticProgram& program, const std::vector<Index>& guess,
                        const BoundActiveSet* of_metric) {
  if (has_many_bounds(program.rows.rows(), program.y.size())) {
    const auto in = [&](const BoundActiveSet& set) {
      return set.solve(program.y, program.lower, program.upper, guess);
    };
    std::optional<QuadraticSolution> found =
        of_metric ? in(*of_metric) : in(BoundActiveSet(program.factor));
    if (found) return std::move(*found);
  }
  return DualActiveSet(program).run(guess);
}

}  // namespace chaosgrad::internal
