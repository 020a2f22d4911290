#include "constraint/bound_active_set.h"

#include <algorithm>
#include <cmath>

#include "numeric/decompositions.h"

namespace chaosgrad::internal {
namespace {

// How much of a violation, of a bound or of the sign of a multiplier, is rounding: relative to the
// terms that it is a sum of.
constexpr double rounding_of_sides = 1e-12;
// Changes that do not lower the number of violations. Most programs need five to ten in all.
constexpr Index most_idle = 10;

enum class Side : signed char { lower = -1, free = 0, upper = 1 };

// What holds with the components at their sides: x, and the force M (y − x).
struct Trial {
  Vector x, force;
  double distance = 0;  // |x − y|: times the norm of a row of M what the terms of a force may be
};

class SideChanges {
 public:
  SideChanges(const Matrix& M, const Vector& norms, const Vector& y, const Vector& lower,
              const Vector& upper)
      : M_(M),
        norms_(norms),
        y_(y),
        lower_(lower),
        upper_(upper),
        sides_(static_cast<std::size_t>(y.size()), Side::free) {}

  void start(const std::vector<Index>& guess) {
    const Index q = y_.size();
    for (const Index number : guess)
      if (number >= 0 && number < q && std::isfinite(upper_(number)))
        sides_[static_cast<std::size_t>(number)] = Side::upper;
    for (const Index number : guess) {
      const Index j = number - q;
      if (j >= 0 && j < q && std::isfinite(lower_(j)))
        sides_[static_cast<std::size_t>(j)] = Side::lower;
    }
  }

  // Whether all conditions hold in the end.
  bool run() {
    Index fewest = y_.size() + 1;
    for (Index idle = 0; idle < most_idle; ++steps) {
      if (!find_trial()) return false;
      const Index wrong = change_sides();
      if (wrong == 0) return true;
      idle = wrong < fewest ? 0 : idle + 1;
      fewest = std::min(fewest, wrong);
    }
    return false;
  }

  [[nodiscard]] QuadraticSolution result() const {
    const Index q = y_.size();
    QuadraticSolution solution;
    solution.outcome = QuadraticSolution::Outcome::solved;
    solution.steps = steps;
    solution.x = trial_.x.cwiseMax(lower_).cwiseMin(upper_);  // to rounding
    solution.row_multipliers.resize(0);
    solution.bound_multipliers = Vector::Zero(q);
    for (Index j = 0; j < q; ++j) {
      const Side side = sides_[static_cast<std::size_t>(j)];
      if (side == Side::free) continue;
      solution.x(j) = side == Side::upper ? upper_(j) : lower_(j);
      const double force = trial_.force(j);
      const bool fixed = lower_(j) == upper_(j);
      solution.bound_multipliers(j) = fixed                 ? force
                                      : side == Side::upper ? std::max(force, 0.0)
                                                            : std::min(force, 0.0);
      solution.working.push_back(j);
      if (side == Side::lower) solution.working.push_back(q + j);
    }
    return solution;
  }

 private:
  // M_FF (x − y)_F = −M_FA (x − y)_A, and one step of refinement. False if M is not positive there.
  bool find_trial() {
    std::vector<Index> free;
    Vector move = Vector::Zero(y_.size());  // x − y
    for (Index j = 0; j < y_.size(); ++j) {
      const Side side = sides_[static_cast<std::size_t>(j)];
      if (side == Side::free) free.push_back(j);
      if (side == Side::upper) move(j) = upper_(j) - y_(j);
      if (side == Side::lower) move(j) = lower_(j) - y_(j);
    }
    trial_.force.noalias() = -(M_ * move);
    if (!free.empty() && static_cast<Index>(free.size()) < y_.size()) {
      const Matrix L = cholesky_factor(M_(free, free));
      if (L.size() == 0) return false;
      for (int pass = 0; pass < 2; ++pass) {
        move(free) += solve_cholesky(L, Vector(trial_.force(free)));
        trial_.force.noalias() = -(M_ * move);
      }
    }
    trial_.x = y_ + move;
    trial_.distance = move.norm();
    return trial_.x.allFinite();
  }

  // Puts every component to where the trial says it belongs; how many were not there.
  Index change_sides() {
    const double size = trial_.x.lpNorm<Eigen::Infinity>();
    Index wrong = 0;
    for (Index j = 0; j < y_.size(); ++j) {
      Side& side = sides_[static_cast<std::size_t>(j)];
      const Side before = side;
      if (side == Side::free) {
        const double slack = rounding_of_sides * (size + std::abs(y_(j)));
        if (trial_.x(j) > upper_(j) + slack) side = Side::upper;
        if (trial_.x(j) < lower_(j) - slack) side = Side::lower;
      } else if (lower_(j) < upper_(j)) {
        const double sign = side == Side::upper ? 1 : -1;
        if (sign * trial_.force(j) < -rounding_of_sides * norms_(j) * trial_.distance)
          side = Side::free;
      }
      wrong += side != before ? 1 : 0;
    }
    return wrong;
  }

  const Matrix& M_;
  const Vector& norms_;  // of its rows
  const Vector &y_, &lower_, &upper_;
  std::vector<Side> sides_;
  Trial trial_;

 public:
  Index steps = 0;
};

}  // namespace

BoundActiveSet::BoundActiveSet(const Matrix& factor)
    : M_(factor.triangularView<Eigen::Lower>() * factor.transpose()), norms_(M_.rowwise().norm()) {}

std::optional<QuadraticSolution> BoundActiveSet::solve(const Vector& y, const Vector& lower,
                                                       const Vector& upper,
                                                       const std::vector<Index>& guess) const {
  if ((lower.array() > upper.array()).any() || !y.allFinite()) return {};
  SideChanges changes(M_, norms_, y, lower, upper);
  changes.start(guess);
  if (!changes.run()) return {};
  return changes.result();
}

}  // namespace chaosgrad::internal
