#pragma once
// Calls of a model, some of them under way at a time, each tried again where it fails.
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "io/models/model_call.h"

namespace chaosgrad::internal {

// What became of a call in the end.
struct CallOutcome {
  ModelAnswer answer = {};
  std::string failure = {};       // not empty: all tries failed, and this was the last reason
  std::exception_ptr error = {};  // the model is absent, or another one
  int tries = 0;
};

// Threads of its own, one channel each, opened when it is first needed.
class CallPool {
 public:
  CallPool(const ModelAddress& address, const ModelLimits& limits);
  CallPool(const CallPool&) = delete;
  CallPool& operator=(const CallPool&) = delete;
  ~CallPool();

  // All of them, whoever else is calling; outcomes in the order of the requests. `finished` is told
  // of each as it ends, from any thread.
  [[nodiscard]] std::vector<CallOutcome> call(
      const std::vector<ModelRequest>& requests,
      const std::function<void(std::size_t, const CallOutcome&)>& finished);

 private:
  struct Batch;
  void work();
  [[nodiscard]] CallOutcome try_call(const ModelRequest& request,
                                     std::unique_ptr<ModelChannel>& channel);

  const ModelAddress& address_;
  ModelLimits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Batch*, std::size_t>> queue_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace chaosgrad::internal
