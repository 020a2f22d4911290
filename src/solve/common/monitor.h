#pragma once
// Keeps the books of a run: history, budget, clock, and what the caller is told and answers.
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "chaosgrad/measure.h"
#include "estimate/reference.h"
#include "solve/common/run.h"

namespace chaosgrad::internal {

class Monitor {
 public:
  Monitor(const Measure& measure, const Options& options,
          const std::optional<ReferenceExpansion>& reference);

  // Tells the caller that the run is about to begin. The clock starts when the caller is done.
  void begin(Run& run);

  // Whether an iteration that needs `gradients` more may start; otherwise sets status and
  // stop_reason of `run`. Asks the caller, unless checkpoint() has just done so. Looks at the clock
  // unless `now`, what it showed, is given.
  [[nodiscard]] bool may_continue(Index k, std::int64_t gradients, Run& run,
                                  std::optional<double> now = {});

  // Whether work of about so many seconds, which nothing ends midway, would be done by the deadline;
  // otherwise sets status and stop_reason of `run`.
  [[nodiscard]] bool has_time(double seconds, Index k, Run& run) const;

  // Writes iteration k into the history. `u` are the coefficients after the step; empty if there
  // are none yet. `stage` names what is being done. Returns what the clock showed: looking at it is
  // a noticeable part of a short iteration.
  double record(const IterationRecord& made, const Coefficients& u, Run& run,
                const std::string& stage);

  // Tells the caller where the run stands, and remembers the answer. With ranks the caller of rank 0
  // is told, and its answer is that of all. Should the caller ask for the
  // solution, fill() puts coefficients and state into `run` first.
  template <class Fill>
  void checkpoint(Run& run, const Fill& fill) {
    if (!options_.callback) return;
    tell(run, fill);
    asked_ = true;
  }

  [[nodiscard]] double seconds() const;  // over all sessions
  // When what is under way is to be given up: a little after max_seconds, so that what asks
  // may_continue() often ends by that.
  [[nodiscard]] std::chrono::steady_clock::time_point deadline() const;

 private:
  // "stage 3", "iteration 3 of 100"
  [[nodiscard]] std::string step_text(Index k) const;
  void tell(Run& run, const std::function<void()>& fill);
  void ask(Run& run, const std::function<void()>& fill);
  // What the clock shows beyond max_seconds, on rank 0. Throws where this rank has other numbers than
  // that one.
  [[nodiscard]] double agreed_overtime(const Run& run, std::optional<double> now) const;
  [[nodiscard]] Progress progress_of(const Run& run) const;
  // What is left to do, in seconds: a guess.
  [[nodiscard]] std::optional<double> seconds_left(const Run& run, const Progress& progress,
                                                   double session) const;
  [[nodiscard]] double session_seconds() const;

  const Measure& measure_;
  const Options& options_;
  const std::optional<ReferenceExpansion>& reference_;
  std::chrono::steady_clock::time_point start_;  // of this session
  double seconds_before_ = 0;                    // of the sessions before
  std::int64_t gradients_before_ = 0;
  Index iterations_before_ = 0;
  double last_checkpoint_ = 0;  // session seconds
  std::string stage_ = {};      // of the last record
  bool asked_ = false;          // the caller has just been
  bool stopped_ = false;        // by the caller
};

}  // namespace chaosgrad::internal
