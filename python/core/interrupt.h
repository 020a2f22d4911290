#pragma once
// Ctrl-C during a solve: noticed at once, acted upon at the next block.

namespace chaosgrad::python {

// While one of these is alive on the main thread, and Python's own handler of SIGINT is in place, the
// first Ctrl-C sets a flag instead of raising KeyboardInterrupt. A second one raises it.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] bool requested() const;

 private:
  bool installed_ = false;
};

}  // namespace chaosgrad::python
