#pragma once
// The inverse Hessian as a function of θ, learnt from the secant pairs of all points:
//   s ≈ B(η) y,   B(η) = (I + Σ_{ν ∈ Λ_B} W_ν ψ_ν(η)) H̄⁻¹,
// by ridge regression. One step with a good B brings a new point from its prediction to the
// optimum, where the mean inverse alone takes several.
#include <optional>

#include "chaosgrad/basis.h"
#include "curvature/curvature.h"
#include "solve/collocation/curvature/secant_regression.h"
#include "solve/collocation/curvature/tuning.h"
#include "solve/pointwise/pointwise.h"

namespace chaosgrad::internal {

class InverseModel final : public InverseHessian {
 public:
  explicit InverseModel(Curvature mean = {}, const CurvatureTuning& tuning = {})
      : mean_(std::move(mean)), tuning_(tuning) {}

  // Learns from the secants of the points, with the functions of `basis` on which the coefficients
  // u are largest, as many as the pairs can carry. Held-out pairs decide whether the model is
  // better than the mean; if not, the mean is used. Where a gradient takes so many operations
  // (empty: not known), the fit takes no more than a few gradients at every point would.
  void fit(const Basis& basis, const Coefficients& u, const Points& points,
           const std::optional<double>& operations);

  void apply(Block eta, Block g, BlockOut r) const override;

  [[nodiscard]] const Curvature& mean() const { return mean_; }
  [[nodiscard]] double operations() const;  // of apply(), a row

 private:
  Curvature mean_;
  CurvatureTuning tuning_;
  SecantRegression regression_;  // of s − z on z, z = H̄⁻¹ y; Λ_B is its basis
};

}  // namespace chaosgrad::internal
