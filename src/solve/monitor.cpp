#include "solve/monitor.h"

#include <fmt/format.h>

#include <cmath>

namespace chaosgrad {

double Monitor::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool Monitor::may_continue(Index k, std::int64_t gradients, Run& run) const {
  const auto stop = [&](Status status, std::string reason) {
    run.status = status;
    run.stop_reason = std::move(reason);
    return false;
  };
  if (options_.interrupted && options_.interrupted()) {
    return stop(Status::interrupted,
                fmt::format("interrupted before iteration {} of {}", k, options_.iterations));
  }
  if (run.gradients + gradients > options_.max_gradients) {
    return stop(
        Status::out_of_gradients,
        fmt::format(
            "iteration {} of {} needs {} gradients, but only {} of max_gradients = {} are left", k,
            options_.iterations, gradients, options_.max_gradients - run.gradients,
            options_.max_gradients));
  }
  if (seconds() > options_.max_seconds) {
    return stop(Status::out_of_time,
                fmt::format("max_seconds = {} passed before iteration {} of {}",
                            options_.max_seconds, k, options_.iterations));
  }
  return true;
}

void Monitor::checkpoint(const Coefficients& u, Run& run) {
  const double now = run.history.back().seconds;
  if (!options_.checkpoint || now - last_checkpoint_ < options_.checkpoint_seconds) return;
  last_checkpoint_ = now;
  run.u = u;
  run.seconds = last_checkpoint_;
  options_.checkpoint(run);
}

void Monitor::record(IterationRecord record, const Coefficients& u, Run& run) const {
  record.gradients = run.gradients;
  record.seconds = seconds();
  if (reference_ && u.rows() > 0) {
    record.error_squared = reference_->error_squared(u);
    record.true_error = std::sqrt(*record.error_squared + reference_->remainder_squared[u.rows()]);
  }
  if (options_.progress) {
    options_.progress({record.k, options_.iterations, record.basis_size, record.gradient_norm,
                       record.true_error, record.seconds});
  }
  run.history.push_back(std::move(record));
}

}  // namespace chaosgrad
