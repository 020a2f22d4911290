#pragma once
// How an error of x, of which only its π-norm is known, carries over to the statistics of an
// output.
#include "solution/statistics/sampled.h"

namespace chaosgrad::internal {

struct Propagated {
  double mean, sd, skewness, kurtosis;
  double norm;  // of the error of the output itself
};

// Of a component with error ε, from its standardised moments.
[[nodiscard]] Propagated propagate_component(double epsilon, const ShapeMoments& shape);

// Of the quantities, by moving x: |h* − h| ≤ Σ s_i |e_i| with s_i the larger slope of h between x
// and x ± ε_i. With many components |s| alone, from its squared slopes along random directions.
// `shapes` are the moments of the quantities.
[[nodiscard]] std::vector<Propagated> propagate_quantities(
    const OutputSampler& sampler, const Quantities& quantities, const Accuracy& accuracy,
    const std::vector<ShapeMoments>& shapes, Index parameters, const StatisticsOptions& options);

}  // namespace chaosgrad::internal
