#include "io/models/call_pool.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace chaosgrad::internal {
namespace {

// Before the next try: a server that restarts needs seconds, one that hiccups does not.
std::chrono::duration<double> back_off(int tries) {
  constexpr double first = 0.1, longest = 5;  // seconds
  return std::chrono::duration<double>(std::min(longest, first * std::pow(3.0, tries - 1)));
}

bool answers(const ModelAnswer& answer, const ModelRequest& request) {
  return request.value ? answer.value && std::isfinite(*answer.value)
                       : answer.gradient && answer.gradient->allFinite();
}

}  // namespace

struct CallPool::Batch {
  const std::vector<ModelRequest>& requests;
  const std::function<void(std::size_t, const CallOutcome&)>& finished;
  std::vector<CallOutcome> outcomes;
  std::size_t left;
};

CallPool::CallPool(const ModelAddress& address, const ModelLimits& limits)
    : address_(address), limits_(limits) {
  for (int i = 0; i < limits.parallel; ++i) threads_.emplace_back([this] { work(); });
}

CallPool::~CallPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::vector<CallOutcome> CallPool::call(
    const std::vector<ModelRequest>& requests,
    const std::function<void(std::size_t, const CallOutcome&)>& finished) {
  Batch batch{requests, finished, std::vector<CallOutcome>(requests.size()), requests.size()};
  std::unique_lock lock(mutex_);
  for (std::size_t i = 0; i < requests.size(); ++i) queue_.emplace_back(&batch, i);
  changed_.notify_all();
  changed_.wait(lock, [&] { return batch.left == 0; });
  return std::move(batch.outcomes);
}

void CallPool::work() {
  std::unique_ptr<ModelChannel> channel;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closing_ || !queue_.empty(); });
    if (closing_) return;
    const auto [batch, i] = queue_.front();
    queue_.pop_front();
    lock.unlock();
    CallOutcome outcome = try_call(batch->requests[i], channel);
    batch->finished(i, outcome);
    lock.lock();
    if (outcome.error) {  // the others would only wait for the same
      std::erase_if(queue_, [&](const auto& job) {
        const bool same = job.first == batch;
        if (same) --batch->left;
        return same;
      });
    }
    batch->outcomes[i] = std::move(outcome);
    if (--batch->left == 0) changed_.notify_all();
  }
}

CallOutcome CallPool::try_call(const ModelRequest& request,
                               std::unique_ptr<ModelChannel>& channel) {
  CallOutcome outcome;
  while (outcome.tries <= limits_.retries) {
    if (outcome.tries > 0) std::this_thread::sleep_for(back_off(outcome.tries));
    ++outcome.tries;
    outcome.error = {};
    try {
      if (!channel) channel = address_.open();
      outcome.answer = channel->call(request);
      outcome.failure = answers(outcome.answer, request) ? "" : "its answer is not a number";
      if (outcome.failure.empty()) return outcome;
    } catch (const CallFailed& failed) {
      outcome.failure = failed.what();
    } catch (const ModelAbsent&) {
      outcome.error = std::current_exception();
    } catch (...) {
      outcome.error = std::current_exception();
      return outcome;
    }
  }
  return outcome;
}

}  // namespace chaosgrad::internal
