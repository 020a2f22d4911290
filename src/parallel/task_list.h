#pragma once
// Tasks 0 … n − 1, handed out to the threads of this process as they ask for them.
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "chaosgrad/types.h"

namespace chaosgrad::internal {

class TaskList {
 public:
  explicit TaskList(Index n) : n_(n) {}

  // The next one; none: there are no more, or one has failed.
  [[nodiscard]] std::optional<Index> next() {
    const std::lock_guard lock(mutex_);
    if (failure_ || next_ == n_) return {};
    return next_++;
  }
  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
  }
  // When no thread asks any more: throws what a task threw.
  void finish() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  Index n_, next_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace chaosgrad::internal
