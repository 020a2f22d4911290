#pragma once
// How large each coefficient of the expansion is expected to be, learnt from those that the points
// determine: variances τ_ν² that fall with the degrees, log τ_ν² ≈ c − Σ_k w_k ν_k, and follow the
// coefficients themselves where those are known (docs/mathematics.md 5). A fit that is told them
// can have more functions than points.
#include "chaosgrad/basis.h"
#include "estimate/weighted_fit.h"
#include "solve/collocation/design/tuning.h"

namespace chaosgrad::internal::collocation {

struct Prior {
  double noise = 0;  // σ²: the squared size of what no function of the basis holds
  Vector decay;      // c, w_1 … w_d
  Vector variances;  // τ_ν² of each function; infinite for the constant

  // c − Σ w_k ν_k.
  [[nodiscard]] double log_variance(const MultiIndex& index) const;
  // σ²/τ_ν².
  [[nodiscard]] Vector penalties() const;
};

// Before any fit: from the spread of the values (n×q) alone.
[[nodiscard]] Prior first_prior(const IndexSet& indices, const Matrix& values,
                                const DesignTuning& tuning);

// What a fit with the prior `before` says about σ², the decay and the variances. `squared` is the
// mean square of its leave-one-out error.
[[nodiscard]] Prior learn_prior(const Prior& before, const IndexSet& indices,
                                const WeightedDesign& design, const WeightedFit& fit,
                                double squared, const DesignTuning& tuning);

}  // namespace chaosgrad::internal::collocation
