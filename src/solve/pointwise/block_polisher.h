#pragma once
// The steps of one block of points: what they need for each point that still moves.
#include <vector>

#include "solve/pointwise/pointwise.h"

namespace chaosgrad::internal {

class BlockPolisher {
 public:
  // Of all `points`, which have these numbers among others. `inverse` may be null if only
  // evaluate() is called.
  BlockPolisher(const PointGradient& gradient, const InverseHessian* inverse,
                const PointOptions& options, const std::vector<Index>& numbers, Points& points);

  // ∇f where it is not known.
  [[nodiscard]] PointReport evaluate();
  // Steps until every point is done, or the budget is.
  [[nodiscard]] PointReport polish();
  // The numbers of those that still move, where it was the budget.
  [[nodiscard]] std::vector<Index> unfinished() const;

 private:
  void evaluate_missing();
  void note_nonfinite(Index point, const Vector& x);
  [[nodiscard]] Matrix directions() const;
  [[nodiscard]] Matrix constrained_directions();
  [[nodiscard]] Vector inverse_scales() const;
  void keep_moving(const Matrix& steps, Index step_number);
  void note_ratio(Index point, double ratio, Index step_number);
  [[nodiscard]] double remaining_error(Index point, double length) const;
  [[nodiscard]] Vector steepest_descent(Index point);
  void take_steps();
  void shorten_next(Index point, const Vector& step);
  void forget_step(std::size_t row);
  void drop_troubled();
  [[nodiscard]] bool accept(Index point, const Vector& x, const Vector& g, const Vector& step);
  void note_curvature(Index point, double low, double high);
  void keep_pair(Index point, Secant pair);

  const PointGradient& gradient_;
  const InverseHessian* inverse_;
  const PointOptions& options_;
  const PointwiseTuning& tuning_;
  const std::vector<Index>& numbers_;
  Points& points_;
  // Row by row, for the points that still move:
  std::vector<Index> moving_;          // their rows in points_
  std::vector<double> lengths_;        // of their last steps; 0: there is none to compare with
  std::vector<double> runaway_norms_;  // |x| beyond is a runaway
  std::vector<Vector> steps_;          // to come
  PointReport report_;
};

}  // namespace chaosgrad::internal
