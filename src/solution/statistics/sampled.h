#pragma once
// The table of statistics by sampling the expansion, with the errors that come from the sampling
// and from the noise in the coefficients.
#include "solution/statistics/describe.h"

namespace chaosgrad::internal {

// Outputs whose covariance matrix is formed.
inline constexpr Index most_covariances = 2000;

struct SampledTable {
  TableLayout layout;
  Matrix value, error;         // outputs × layout.size()
  std::vector<Vector> sorted;  // a sample of each output
  std::vector<Vector> edges;   // of its histogram
  std::vector<Extremes> extremes;
  InfeasibleSamples infeasible;  // left out
};

// Sobol' indices of the outputs from `first_indexed` on; correlations and covariances of those from
// `first_inexact` on.
[[nodiscard]] SampledTable sampled_statistics(const OutputSampler& sampler, const CrossFit& fit,
                                              const Pairs& pairs, Index dimension,
                                              Index first_indexed, Index first_inexact,
                                              double confidence, const StatisticsOptions& options);

}  // namespace chaosgrad::internal
