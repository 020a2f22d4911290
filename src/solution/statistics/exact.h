#pragma once
// The statistics of the components of x that follow from the coefficients alone, with their bars.
#include "solution/statistics/describe.h"

namespace chaosgrad::internal {

// Replaces what sampling gave by what is exact: mean, sd, correlation, slope, Sobol' indices and
// (where it is asked for) the covariance of the components, and skewness and kurtosis where a
// quadrature rule takes at most `work` multiplications and has the smaller bar.
void set_exact_components(const Expansion& expansion, const CrossFit& fit, const Accuracy& accuracy,
                          double work, Statistics& statistics);

}  // namespace chaosgrad::internal
