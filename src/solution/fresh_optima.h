#pragma once
// Optima at fresh θ, one by one: what verify() compares an expansion with.
#include <memory>
#include <optional>
#include <vector>

#include "chaosgrad/verify.h"
#include "curvature/metric.h"
#include "estimate/average_gradient.h"
#include "solve/pointwise/constrained_step.h"
#include "solve/pointwise/pointwise.h"
#include "solve/pointwise/trust_region.h"

namespace chaosgrad::internal {

enum class Found : char { minimum, unfinished, unbounded, undefined, infeasible };

struct Optima {
  Matrix x;                  // N×q
  std::vector<Found> found;  // by point
  std::int64_t gradients = 0;
};

// Fresh θ, the values of the expansion there, and f at each: F without noise, or the mean of F over
// one half of the draws that belong to that θ. The oracle must outlive it.
class FreshPoints {
 public:
  FreshPoints(const Oracle& oracle, const Expansion& expansion, const VerifyOptions& options);

  [[nodiscard]] Index size() const { return points_.size(); }
  // Of the θ that were asked for those at which ∇f fails at the expansion, where it may: no points.
  [[nodiscard]] Index skipped() const { return skipped_; }
  [[nodiscard]] Vector theta(Index i) const { return points_.theta.row(i).transpose(); }
  [[nodiscard]] const Matrix& expansion() const { return points_.value; }  // N×q
  [[nodiscard]] const Points& points() const { return points_; }

  // The lowest eigenvalue of the mean Hessian, and the gradients that it took.
  [[nodiscard]] double lowest_curvature() const { return lowest_curvature_; }
  [[nodiscard]] std::int64_t curvature_gradients() const { return curvature_gradients_; }

  // f at point i, for minimise(); needs values of F.
  [[nodiscard]] PointFunction function(Index i, Index half) const;
  // The same with the terms of the objective that have kinks: its values are to be compared.
  [[nodiscard]] PointFunction objective(Index i, Index half) const;

  // Why F is not defined at x, as far as the problem can tell.
  [[nodiscard]] std::string explain(Index i, const Vector& x) const;

  // The optima from `start` (N×q): by the quick method, and where that does not arrive (or where
  // there is none) by one that does from any start in the domain. `thorough`: by that one alone.
  [[nodiscard]] Optima optima(const Matrix& start, Index half, bool thorough) const;

 private:
  [[nodiscard]] Matrix noise(Index point, Index half, Index draws) const;
  [[nodiscard]] AverageGradient average(Index point, Index half, Index draws) const;
  void skip_failures();
  void measure_curvature();
  [[nodiscard]] PointOptions polishing() const;
  [[nodiscard]] bool polish_together(const Matrix& start, Optima& result) const;
  Found polish_alone(Index i, Index half, const Vector& start, Vector& x,
                     std::int64_t& gradients) const;
  Found minimise_alone(Index i, Index half, const Vector& start, Vector& x,
                       std::int64_t& gradients) const;

  const Oracle& oracle_;
  VerifyOptions options_;
  Points points_;  // their values are those of the expansion
  Index skipped_ = 0;
  double size_ = 0, tolerance_ = 0;
  std::shared_ptr<const MeanInverse> inverse_;   // none: the mean Hessian is not positive
  std::optional<PointConstraints> constraints_;  // with the mean Hessian, where it is positive
  double lowest_curvature_ = 0;
  std::int64_t curvature_gradients_ = 0;
};

}  // namespace chaosgrad::internal
