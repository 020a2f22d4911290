#include "solve/sieve/budget.h"

#include <algorithm>
#include <cmath>

#include "solve/sieve/sieve_batch.h"

namespace chaosgrad::internal {

bool metric_is_due(const SieveState& state, std::int64_t spent, const SieveTuning& tuning) {
  const bool doubtful = !state.concave.empty() && state.stage <= tuning.least_stages;
  return state.stage <= tuning.first_metrics || doubtful ||
         static_cast<double>(spent) >=
             tuning.metric_renewal * static_cast<double>(state.metric_made_at);
}

Index next_batch(const SieveState& state, double tolerance, GradientBudget budget,
                 const SieveTuning& tuning) {
  const double largest = tuning.batch_growth * static_cast<double>(budget.spent);
  double wanted = largest;
  const SieveError& error = state.error;
  const double room = std::pow(tolerance, 2) - error.basis;
  if (std::isfinite(error.upper) && room > 0) {
    const double missing =
        state.averaged.maxCoeff() * (error.sampling_factor * error.sampling / room - 1);
    wanted = std::clamp(tuning.batch_margin * missing, tuning.least_batch * largest, largest);
  }
  const auto left = static_cast<double>(budget.most - budget.spent);
  if (wanted > left && left > tuning.last_batch * largest) wanted = left;
  return std::max<Index>(1, static_cast<Index>(wanted / static_cast<double>(sieve_chunk))) *
         sieve_chunk;
}

bool test_is_due(const SieveState& state, std::int64_t spent, const SieveTuning& tuning) {
  return static_cast<double>(spent) >= tuning.test_renewal * static_cast<double>(state.tested_at);
}

}  // namespace chaosgrad::internal
