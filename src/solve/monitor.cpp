#include "solve/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/adaptive/goal.h"

namespace chaosgrad {

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
  const bool adaptive = options_.method == Method::automatic ||
                        options_.method == Method::collocation || options_.method == Method::sieve;
  const auto step = [&] {
    return adaptive ? fmt::format("stage {}", k)
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
  if (options_.progress) {
    const bool adaptive = record.estimate.has_value();
    tell({.stage = stage,
          .iteration = record.k,
          .iterations = adaptive ? 0 : options_.iterations,
          .basis_size = record.basis_size,
          .samples = record.samples,
          .gradient_norm = record.gradient_norm,
          .error = adaptive ? record.estimate : record.true_error,
          .tolerance = adaptive ? std::optional(absolute_tolerance(options_, run.u.norm()))
                                : options_.tolerance,
          .gradients = run.gradients});
  }
  return now;
}

void Monitor::tell(Progress progress) const {
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
    progress.seconds_left = std::min(session / done * left, options_.max_seconds - session);
  }
  options_.progress(progress);
}

}  // namespace chaosgrad
