#pragma once
// Keeps the books of a run: history, budget, clock, progress, and the first sign of trouble.
#include <chrono>
#include <optional>
#include <string>

#include "chaosgrad/run.h"
#include "estimate/reference.h"

namespace chaosgrad {

class Monitor {
 public:
  Monitor(const Options& options, const std::optional<ReferenceExpansion>& reference)
      : options_(options), reference_(reference), start_(std::chrono::steady_clock::now()) {}

  // Whether an iteration that needs `gradients` more may start; otherwise sets status and
  // stop_reason of `run`.
  [[nodiscard]] bool may_continue(Index k, std::int64_t gradients, Run& run) const;

  // Writes iteration k into the history and tells the caller. `u` are the coefficients after the
  // step; empty if there are none yet.
  void record(IterationRecord record, const Coefficients& u, Run& run) const;

  // After record(): hands the state to the caller's checkpoint when its time has come.
  void checkpoint(const Coefficients& u, Run& run);

  [[nodiscard]] double seconds() const;

 private:
  const Options& options_;
  const std::optional<ReferenceExpansion>& reference_;
  std::chrono::steady_clock::time_point start_;
  double last_checkpoint_ = 0;  // seconds
};

}  // namespace chaosgrad
