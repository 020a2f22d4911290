#include "core/interrupt.h"

#include <pybind11/pybind11.h>

#include <csignal>

namespace chaosgrad::python {
namespace {

namespace py = pybind11;

volatile std::sig_atomic_t seen = 0;
struct sigaction before;

// Only what is allowed inside a signal handler.
void handle(int signal) {
  if (seen == 0) {
    seen = 1;
    return;
  }
  before.sa_handler(signal);
}

// Another handler is the user's business, and so is a guard that is already in place (a solve within
// a gradient).
bool may_install() {
  const py::module_ threading = py::module_::import("threading"),
                    signals = py::module_::import("signal");
  if (!threading.attr("current_thread")().is(threading.attr("main_thread")())) return false;
  if (!signals.attr("getsignal")(SIGINT).is(signals.attr("default_int_handler"))) return false;
  struct sigaction now;
  return sigaction(SIGINT, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
         now.sa_handler != handle;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  if (!may_install()) return;
  seen = 0;
  struct sigaction ours = {};
  ours.sa_handler = handle;
  sigemptyset(&ours.sa_mask);
  installed_ = sigaction(SIGINT, &ours, &before) == 0;
}

InterruptGuard::~InterruptGuard() {
  if (!installed_) return;
  sigaction(SIGINT, &before, nullptr);
  seen = 0;
}

bool InterruptGuard::requested() const { return installed_ && seen != 0; }

}  // namespace chaosgrad::python
