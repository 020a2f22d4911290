#pragma once
// The table of statistics by sampling the expansion, with the errors that come from the sampling
// and from the noise in the coefficients.
#include "solution/statistics/describe.h"

namespace chaosgrad::internal {

struct SampledTable {
  TableLayout layout;
  Matrix value, error;         // outputs × layout.size()
  std::vector<Vector> sorted;  // a sample of each output
  std::vector<Vector> edges;   // of its histogram
};

// Sobol' indices of the outputs from `first_indexed` on.
[[nodiscard]] SampledTable sampled_statistics(const OutputSampler& sampler,
                                              const Expansion& expansion, const CrossFit& fit,
                                              const Quantities& quantities, const Pairs& pairs,
                                              Index first_indexed, double confidence,
                                              const StatisticsOptions& options);

}  // namespace chaosgrad::internal
