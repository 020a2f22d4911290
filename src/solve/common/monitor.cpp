#include "solve/common/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "parallel/ranks.h"
#include "solve/common/forecast.h"
#include "solve/common/goal.h"

namespace chaosgrad::internal {
namespace {

constexpr double deadline_slack = 1.04;  // the deadline over max_seconds

}  // namespace

Monitor::Monitor(const Measure& measure, const Options& options,
                 const std::optional<ReferenceExpansion>& reference)
    : measure_(measure),
      options_(options),
      reference_(reference),
      start_(std::chrono::steady_clock::now()) {
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

std::chrono::steady_clock::time_point Monitor::deadline() const {
  constexpr double longest = 1e8;  // seconds
  const std::chrono::duration<double> allowed(
      std::min(deadline_slack * options_.max_seconds, longest));
  return start_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(allowed);
}

void Monitor::begin(Run& run) {
  checkpoint(run, [] {});
  start_ = std::chrono::steady_clock::now();
  last_checkpoint_ = 0;
}

bool Monitor::may_continue(Index k, std::int64_t gradients, Run& run, std::optional<double> now) {
  const auto stop = [&](Status status, std::string reason) {
    run.status = status;
    run.stop_reason = std::move(reason);
    return false;
  };
  if (options_.callback && !std::exchange(asked_, false)) tell(run, [] {});
  if (stopped_)
    return stop(Status::interrupted, fmt::format("interrupted before {}", step_text(k)));
  if (run.gradients + gradients > options_.max_gradients) {
    return stop(Status::out_of_gradients,
                fmt::format("{} needs {} gradients, but only {} of max_gradients = {} are left",
                            step_text(k), gradients, options_.max_gradients - run.gradients,
                            options_.max_gradients));
  }
  if (agreed_overtime(run, now) > 0) {
    return stop(Status::out_of_time, fmt::format("max_seconds = {} passed before {}",
                                                 options_.max_seconds, step_text(k)));
  }
  return true;
}

bool Monitor::has_time(double seconds, Index k, Run& run) const {
  const double over = (deadline_slack - 1) * options_.max_seconds;
  if (agreed_overtime(run, session_seconds() + seconds) <= over) return true;
  run.status = Status::out_of_time;
  run.stop_reason = fmt::format(
      "max_seconds = {} would pass before the end of {}: what is left of it takes about "
      "{:.2g} s at a time",
      options_.max_seconds, step_text(k), seconds);
  return false;
}

std::string Monitor::step_text(Index k) const {
  return is_adaptive(options_.method) ? fmt::format("stage {}", k)
                                      : fmt::format("iteration {} of {}", k, options_.iterations);
}

double Monitor::record(const IterationRecord& made, const Coefficients& u, Run& run,
                       const std::string& stage) {
  IterationRecord& record = run.history.emplace_back(made);
  const double now = session_seconds();
  record.gradients = run.gradients;
  record.seconds = seconds_before_ + now;
  if (reference_ && u.rows() > 0) {
    record.error_squared = reference_->error_squared(u);
    record.true_error = std::sqrt(*record.error_squared + reference_->remainder_squared[u.rows()]);
  }
  if (options_.callback) stage_ = stage;
  return now;
}

void Monitor::tell(Run& run, const std::function<void()>& fill) {
  if (!options_.ranks) return ask(run, fill);
  const Numbers answer = options_.ranks->from_first([&] {
    ask(run, fill);
    return Numbers{stopped_ ? 1.0 : 0.0};
  });
  stopped_ = answer[0] != 0;
}

// Of rank 0: what is left of max_seconds when a run begins differs from rank to rank.
double Monitor::agreed_overtime(const Run& run, std::optional<double> now) const {
  const double overtime = (now ? *now : session_seconds()) - options_.max_seconds;
  if (!options_.ranks) return overtime;
  const double norm = run.history.empty() ? 0 : run.history.back().gradient_norm;
  const auto gradients = static_cast<double>(run.gradients);
  const Numbers first = options_.ranks->from_first([&] {
    return Numbers{overtime, gradients, norm};
  });
  const bool same = first[1] == gradients && (first[2] == norm || std::isnan(norm));
  if (!same)
    throw std::runtime_error(
        "this rank has computed other numbers than rank 0: all ranks need the same program, files "
        "and kind of processor");
  return first[0];
}

void Monitor::ask(Run& run, const std::function<void()>& fill) {
  Progress progress = progress_of(run);
  progress.solution = [&] {
    fill();
    Run copy = run;
    copy.seconds = seconds();
    copy.status = Status::interrupted;
    copy.stop_reason = fmt::format("a checkpoint after {} gradients", run.gradients);
    return as_solution(measure_, options_, std::move(copy));
  };
  if (options_.callback(progress) == Action::stop) stopped_ = true;
  if (progress.checkpoint_due)
    last_checkpoint_ = session_seconds();  // the time that writing takes does not count
}

Progress Monitor::progress_of(const Run& run) const {
  const double session = session_seconds();
  Progress progress{.stage = stage_, .tolerance = options_.tolerance, .gradients = run.gradients};
  if (!is_adaptive(options_.method)) progress.iterations = options_.iterations;
  if (!run.history.empty()) {
    const IterationRecord& last = run.history.back();
    progress.iteration = last.k;
    progress.basis_size = last.basis_size;
    progress.samples = last.samples;
    progress.gradient_norm = last.gradient_norm;
    progress.error = last.estimate ? last.estimate : last.true_error;
    if (last.estimate) progress.tolerance = absolute_tolerance(options_, run.u.norm());
  }
  progress.seconds = seconds_before_ + session;
  if (session > 0) {
    progress.gradients_per_second =
        static_cast<double>(progress.gradients - gradients_before_) / session;
  }
  progress.seconds_left = seconds_left(run, progress, session);
  progress.checkpoint_due = session - last_checkpoint_ >= options_.checkpoint_seconds;
  return progress;
}

std::optional<double> Monitor::seconds_left(const Run& run, const Progress& progress,
                                            double session) const {
  std::optional<double> left;
  if (progress.iterations > 0 && progress.iteration > iterations_before_) {
    const auto done = static_cast<double>(progress.iteration - iterations_before_);
    left = session / done * static_cast<double>(progress.iterations - progress.iteration);
  } else if (progress.iterations == 0 && progress.error && progress.gradients_per_second > 0) {
    const std::optional<double> gradients = gradients_to_go(run.history, *progress.tolerance);
    const auto allowed = static_cast<double>(options_.max_gradients - progress.gradients);
    if (gradients) left = std::min(*gradients, allowed) / progress.gradients_per_second;
  }
  if (left) left = std::min(*left, options_.max_seconds - session);
  return left;
}

}  // namespace chaosgrad::internal
