#include "constraint/dual_active_set.h"

#include <algorithm>
#include <cmath>

namespace chaosgrad::internal {
namespace {

using Outcome = QuadraticSolution::Outcome;

// How much of a violation is rounding, relative to |b_i| + Σ_j |a_ij| extent_j.
constexpr double rounding = 2e-13;

}  // namespace

void DualActiveSet::take_side(Index j, bool upper) {
  const bool fixed = program_.lower(j) == program_.upper(j);
  side_(j) = upper ? program_.upper(j) : program_.lower(j);
  least_(p_ + j) = upper && !fixed ? 0 : -infinity;
  most_(p_ + j) = upper || fixed ? infinity : 0;
}

double DualActiveSet::value(Index row) const {
  return row < p_ ? program_.rows.row(row).dot(x_) - program_.right(row)
                  : x_(row - p_) - side_(row - p_);
}

// x_j is a sum of terms below |L⁻¹ e_j| (|x − y|_M + |y|_M), which may be far larger than any that occurs: the
// largest component says more then. Where x came from (y at first) is forgotten by refinement: what its
// last step still changed is the rounding of x.
void DualActiveSet::measure_extent() {
  constexpr double margin = 8;
  const double present = x_.lpNorm<Eigen::Infinity>();
  past_ = std::max(past_, present);
  const double largest = settled_ ? present + margin / rounding * last_change_ : present + past_;
  extent_ = x_.cwiseAbs() + ((distance_ + norm_of_y_) * norm_.tail(q_)).cwiseMin(largest);
}

// Rounding grows where steps do not end.
double DualActiveSet::tolerance(Index row) const {
  const double scale =
      row < p_ ? program_.rows.row(row).cwiseAbs().dot(extent_) + std::abs(program_.right(row))
               : extent_(row - p_) + std::abs(side_(row - p_));
  return scale * (is_late() ? 1e3 * rounding : rounding);
}

double DualActiveSet::sign_of_violation(Index row, double c) const {
  if (c > 0 && multiplier_(row) < most_(row)) return 1;
  if (c < 0 && multiplier_(row) > least_(row)) return -1;
  return 0;
}

// By the distance to the row in the metric, which is the rate at which the dual grows; if steps do
// not end, the first one that is violated (Bland's rule).
DualActiveSet::Violation DualActiveSet::most_violated() {
  measure_extent();
  Violation most;
  double largest = 0;
  const auto consider = [&](Index row, double c) {
    const double sign = sign_of_violation(row, c);
    const auto at = static_cast<std::size_t>(row);
    if (sign == 0 || position_[at] >= 0 || implied_[at]) return;
    if (most.row >= 0 && (is_late() || std::abs(c) <= largest * norm_(row))) return;
    if (std::abs(c) <= tolerance(row)) return;
    most = {row, sign};
    largest = std::abs(c) / norm_(row);
  };
  if (p_ > 0) values_.noalias() = program_.rows * x_ - program_.right;
  for (Index i = 0; i < p_; ++i) consider(i, values_(i));
  for (Index j = 0; j < q_; ++j) {
    const Index row = p_ + j;
    if (position_[static_cast<std::size_t>(row)] >= 0) continue;
    if (multiplier_(row) == 0) {
      if (x_(j) > program_.upper(j))
        take_side(j, true);
      else if (x_(j) < program_.lower(j))
        take_side(j, false);
      else
        continue;
    }
    consider(row, x_(j) - side_(j));
  }
  return most;
}

void DualActiveSet::find_direction(Index row) {
  if (row < p_) {
    row_ = program_.rows.row(row).transpose();
    factor_.direction(row_, direction_);
  } else {
    factor_.direction(row - p_, direction_);
  }
}

// The working multiplier that reaches a limit first; of several the one that changes most.
DualActiveSet::Blocking DualActiveSet::first_block(double sign) const {
  Blocking first;
  double largest = 0;
  for (Index k = 0; k < factor_.size(); ++k) {
    const Index i = working_[static_cast<std::size_t>(k)];
    const double rate = -sign * direction_.dual(k), weight = std::abs(rate) * norm_(i);
    if (weight <= rounding * direction_.terms) continue;
    const double limit = rate > 0 ? most_(i) : least_(i);
    if (std::isinf(limit)) continue;
    const double length = std::max((limit - multiplier_(i)) / rate, 0.0);
    if (length < first.length || (length == first.length && weight > largest)) {
      first = {k, length};
      largest = weight;
    }
  }
  return first;
}

void DualActiveSet::move(Index row, double sign, double length) {
  if (direction_.square > 0) x_ -= sign * length * direction_.primal;
  for (Index k = 0; k < factor_.size(); ++k)
    multiplier_(working_[static_cast<std::size_t>(k)]) -= sign * length * direction_.dual(k);
  multiplier_(row) += sign * length;
  distance_ += length * std::sqrt(direction_.square);
}

void DualActiveSet::join(Index row) {
  factor_.append(direction_);
  position_[static_cast<std::size_t>(row)] = static_cast<Index>(working_.size());
  working_.push_back(row);
}

void DualActiveSet::leave(Index position) {
  factor_.remove(position);
  implied_.assign(implied_.size(), false);
  const auto at = working_.begin() + position;
  position_[static_cast<std::size_t>(*at)] = -1;
  for (auto next = working_.erase(at); next != working_.end(); ++next)
    --position_[static_cast<std::size_t>(*next)];
}

// c = Σ_k dual_k c_k where the row depends on the working ones, which are met to rounding only.
bool DualActiveSet::is_implied(Index row) const {
  if (direction_.square > 0) return false;
  double noise = tolerance(row);
  for (Index k = 0; k < factor_.size(); ++k)
    noise += std::abs(direction_.dual(k)) * tolerance(working_[static_cast<std::size_t>(k)]);
  return std::abs(value(row)) <= noise;
}

// Changes the multiplier of the row until the row is met, or the multiplier is at its limit.
Outcome DualActiveSet::raise(Violation violation) {
  const auto [row, sign] = violation;
  for (;; ++steps_) {
    find_direction(row);
    if (is_implied(row)) {
      if (settled_) implied_[static_cast<std::size_t>(row)] = true;
      if (!settled_) settle();  // how well the rows are met is known then: it is asked once more
      return Outcome::solved;
    }
    const double limit = sign > 0 ? most_(row) : least_(row);
    const double to_limit = std::abs(limit - multiplier_(row));
    const double to_met =
        direction_.square > 0 ? std::max(sign * value(row), 0.0) / direction_.square : infinity;
    const Blocking block = first_block(sign);
    const double length = std::min({to_limit, to_met, block.length});
    if (length == infinity) return Outcome::infeasible;
    settled_ = false;
    move(row, sign, length);
    if (to_limit == length) {
      multiplier_(row) = limit;
      return Outcome::solved;
    }
    if (to_met == length) {
      join(row);
      return Outcome::solved;
    }
    const Index blocking = working_[static_cast<std::size_t>(block.position)];
    multiplier_(blocking) =
        -sign * direction_.dual(block.position) > 0 ? most_(blocking) : least_(blocking);
    leave(block.position);
  }
}

// One step of iterative refinement on the working set, from any x and multipliers. Returns the
// change of x, relative to x.
double DualActiveSet::correct() {
  const Index k = factor_.size();
  const auto L = program_.factor.triangularView<Eigen::Lower>();
  Vector change = L.transpose() * (program_.y - x_);
  distance_ = change.norm();
  change = (L * change).eval();
  change -= multiplier_.tail(q_);
  if (p_ > 0) change.noalias() -= program_.rows.transpose() * multiplier_.head(p_);
  Vector dual(k);
  for (Index i = 0; i < k; ++i) dual(i) = -value(working_[static_cast<std::size_t>(i)]);
  factor_.solve(change, dual);
  x_ += change;
  for (Index i = 0; i < k; ++i) multiplier_(working_[static_cast<std::size_t>(i)]) += dual(i);
  last_change_ = change.lpNorm<Eigen::Infinity>();
  return last_change_ / (x_.lpNorm<Eigen::Infinity>() + 1e-300);
}

// Working rows whose multipliers are beyond their limits rest there instead.
bool DualActiveSet::drop_outside() {
  double force = 0;
  for (const Index i : working_) force = std::max(force, std::abs(multiplier_(i)) * norm_(i));
  bool dropped = false;
  for (Index k = factor_.size() - 1; k >= 0; --k) {
    const Index i = working_[static_cast<std::size_t>(k)];
    const double inside = std::clamp(multiplier_(i), least_(i), most_(i));
    if (std::abs(multiplier_(i) - inside) * norm_(i) <= rounding * force) continue;
    multiplier_(i) = inside;
    leave(k);
    dropped = true;
  }
  return dropped;
}

void DualActiveSet::settle() {
  do {
    ++steps_;
    for (int repeat = 0; repeat < 3; ++repeat)
      if (correct() < 1e-15) break;
  } while (drop_outside());
  settled_ = true;
}

}  // namespace chaosgrad::internal
