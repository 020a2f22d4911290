#include "core/session.h"

namespace chaosgrad::python {
namespace {

// None where it is not known.
py::object optional_number(const std::optional<double>& value) {
  return value ? py::object(py::float_(*value)) : py::object(py::none());
}

py::dict as_dict(const Progress& progress) {
  py::dict told;
  told["stage"] = progress.stage;
  told["iteration"] = progress.iteration;
  told["iterations"] = progress.iterations;
  told["basis_size"] = progress.basis_size;
  told["samples"] = progress.samples;
  told["gradient_norm"] = progress.gradient_norm;
  told["error"] = optional_number(progress.error);
  told["tolerance"] = optional_number(progress.tolerance);
  told["gradients"] = progress.gradients;
  told["seconds"] = progress.seconds;
  told["seconds_left"] = optional_number(progress.seconds_left);
  return told;
}

}  // namespace

bool Session::asks_to_stop(const Progress& progress) {
  if (interrupt_.requested()) return true;
  const auto now = std::chrono::steady_clock::now();
  constexpr auto often = std::chrono::milliseconds(50);  // for signals, whose handlers are Python
  if (progress_.is_none() && now - looked_ < often) return false;
  looked_ = now;
  const Interpreter hold;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    return !progress_.is_none() && progress_(as_dict(progress)).is(py::bool_(false));
  } catch (const py::error_already_set& error) {
    throw CallFailed{error};
  }
}

Action Session::tell(const Progress& progress) {
  constexpr auto rarely = std::chrono::seconds(1);  // a copy of the solution takes some time
  const auto now = std::chrono::steady_clock::now();
  stopped_ = asks_to_stop(progress);
  if (progress.solution && (stopped_ || (!adaptive_ && now - kept_ > rarely))) {
    last_ = progress.solution();
    kept_ = now;
  }
  return stopped_ ? Action::stop : Action::go_on;
}

void Session::before_gradient() const {
  if (!interrupt_.requested()) return;
  // The adaptive methods fall back on their last stage, and a run that was told to stop needs no
  // certificate. The others come to their next iteration soon, unless gradients are slow.
  if (adaptive_ || stopped_) throw internal::DeadlinePassed{};
  constexpr auto patience = std::chrono::seconds(1);
  const auto now = std::chrono::steady_clock::now();
  if (!noticed_.exchange(true)) {
    since_.store(now);
  } else if (now - since_.load() > patience) {
    throw internal::DeadlinePassed{};
  }
}

Solution Session::given_up() {
  if (!last_) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  last_->status = Status::interrupted;
  last_->message = "interrupted by Ctrl-C; resume() goes on";
  return *last_;
}

}  // namespace chaosgrad::python
