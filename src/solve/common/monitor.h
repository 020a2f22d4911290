#pragma once
// Keeps the books of a run: history, budget, clock, progress, checkpoints, and the first sign of
// trouble.
#include <chrono>
#include <optional>
#include <string>

#include "chaosgrad/solution.h"
#include "estimate/reference.h"

namespace chaosgrad::internal {

class Monitor {
 public:
  Monitor(const Options& options, const std::optional<ReferenceExpansion>& reference);

  // Whether an iteration that needs `gradients` more may start; otherwise sets status and
  // stop_reason of `run`. Looks at the clock unless `now`, what it showed, is given.
  [[nodiscard]] bool may_continue(Index k, std::int64_t gradients, Run& run,
                                  std::optional<double> now = {}) const;

  // Writes iteration k into the history and tells the caller. `u` are the coefficients after the
  // step; empty if there are none yet. Returns what the clock showed: looking at it is a noticeable
  // part of a short iteration.
  double record(const IterationRecord& made, const Coefficients& u, Run& run,
                const std::string& stage) const;

  // When its time has come: fill() puts coefficients and state into `run`, which then goes to the
  // caller's checkpoint.
  template <class Fill>
  void checkpoint(Run& run, const Fill& fill, std::optional<double> now = {}) {
    if (!checkpoint_is_due(now)) return;
    fill();
    hand_over(run);
  }
  // The same, now: for a run that was told to stop, before anything else takes time.
  void hand_over(Run& run);

  [[nodiscard]] double seconds() const;  // over all sessions

 private:
  // Tells the caller of the last iteration.
  void tell_of(const Run& run, const std::string& stage) const;
  // Adds clock and rates, and tells.
  void tell(Progress progress, std::optional<double> gradients_to_go) const;
  [[nodiscard]] double session_seconds() const;
  [[nodiscard]] bool checkpoint_is_due(std::optional<double> now) const;

  const Options& options_;
  const std::optional<ReferenceExpansion>& reference_;
  std::chrono::steady_clock::time_point start_;  // of this session
  double seconds_before_ = 0;                    // of the sessions before
  std::int64_t gradients_before_ = 0;
  Index iterations_before_ = 0;
  double last_checkpoint_ = 0;  // session seconds
};

}  // namespace chaosgrad::internal
