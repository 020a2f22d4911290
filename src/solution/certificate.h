#pragma once
// The error of an expansion, measured with fresh samples.
#include "chaosgrad/solution.h"

namespace chaosgrad::internal {

struct Certificate {
  ErrorEstimate error;
  std::optional<double> sampled_error;  // ‖x_u − x*‖_π against the reference, by Monte Carlo
  std::int64_t gradients = 0;
  // Where F is not a number at the expansion, as text, and with what probability.
  std::string outside;
  double outside_share = 0;
  std::string doubt;  // why the error is not known, though nothing is outside; empty if it is
};

// `run` tells the constants, the last step and the last number of samples, which the split of the
// error needs; its expansion is that of x, where `expansion` is that of y (lift.h).
[[nodiscard]] Certificate certify(const Oracle& oracle, const Expansion& expansion,
                                  const Solution& run, const Options& options);

}  // namespace chaosgrad::internal
