#pragma once
// What a mean of noisy Hessians says about symmetry and convexity, and what of it is noise. The
// Hessians of single draws scatter (at a kink most are 0 and few are 1/h), so that every number
// here comes with the standard error that the scatter gives it.
#include <optional>
#include <vector>

#include "curvature/curvature.h"
#include "curvature/metric.h"

namespace chaosgrad::internal {

// The mean over the samples by their weights.
[[nodiscard]] Matrix mean_hessian(const HessianSamples& samples);

// Standard errors of v·H̄v for each column v.
[[nodiscard]] Vector quotient_errors(const HessianSamples& samples, const Matrix& mean,
                                     const Matrix& directions);

// The largest |H̄_ab − H̄_ba| over its standard error; 0 for one component.
struct Asymmetry {
  double signal = 0;  // standard errors
  Index row = 0, column = 0;
};
[[nodiscard]] Asymmetry asymmetry_of(const HessianSamples& samples, const Matrix& mean);

// v·Hv < 0 for a set of θ, beyond the noise and beyond the error of the differences. The mean over
// a set of positive Hessians is positive: somewhere in the set f is not convex.
struct Concavity {
  double curvature = 0, error = 0;      // v·Hv and its standard error
  Vector direction;                     // v
  std::optional<Index> parameter = {};  // the set: a quarter of this one's range; empty: all θ
  int quarter = 0;                      // 0: its lowest values, …, 3
};
// The clearest one, if any is clear: over all θ, and over the quarters of every germ (`levels`, n×d
// in (0, 1), are the distribution functions of the germs at the samples). The direction comes from
// one half of the samples and is tried on the other, so that it is not chosen by the noise;
// together all 4d + 1 trials raise a false alarm with probability `alarm`.
[[nodiscard]] std::optional<Concavity> find_concavity(const HessianSamples& samples,
                                                      const Matrix& levels, double alarm);

// Eigenvalues as steps may use them: those that are not clear of their noise are raised to `errors`
// standard errors, and what is clearly negative counts by its size.
[[nodiscard]] Curvature damped(Curvature curvature, const Vector& standard_errors, double errors);

}  // namespace chaosgrad::internal
