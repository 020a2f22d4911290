#include "constraint/sequential_projection.h"

#include <algorithm>
#include <cmath>

#include "numeric/decompositions.h"

namespace chaosgrad::internal {
namespace {

using Outcome = QuadraticSolution::Outcome;

constexpr double optimal = 1e-12;    // residual that is rounding
constexpr double acceptable = 1e-9;  // if it does not get smaller
constexpr double met = 1e-9;         // relative violation of c ≤ 0 in a result
constexpr double elasticity = 100;   // first limit of multipliers, relative to those expected
constexpr Index most_trials = 2000;

}  // namespace

SequentialProjection::SequentialProjection(const RowLayout& layout, const Matrix& factor,
                                           const Vector& y, const ConstraintBlock& at, Index sample,
                                           const std::vector<Index>& guess)
    : task_(layout, factor, y, at, sample),
      y_(y),
      limits_(task_.most),
      weights_(task_.most),
      working_(guess) {
  start_from_affine_part(row_values(at, sample, Vector::Zero(y.size())));
}

// Without the rows that are not affine, which need not be defined at 0; of norms every row alone.
void SequentialProjection::start_from_affine_part(const RowValues& at_zero) {
  Matrix rows = at_zero.J;
  Vector right = task_.right, least = task_.least, most = task_.most;
  for (Index i = 0; i < right.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (task_.layout.in_norm[at]) least(i) = -most(i);
    if (task_.layout.affine[at]) continue;
    rows.row(i).setZero();
    right(i) = least(i) = most(i) = 0;
  }
  QuadraticSolution solution =
      solve({task_.factor, task_.y, task_.lower, task_.upper, rows, right, least, most}, working_);
  trial_.at = at_zero;
  trial_.at.x = std::move(solution.x);
  trial_.row_multipliers = std::move(solution.row_multipliers);
  trial_.bound_multipliers = std::move(solution.bound_multipliers);
  trial_.norms.resize(task_.layout.norms.size());
  base_ = trial_;
  if (solution.outcome != Outcome::solved) finish(solution.outcome, solution.violated);
}

Vector SequentialProjection::curvature_multipliers() const {
  Vector result = trial_.row_multipliers.cwiseMax(0.0);
  for (Index i = 0; i < result.size(); ++i)
    if (task_.layout.affine[static_cast<std::size_t>(i)]) result(i) = 0;
  return result;
}

void SequentialProjection::advance(RowValues at) {
  trial_.at = std::move(at);
  const bool is_finite = trial_.at.c.allFinite() && trial_.at.J.allFinite();
  if (is_finite && !started_) start_norms();
  if (is_finite) set_norm_multipliers(trial_);
  if (!started_) {
    if (!is_finite) return finish(Outcome::unfinished);
    set_elastic_limits();
    started_ = true;
    accept();
  } else if (is_finite && is_better()) {
    accept();
  } else {
    reject();
  }
}

// Multipliers are about |x − y|_M / |L⁻¹ ∇c|, with at least the way to the linearised row for the
// distance. Where the gradient vanishes, that of the others.
void SequentialProjection::set_elastic_limits() {
  const RowValues& at = trial_.at;
  const Vector norm =
      solve_lower(task_.factor, Matrix(at.J.transpose())).colwise().norm().transpose();
  const auto L = task_.factor.triangularView<Eigen::Lower>();
  double distance = (L.transpose() * (at.x - task_.y)).norm(), largest = 0;
  for (Index i = 0; i < norm.size(); ++i) {
    if (!task_.is_hard_curved(i)) continue;
    largest = std::max(largest, norm(i));
    if (norm(i) > 0) distance = std::max(distance, at.c(i) / norm(i));
  }
  const double typical = largest > 0 ? largest : 1;
  for (Index i = 0; i < norm.size(); ++i) {
    if (!task_.is_hard_curved(i)) continue;
    limits_(i) = elasticity * (distance > 0 ? distance : 1) / (norm(i) > 0 ? norm(i) : typical);
    weights_(i) = 0;
  }
}

// A step that halves the residual is Newton's method at work; otherwise the merit decides.
bool SequentialProjection::is_better() const {
  if (length_ == 1 && residual(task_, limits_, trial_).inner() <= 0.5 * least_residual_)
    return true;
  const double before = merit(task_, weights_, base_), after = merit(task_, weights_, trial_);
  return after <= before - 1e-4 * length_ * decrease_ + 1e-14 * std::abs(before);
}

void SequentialProjection::accept() {
  base_ = trial_;
  residual_ = residual(task_, limits_, base_);
  const double now = residual_.inner();
  stalls_ = now > 0.5 * least_residual_ ? stalls_ + 1 : 0;
  least_residual_ = std::min(least_residual_, now);
  const bool is_optimal = now <= optimal || (stalls_ > 5 && now <= acceptable);
  if (residual_.norms > optimal && (is_optimal || now < 0.01 * residual_.norms))
    shift_norms();
  else if (is_optimal)
    return conclude();
  propose();
}

// The next step of the augmented Lagrangian, whose rate of convergence is about the compliance
// relative to that of the rows as they are now.
void SequentialProjection::shift_norms() {
  for (std::size_t n = 0; n < base_.norms.size(); ++n) {
    const auto [first, count] = task_.layout.norms[n];
    NormTerm& term = base_.norms[n];
    const auto lambda = base_.row_multipliers.segment(first, count);
    const double change = term.compliance * (lambda - term.shift).norm();
    if (change > 0.1 * term.change && term.compliance > term.least_compliance)
      term.compliance *= 0.03;
    term.change = change;
    term.shift = lambda;
  }
  set_norm_multipliers(base_);
  residual_ = residual(task_, limits_, base_);
  least_residual_ = infinity;
}

// The conditions hold but for rows at their elastic limits.
void SequentialProjection::conclude() {
  if (stiffen()) return propose();
  if (!finished_) finish(Outcome::solved);
}

// Rows that stay violated at their elastic limits get larger ones. If that does not help, is there
// any feasible point? Projections of the last point, again and again, go to where rows are violated
// least: y is put there meanwhile.
bool SequentialProjection::stiffen() {
  const Vector relative = base_.at.c.cwiseQuotient(row_scales(task_, base_.at));
  double worst = met, sum = 0;
  Index row = -1;
  for (Index i = 0; i < relative.size(); ++i) {
    if (!task_.is_hard_curved(i) || !(relative(i) > met)) continue;
    sum += relative(i);
    if (relative(i) <= worst) continue;
    worst = relative(i);
    row = i;
  }
  const bool is_running = search_ == Search::running;
  if (row < 0 && !is_running) return false;
  if (is_running && row >= 0 && sum > 0.99 * last_violation_) {
    finish(Outcome::infeasible, row);
    return false;
  }
  if (++raises_ > 12) {
    finish(Outcome::unfinished);
    return false;
  }
  if (is_running && row < 0) {
    search_ = Search::successful;
    task_.y = y_;
  } else if (is_running || (search_ == Search::none && raises_ == 4)) {
    search_ = Search::running;
    task_.y = base_.at.x;
    last_violation_ = sum;
  }
  least_residual_ = infinity;
  for (Index i = 0; i < limits_.size(); ++i)
    if (task_.is_hard_curved(i)) limits_(i) *= elasticity;
  return true;
}

void SequentialProjection::reject() {
  length_ *= 0.5;
  if (length_ < 1e-12)
    return finish(residual_.inner() <= acceptable ? Outcome::solved : Outcome::unfinished);
  trial_.at.x = base_.at.x + length_ * step_;
  trial_.row_multipliers = 0.5 * (trial_.row_multipliers + base_.row_multipliers);
  trial_.bound_multipliers = 0.5 * (trial_.bound_multipliers + base_.bound_multipliers);
  if (++trials_ > most_trials) finish(Outcome::unfinished);
}

void SequentialProjection::propose() {
  if (++trials_ > most_trials) return finish(Outcome::unfinished);
  const Model used = model();
  QuadraticSolution solution = solve_model(used);
  if (solution.outcome != Outcome::solved) return finish(solution.outcome, solution.violated);
  step_ = solution.x - base_.at.x;
  length_ = 1;
  decrease_ = step_.dot(used.hessian * step_);
  trial_.at.x = std::move(solution.x);
  trial_.row_multipliers = std::move(solution.row_multipliers);
  trial_.bound_multipliers = std::move(solution.bound_multipliers);
  trial_.norms = base_.norms;
  // Weights may fall at first, when multipliers are far off (Powell's rule, which may cycle). At its
  // limit a multiplier is the weight for which the step descends.
  const double kept = trials_ < 10 ? 0.5 : 1;
  for (Index i = 0; i < weights_.size(); ++i) {
    if (!task_.is_hard_curved(i)) continue;
    const double twice = 2 * trial_.row_multipliers(i);
    weights_(i) = std::min(std::max(twice, kept * weights_(i) + (1 - kept) * twice), limits_(i));
  }
}

void SequentialProjection::finish(Outcome outcome, Index violated) {
  finished_ = true;
  outcome_ = outcome;
  violated_ = violated;
}

Projection SequentialProjection::result() && {
  Projection projection;
  projection.outcome = outcome_;
  projection.force = base_.bound_multipliers + base_.at.J.transpose() * base_.row_multipliers;
  projection.x = std::move(base_.at.x);
  projection.bound_multipliers = std::move(base_.bound_multipliers);
  projection.row_multipliers = std::move(base_.row_multipliers);
  projection.violated = violated_;
  projection.working = std::move(working_);
  return projection;
}

}  // namespace chaosgrad::internal
