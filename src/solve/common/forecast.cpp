#include "solve/common/forecast.h"

#include <algorithm>
#include <cmath>

namespace chaosgrad::internal {

std::optional<double> gradients_to_go(const std::vector<IterationRecord>& stages,
                                      double tolerance) {
  constexpr std::size_t most_stages = 5;
  constexpr double least_power = 0.05;
  const std::size_t count = std::min(most_stages, stages.size());
  if (count < 2 || !stages.back().estimate || !(tolerance > 0)) return {};
  if (*stages.back().estimate <= tolerance) return 0;
  Vector work(static_cast<Index>(count)), error(static_cast<Index>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const IterationRecord& stage = stages[stages.size() - count + i];
    work(static_cast<Index>(i)) = std::log(static_cast<double>(stage.gradients));
    error(static_cast<Index>(i)) = std::log(stage.estimate.value_or(1));
  }
  const Vector centred = work.array() - work.mean();
  const double power = -centred.dot(error) / centred.squaredNorm();
  if (!(power >= least_power)) return {};
  return static_cast<double>(stages.back().gradients) *
         std::expm1(std::log(*stages.back().estimate / tolerance) / power);
}

}  // namespace chaosgrad::internal
