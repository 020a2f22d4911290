#include "solve/sieve/step.h"

#include <algorithm>
#include <cmath>

namespace chaosgrad::internal {
namespace {

// In place of N_i = 0: a coefficient of which nothing is known has noise without bound.
constexpr double no_samples = 1e-9;

// Of Δ: its own noise, and that of the coefficients it is taken at.
Coefficients step_variances(const Coefficients& noise, const Vector& averaged, double n) {
  Coefficients variances = noise;
  for (Index i = 0; i < variances.rows(); ++i) {
    if (averaged(i) > 0) variances.row(i) *= 1 + n / averaged(i);
  }
  return variances;
}

}  // namespace

Coefficients scatter(std::span<const Coefficients> groups, const Coefficients& mean) {
  const auto count = static_cast<double>(groups.size());
  Coefficients variances = Coefficients::Zero(mean.rows(), mean.cols());
  for (const Coefficients& group : groups) variances += (group - mean).cwiseAbs2();
  return variances / (count * (count - 1));
}

double adapted_damping(double damping, const Coefficients& step, const Coefficients& last_step,
                       double noise, const SieveTuning& tuning) {
  const double along = step.cwiseProduct(last_step).sum(), before = last_step.squaredNorm();
  const bool is_noise = step.squaredNorm() < tuning.damping_signal * noise;
  if (is_noise || (before > 0 && along > tuning.damping_turn * before))
    return std::min(1.0, tuning.damping_recovery * damping);
  if (along < -tuning.damping_turn * before)
    return std::max(tuning.least_damping, tuning.damping_cut * damping);
  return damping;
}

bool moves_on(const Coefficients& step, const Coefficients& step_variances,
              const Coefficients& path, const Coefficients& path_variances,
              const SieveTuning& tuning) {
  const double along = step.cwiseProduct(path).sum();
  return along > tuning.drift_signal * std::sqrt(step_variances.cwiseProduct(path_variances).sum());
}

bool overshoots(const Coefficients& step, const SieveState& state, const SieveTuning& tuning) {
  if (!can_return(state, tuning)) return false;
  double signal = 0;  // of functions that took part in the step before: new ones are far off
  for (Index i = 0; i < step.rows(); ++i) {
    if (state.averaged(i) > 0) signal += step.row(i).squaredNorm();
  }
  return signal > tuning.overshoot * (state.last_step.squaredNorm() + state.error.sampling);
}

StepReport take_step(const SieveBatch& batch, const SieveTuning& tuning, SieveState& state) {
  const double n = batch.effective;  // gains by precision
  const Coefficients step = batch.mean(), noise = scatter(batch.groups, step);
  const double noise_sum = noise.sum();
  state.damping = adapted_damping(state.damping, step, state.last_step, noise_sum, tuning);

  const Coefficients variances = step_variances(noise, state.averaged, n);
  StepReport report;
  report.drifting = moves_on(step, variances, state.path, state.path_variances, tuning);
  state.path = step + tuning.path_memory * state.path;
  state.path_variances = variances + tuning.path_memory * tuning.path_memory * state.path_variances;
  if (report.drifting) {
    state.averaged *= noise_sum / step.squaredNorm();
    report.drift = std::pow(tuning.drift_reach, 2) * step.squaredNorm();
  }

  const Coefficients before = state.u;
  for (Index i = 0; i < step.rows(); ++i) {
    double& averaged = state.averaged(i);
    const double own_noise =
        noise.row(i).sum();  // and with that of u_i, which it is compared with:
    const double expected = own_noise * (1 + n / std::max(averaged, no_samples));
    const double signal = step.row(i).squaredNorm();
    const bool onward = step.row(i).dot(state.last_step.row(i)) >= 0;
    if (signal > tuning.restart_signal * expected && onward) averaged *= own_noise / signal;
    const double gain = state.damping * n / (averaged + n);
    report.optimisation += std::max(0.0, signal - expected) * std::pow(1 - gain, 2);
    for (std::size_t g = 0; g < state.replicates.size(); ++g) {
      Coefficients& replicate = state.replicates[g];
      replicate.row(i) += gain * (before.row(i) - batch.groups[g].row(i) - replicate.row(i));
    }
    state.u.row(i) -= gain * step.row(i);
    averaged += n;
  }
  state.last_step = step;
  return report;
}

}  // namespace chaosgrad::internal
