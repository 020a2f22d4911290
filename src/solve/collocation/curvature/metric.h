#pragma once
// Where x is constrained: the metric M(θ) of the lift (chaosgrad/lift.h). The nearer it is to the
// Hessian of f, the less of the kinks of x*(θ) reaches what is expanded. It grows with the basis:
// fitted to what secants tell, or to Hessians at points where that is too little.
#include <memory>
#include <optional>
#include <vector>

#include "chaosgrad/lift.h"
#include "chaosgrad/problem.h"
#include "curvature/curvature.h"
#include "solve/collocation/curvature/tuning.h"
#include "solve/pointwise/pointwise.h"

namespace chaosgrad::internal {

// The factors of inverse Hessians at points, as rows of entries like those of Lift::factor().
struct HessianPoints {
  std::vector<Index> points = {};
  Matrix entries = {};                 // n×q(q + 1)/2
  std::optional<bool> quadratic = {};  // whether f is in x; empty: not tried yet
  std::int64_t evaluations = 0;        // of Hessians, for these and for what was tried
  // Points with these ascending numbers are no more.
  void remove(const std::vector<Index>& numbers);
};

// The same M for every θ: H, with eigenvalues of at least a share of the largest.
[[nodiscard]] std::shared_ptr<const Lift> constant_metric(
    std::shared_ptr<const Constraints> constraints, const std::vector<Family>& families,
    const Matrix& hessian, const CurvatureTuning& tuning);

// Equalities always bind: x*(θ) has no kinks then.
[[nodiscard]] bool only_equalities(const Constraints& constraints);

// The lift with M times `factor`.
[[nodiscard]] std::shared_ptr<const Lift> scaled(const Lift& lift, double factor);

// What a metric for the next stage is learnt from.
struct MetricData {
  const Oracle& oracle;
  const CurvatureTuning& tuning;
  const Curvature& mean;  // H̄
  const Basis& basis;     // of the expansion so far, and
  const Coefficients& u;  // its coefficients
  const Points& points;
  double proximal;  // δ (proximal_weight): the metric is near ∇²f + δI
  double enough;    // misfit of the secants that needs no Hessians
};
// The metric that explains the secants best: the one before, or one on more functions. Hessians that
// it takes are added to `hessians`; they are no gradients, and count apart (docs/decisions.md).
struct LearntMetric {
  std::shared_ptr<const Lift> best;
  // Where the Hessian depends on x: made of the same Hessians. Which one leaves least of the kinks
  // is seen when the expansion is fitted.
  std::vector<std::shared_ptr<const Lift>> others = {};
};
[[nodiscard]] LearntMetric learn_metric(const MetricData& data, std::shared_ptr<const Lift> before,
                                        HessianPoints& hessians);

}  // namespace chaosgrad::internal
