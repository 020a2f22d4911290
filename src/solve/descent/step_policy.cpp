#include "solve/descent/step_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chaosgrad/error.h"
#include "solve/common/option_table.h"
#include "solve/descent/tuning.h"

namespace chaosgrad::internal {
namespace {

void require_positive(double value, const char* option, Index k) {
  if (!(value > 0 && std::isfinite(value))) {
    throw InputError(
        std::string("solve.") + option,
        fmt::format("must be positive and finite, found {} at iteration {}", value, k));
  }
}

}  // namespace

Stage stage_of(Index k, double kappa) {
  const double root = std::sqrt(kappa);
  Index number = 1;
  auto length = std::max<Index>(1, static_cast<Index>(std::ceil(root * std::log(kappa))));
  Index begin = 1;
  while (k >= begin + length) {
    begin += length;
    ++number;
    length = (Index{1} << std::min<Index>(number, 40)) *
             static_cast<Index>(std::ceil(root * std::log(8.0)));
  }
  return {number, k == begin};
}

StepPolicy::StepPolicy(const Options& options, const ProblemConstants& constants)
    : options_(options),
      constants_(constants),
      step_(options.step.value_or(default_schedule("step", options.method))) {}

double StepPolicy::step_at(Index k, const Level& level, const ScheduleInputs& inputs) {
  // A formula that does not know k changes with the level only.
  const bool unchanged = !step_.uses("k") && level == step_level_ && inputs.L == step_smoothness_;
  if (!unchanged) {
    last_step_ = step_(inputs);
    require_positive(last_step_, "step", k);
    step_level_ = level;
    step_smoothness_ = inputs.L;
  }
  return last_step_;
}

Step StepPolicy::unguarded(Index k, const Level& level) {
  const ScheduleInputs inputs = schedule_inputs(k, level, constants_);
  const double mu = constants_.mu.value;
  Step step;
  step.alpha = step_at(k, level, inputs);
  if (options_.method == Method::masg) {
    const Stage stage = stage_of(k, constants_.kappa());
    if (stage.number > 1) step.alpha *= std::pow(0.25, static_cast<double>(stage.number));
    step.restart = stage.first_iteration;
    step.beta = paired_momentum(step.alpha, mu);
  } else if (options_.method == Method::agd) {
    step.beta = options_.momentum ? (*options_.momentum)(inputs) : paired_momentum(step.alpha, mu);
    if (!(step.beta >= 0 && step.beta < 1)) {
      throw InputError("solve.momentum",
                       fmt::format("must be in [0, 1), found {} at iteration {}", step.beta, k));
    }
  }
  return step;
}

void StepPolicy::guard(const Level& level, Step& step) {
  const bool accelerated = options_.method == Method::agd || options_.method == Method::masg;
  const bool unchanged = step.alpha == asked_alpha_ && step.beta == asked_beta_ &&
                         level == asked_level_ && constants_.L.value == asked_smoothness_;
  if (!unchanged) {
    asked_alpha_ = step.alpha;
    asked_beta_ = step.beta;
    asked_level_ = level;
    asked_smoothness_ = constants_.L.value;
    allowed_alpha_ = accelerated ? stable_accelerated_step(step.alpha, step.beta, level, constants_)
                                 : largest_gradient_step(level, constants_);
  }
  if (allowed_alpha_ < step.alpha * (1 - step_rounding)) {
    step.alpha = allowed_alpha_;
    if (accelerated) step.beta = paired_momentum(step.alpha, constants_.mu.value);
    step.cut = true;
  }
}

Step StepPolicy::operator()(Index k, const Level& level) {
  Step step = unguarded(k, level);
  if (options_.guard) guard(level, step);
  return step;
}

}  // namespace chaosgrad::internal
