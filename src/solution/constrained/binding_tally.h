#pragma once
// Counts of active constraints over samples of θ.
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "chaosgrad/statistics.h"
#include "solution/constrained/bindings.h"

namespace chaosgrad::internal {

inline constexpr Index deciles = 10;  // of each parameter
// Distances that bars of probabilities try, in errors: 1, √2, 2, …
inline constexpr std::size_t reaches = 24;
[[nodiscard]] inline double reach(std::size_t k) {
  return std::pow(2.0, 0.5 * static_cast<double>(k));
}

// The columns: the bindings, and then for each constraint of several that one of them is active.
struct BindingColumns {
  std::vector<Binding> bindings;
  std::vector<std::pair<Index, Index>> of_constraint;  // first binding, and their number
  [[nodiscard]] Index single() const { return static_cast<Index>(bindings.size()); }
  [[nodiscard]] Index size() const { return single() + static_cast<Index>(of_constraint.size()); }
};

[[nodiscard]] BindingColumns columns_of(const Constraints& constraints);

// What is sampled.
struct BindingSampling {
  const Expansion& expansion;
  const Measure& law;
  const Constraints& constraints;
  BindingColumns columns;
  BindingErrors errors;
};

// Sums over samples, by column.
struct BindingTally {
  double samples = 0, infeasible = 0, violation = 0;
  Vector infeasible_theta = {};  // the first
  Vector active, multiplier, square, weak, possible;
  std::array<Vector, reaches> let_go, take_hold;  // active within that reach of not being, and back
  Matrix by_decile, in_decile;                    // columns × (d deciles), and the samples of each

  BindingTally(Index columns, Index d)
      : active(Vector::Zero(columns)),
        multiplier(active),
        square(active),
        weak(active),
        possible(active),
        by_decile(Matrix::Zero(columns, d * deciles)),
        in_decile(Matrix::Zero(1, d * deciles)) {
    let_go.fill(active);
    take_hold.fill(active);
  }
  void add(const BindingTally& other);
};

// At rows of u, uniform numbers (n×d).
[[nodiscard]] BindingTally tally_of(const BindingSampling& at, const Matrix& u);

// Errors of x and of the multipliers (Solution::multiplier_errors), times `factor`. `at` has none yet.
[[nodiscard]] BindingErrors binding_errors(const BindingSampling& at, const Accuracy& accuracy,
                                           const Vector& multiplier_errors, double factor);

}  // namespace chaosgrad::internal
