#include "solve/common/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/common/goal.h"
#include "solve/common/forecast.h"

namespace chaosgrad::internal {

Monitor::Monitor(const Options& options, const std::optional<ReferenceExpansion>& reference)
    : options_(options), reference_(reference), start_(std::chrono::steady_clock::now()) {
  if (!options.resume) return;
  seconds_before_ = options.resume->seconds;
  gradients_before_ = options.resume->gradients;
  const std::vector<IterationRecord>& history = options.resume->history;
  if (!history.empty()) iterations_before_ = history.back().k;
}

double Monitor::session_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double Monitor::seconds() const { return seconds_before_ + session_seconds(); }

bool Monitor::may_continue(Index k, std::int64_t gradients, Run& run,
                           std::optional<double> now) const {
  const auto stop = [&](Status status, std::string reason) {
    run.status = status;
    run.stop_reason = std::move(reason);
    return false;
  };
  const auto step = [&] {
    return is_adaptive(options_.method) ? fmt::format("stage {}", k)
                                        : fmt::format("iteration {} of {}", k, options_.iterations);
  };
  if (options_.interrupted && options_.interrupted())
    return stop(Status::interrupted, fmt::format("interrupted before {}", step()));
  if (run.gradients + gradients > options_.max_gradients) {
    return stop(
        Status::out_of_gradients,
        fmt::format("{} needs {} gradients, but only {} of max_gradients = {} are left", step(),
                    gradients, options_.max_gradients - run.gradients, options_.max_gradients));
  }
  if ((now ? *now : session_seconds()) > options_.max_seconds) {
    return stop(Status::out_of_time,
                fmt::format("max_seconds = {} passed before {}", options_.max_seconds, step()));
  }
  return true;
}

bool Monitor::checkpoint_is_due(std::optional<double> now) const {
  return options_.checkpoint &&
         (now ? *now : session_seconds()) - last_checkpoint_ >= options_.checkpoint_seconds;
}

void Monitor::hand_over(Run& run) {
  if (!options_.checkpoint) return;
  run.seconds = seconds();
  const Status status = std::exchange(run.status, Status::interrupted);
  const std::string reason =
      std::exchange(run.stop_reason, fmt::format("a checkpoint after {} gradients", run.gradients));
  options_.checkpoint(run);
  run.status = status;
  run.stop_reason = reason;
  last_checkpoint_ = session_seconds();  // the time that writing takes does not count
}

double Monitor::record(const IterationRecord& made, const Coefficients& u, Run& run,
                       const std::string& stage) const {
  IterationRecord& record = run.history.emplace_back(made);
  const double now = session_seconds();
  record.gradients = run.gradients;
  record.seconds = seconds_before_ + now;
  if (reference_ && u.rows() > 0) {
    record.error_squared = reference_->error_squared(u);
    record.true_error = std::sqrt(*record.error_squared + reference_->remainder_squared[u.rows()]);
  }
  if (options_.progress) tell_of(run, stage);
  return now;
}

void Monitor::tell_of(const Run& run, const std::string& stage) const {
  const IterationRecord& last = run.history.back();
  const bool adaptive = last.estimate.has_value();
  Progress progress{.stage = stage,
                    .iteration = last.k,
                    .iterations = adaptive ? 0 : options_.iterations,
                    .basis_size = last.basis_size,
                    .samples = last.samples,
                    .gradient_norm = last.gradient_norm,
                    .error = adaptive ? last.estimate : last.true_error,
                    .tolerance = options_.tolerance,
                    .gradients = run.gradients};
  std::optional<double> to_go;
  if (adaptive) {
    progress.tolerance = absolute_tolerance(options_, run.u.norm());
    to_go = gradients_to_go(run.history, *progress.tolerance);
  }
  tell(std::move(progress), to_go);
}

void Monitor::tell(Progress progress, std::optional<double> gradients_to_go) const {
  if (!options_.progress) return;
  const double session = session_seconds();
  progress.seconds = seconds_before_ + session;
  if (session > 0) {
    progress.gradients_per_second =
        static_cast<double>(progress.gradients - gradients_before_) / session;
  }
  if (progress.iterations > 0 && progress.iteration > iterations_before_) {
    const auto done = static_cast<double>(progress.iteration - iterations_before_);
    const auto left = static_cast<double>(progress.iterations - progress.iteration);
    progress.seconds_left = session / done * left;
  } else if (gradients_to_go && progress.gradients_per_second > 0) {
    const auto allowed = static_cast<double>(options_.max_gradients - progress.gradients);
    progress.seconds_left = std::min(*gradients_to_go, allowed) / progress.gradients_per_second;
  }
  if (progress.seconds_left)
    progress.seconds_left = std::min(*progress.seconds_left, options_.max_seconds - session);
  options_.progress(progress);
}

}  // namespace chaosgrad::internal
