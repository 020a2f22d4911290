#pragma once
// One solve on behalf of Python: progress, Ctrl-C, and what is left when it stops early.
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <optional>

#include "chaosgrad/solution.h"
#include "core/interrupt.h"

namespace chaosgrad::python {

namespace py = pybind11;

// Made and destroyed with the interpreter held; the rest is used without it.
class Session {
 public:
  // progress: a function of one Progress, or None. It stops the run by returning False.
  Session(py::object progress, bool adaptive)
      : progress_(std::move(progress)), adaptive_(adaptive) {}

  // For Options::callback.
  [[nodiscard]] Action tell(const Progress& progress);
  // Before every gradient: ends what is under way if Ctrl-C was pressed, by the exception with which
  // the solvers end a stage when time is up.
  void before_gradient() const;
  // solve(), or what there was when it stopped.
  template <class Solve>
  [[nodiscard]] Solution run(const Solve& solve);

 private:
  [[nodiscard]] bool asks_to_stop(const Progress& progress);
  [[nodiscard]] Solution given_up();

  InterruptGuard interrupt_;
  py::object progress_;
  bool adaptive_;
  std::optional<Solution> last_;  // as it stood a short time ago, or at the moment of stopping
  bool stopped_ = false;
  std::chrono::steady_clock::time_point looked_ = {}, kept_ = {};
  mutable std::atomic<bool> noticed_ = false;  // Ctrl-C, by a gradient
  mutable std::atomic<std::chrono::steady_clock::time_point> since_ =
      std::chrono::steady_clock::time_point::max();
};

}  // namespace chaosgrad::python

#include "core/calls.h"
#include "parallel/executor.h"

namespace chaosgrad::python {

template <class Solve>
Solution Session::run(const Solve& solve) {
  try {
    Solution solution = without_interpreter(solve);
    if (interrupt_.requested() && solution.status == Status::interrupted)
      solution.message = "interrupted by Ctrl-C; resume() goes on";
    return solution;
  } catch (const internal::DeadlinePassed&) {
    return given_up();
  }
}

}  // namespace chaosgrad::python
