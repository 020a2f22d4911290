#pragma once
// Error bars: from the scatter of independent estimates, and from a bound ε of the error in the
// π-norm (docs/mathematics.md, 8).
#include <vector>

#include "chaosgrad/statistics.h"

namespace chaosgrad::internal {

// Student's t for a two-sided interval.
[[nodiscard]] double student_t(Index degrees, double confidence);

// Values of the same statistics from all estimates but one, elementwise: half width of the interval
// of the statistic from all of them.
[[nodiscard]] Matrix jackknife_error(const std::vector<Matrix>& without_one, double confidence);
// Half width of the interval of the mean of independent values.
[[nodiscard]] Matrix scatter_error(const std::vector<Matrix>& values, double confidence);

// sd from a variance that is known up to ± error (it may even be negative).
struct DeviationBar {
  double value, error;
};
[[nodiscard]] DeviationBar deviation(double variance, double error);

// The angle between x̃ and x̃* is at most asin(ε/σ). How far it can move
double correlation_bar(double correlation, double angle);  // the cosine of an angle to a vector,
double share_bar(double share, double angle);              // its square, to a subspace.
[[nodiscard]] double largest_angle(double epsilon, double sd);
// Both with their bars: `sampling` is the half width without the angle. A bar that reaches beyond
// what such a number can be is cut.
[[nodiscard]] Estimate correlation_estimate(double value, double sampling, double angle);
[[nodiscard]] Estimate share_estimate(double value, double sampling, double angle);

// The quantile at level p of a law at a Wasserstein distance of at most ε from the sorted sample.
// The smaller of two: valid for every p, and ε/√(1 − confidence), valid for a share `confidence` of
// all p.
[[nodiscard]] double quantile_bar(const Vector& sorted, double p, double epsilon,
                                  double confidence);

}  // namespace chaosgrad::internal
