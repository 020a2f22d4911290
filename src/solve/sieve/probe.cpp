#include "solve/sieve/probe.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace chaosgrad::internal {

Probe::Probe(const std::vector<Distribution>& germs, const SieveTuning& tuning) : germs_(germs) {
  const auto d = static_cast<Index>(germs.size());
  const auto most_waves = static_cast<std::size_t>(tuning.probe_waves);
  highest_ =
      static_cast<int>(std::clamp<Index>(tuning.probe_axis_waves / d, 1, tuning.probe_highest));
  for (int frequency = 1; frequency <= highest_; ++frequency) {
    for (Index j = 0; j < d && waves_.size() < most_waves; ++j)
      waves_.push_back({.axis = j, .frequency = frequency});
  }
  for (Index j = 0; j < d; ++j) {
    for (Index k = 0; k < j; ++k) {
      for (const int sign : {1, -1}) {
        if (waves_.size() < most_waves)
          waves_.push_back({.axis = j, .other = k, .frequency = 1, .other_frequency = sign});
      }
    }
  }
}

Matrix Probe::evaluate(Block eta) const {
  const Index n = eta.rows(), d = eta.cols();
  // turns(i, j·highest + f − 1) = e^{2πi f U_j}
  Eigen::ArrayXXcd turns(n, d * highest_);
  for (Index j = 0; j < d; ++j) {
    const Distribution& germ = germs_[static_cast<std::size_t>(j)];
    for (Index i = 0; i < n; ++i) {
      turns(i, j * highest_) = std::polar(1.0, 2 * std::numbers::pi * germ.cdf(eta(i, j)));
    }
    for (int f = 1; f < highest_; ++f)
      turns.col(j * highest_ + f) = turns.col(j * highest_ + f - 1) * turns.col(j * highest_);
  }
  Matrix values(n, size());
  Eigen::ArrayXcd wave(n);
  for (std::size_t w = 0; w < waves_.size(); ++w) {
    const Wave& k = waves_[w];
    wave = turns.col(k.axis * highest_ + k.frequency - 1);
    if (k.other_frequency > 0) wave *= turns.col(k.other * highest_);
    if (k.other_frequency < 0) wave *= turns.col(k.other * highest_).conjugate();
    const auto column = 2 * static_cast<Index>(w);
    values.col(column) = std::numbers::sqrt2 * wave.real().matrix();
    values.col(column + 1) = std::numbers::sqrt2 * wave.imag().matrix();
  }
  return values;
}

}  // namespace chaosgrad::internal
