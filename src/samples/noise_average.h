#pragma once
// E_v of functions that are cheap enough to be evaluated at many draws: an exact sum over all cases
// where there are finitely many, else independently shifted sets of Sobol' points.
#include <functional>
#include <vector>

#include "chaosgrad/measure.h"
#include "random/random.h"
#include "samples/noise_rule.h"

namespace chaosgrad::internal {

// The exact rule where all noise numbers choose among finitely many cases, at most
// `most_noise_cases` together; empty nodes otherwise.
inline constexpr double most_noise_cases = 4096;
[[nodiscard]] NoiseRule case_rule(const std::vector<NoiseAxis>& axes);

// `draws` Sobol' points with equal weights, under the shift of the stream. Without noise numbers
// one point without columns.
[[nodiscard]] NoiseRule shifted_rule(const Stream& shift, Index draws, Index noise_dimension);

// How many draws: the fewest, of 64, 256, …, most, for which means over the noise scatter by at
// most `accuracy` times their scale, over the rule of each of four shifts. mean(rule) gives them
// (points × functions); the scale of a function is its largest mean.
inline constexpr Index least_noise_draws = 64;
[[nodiscard]] Index enough_draws(const std::function<Matrix(const NoiseRule&)>& mean,
                                 const std::vector<Stream>& shifts, Index noise_dimension,
                                 double accuracy, Index most);

}  // namespace chaosgrad::internal
