#include "solve/sieve/error.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "random/random.h"

namespace chaosgrad::internal {
namespace {

double largest(const Eigen::Ref<const Vector>& values) {
  return values.size() > 0 ? values.maxCoeff() : 0;
}

}  // namespace

double squared_margin(double z, double squared, const Eigen::Ref<const Vector>& noise) {
  return z * std::sqrt(2 * noise.squaredNorm() + 4 * std::max(0.0, squared) * largest(noise));
}

double chi_squared_factor(const Coefficients& variances, double confidence) {
  const double z = normal_quantile(confidence);
  const double k = (1 + 2.0 / (sieve_groups - 1)) * std::pow(variances.sum(), 2) /
                   std::max(variances.squaredNorm(), 1e-300);
  const double part = 2 / (9 * std::max(1.0, k));
  return std::pow(1 - part + z * std::sqrt(part), 3);
}

double probed_error(const SieveBatch& batch, double confidence) {
  const Coefficients step = batch.mean();
  const auto inside_noise = batch.noise.head(step.rows());
  const double found = batch.probed.squaredNorm() - batch.probe_noise.sum();
  const double inside = step.squaredNorm() - inside_noise.sum();
  const double deviation =
      std::sqrt(2 * (batch.probe_noise.squaredNorm() + inside_noise.squaredNorm()) +
                4 * std::max(0.0, found) * largest(batch.probe_noise));
  const double beyond = found - std::max(0.0, inside);
  return beyond > normal_quantile(confidence) * deviation ? beyond : 0;
}

SieveError measure_error(const SieveBatch& batch, const SieveState& state, const StepReport& step,
                         double confidence, const SieveTuning& tuning) {
  SieveError error;
  error.variances = scatter(state.replicates, state.u);
  error.sampling = error.variances.sum();
  error.sampling_factor = state.doubt * chi_squared_factor(error.variances, confidence);
  error.hidden = state.error.hidden;
  const auto noise = batch.noise.tail(batch.beyond.rows());
  const double beyond = batch.beyond.squaredNorm() - noise.sum();
  error.basis = std::max({0.0, beyond, probed_error(batch, confidence)});
  error.optimisation = step.optimisation;
  error.drifting = step.drifting;
  // Early stages still move, and the last one may show that.
  if (state.stage >= tuning.least_stages) {
    error.upper = std::sqrt(error.sampling_factor * error.sampling + error.basis +
                            squared_margin(normal_quantile(confidence), beyond, noise) +
                            error.optimisation + step.drift);
  }
  return error;
}

SieveVerdict judge(const SieveError& error, double tolerance, Index stage,
                   const SieveTuning& tuning) {
  if (error.upper <= tolerance) return SieveVerdict::converged;
  return stage < tuning.most_stages ? SieveVerdict::go_on : SieveVerdict::stalled;
}

bool metric_is_due(const SieveState& state, std::int64_t spent, const SieveTuning& tuning) {
  const bool doubtful = !state.concave.empty() && state.stage <= tuning.least_stages;
  return state.stage <= tuning.first_metrics || doubtful ||
         static_cast<double>(spent) >=
             tuning.metric_renewal * static_cast<double>(state.metric_made_at);
}

Index next_batch(const SieveState& state, double tolerance, GradientBudget budget,
                 const SieveTuning& tuning) {
  const bool doubles = budget.sobol && state.stage > tuning.least_stages;
  const double largest = (doubles ? 1 : tuning.batch_growth) * static_cast<double>(budget.spent);
  double wanted = largest;
  const SieveError& error = state.error;
  const double room = std::pow(tolerance, 2) - error.basis;
  if (std::isfinite(error.upper) && !error.drifting && room > 0) {
    const double missing =
        state.averaged.maxCoeff() * (error.sampling_factor * error.sampling / room - 1);
    // Of independent samples: Sobol' points gain more by the longest batch than by several.
    if (!budget.sobol)
      wanted = std::clamp(tuning.batch_margin * missing, tuning.least_batch * largest, largest);
  }
  const auto left = static_cast<double>(budget.most - budget.spent);
  if (wanted > left && left > tuning.last_batch * largest) wanted = left;
  const Index chunks =
      std::max<Index>(1, static_cast<Index>(wanted / static_cast<double>(sieve_chunk)));
  if (!budget.sobol) return chunks * sieve_chunk;
  return static_cast<Index>(std::bit_floor(static_cast<std::size_t>(chunks))) * sieve_chunk;
}

bool test_is_due(const SieveState& state, std::int64_t spent, const SieveTuning& tuning) {
  return static_cast<double>(spent) >= tuning.test_renewal * static_cast<double>(state.tested_at);
}

}  // namespace chaosgrad::internal
