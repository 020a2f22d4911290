#include "parallel/work_queue.h"

#include <algorithm>

#include "parallel/failure.h"
#include "parallel/flatten.h"

namespace chaosgrad::internal {
namespace {

// A thread is given about this much work at a time: a hundred times what asking takes.
constexpr double batch_seconds = 2e-3;

void append_list(const Numbers& list, Numbers& row) {
  row.push_back(static_cast<double>(list.size()));
  row.insert(row.end(), list.begin(), list.end());
}

Numbers next_list(const double*& next) {
  const auto size = static_cast<std::size_t>(*next++);
  next += size;
  return Numbers(next - size, next);
}

void append_failure(const std::exception_ptr& failure, Numbers& row) {
  row.push_back(failure ? 1 : 0);
  if (failure) flatten_failure(failure, row);
}

std::exception_ptr next_failure(const double*& next) {
  return *next++ != 0 ? unflatten_failure(next) : nullptr;
}

}  // namespace

WorkQueue::WorkQueue(Ranks& ranks, Index n, int threads) : ranks_(ranks), n_(n), threads_(threads) {
  if (ranks.is_first()) results_.resize(static_cast<std::size_t>(n));
  clerk_ = std::thread([this] { ranks_.is_first() ? serve() : ask(); });
}

std::optional<Index> WorkQueue::next() {
  std::unique_lock lock(mutex_);
  if (ranks_.is_first()) {
    if (failure_ || next_ == n_) return {};
    return next_++;
  }
  ++waiting_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return !ready_.empty() || none_left_; });
  --waiting_;
  if (ready_.empty()) return {};
  const Index task = ready_.front();
  ready_.pop_front();
  return task;
}

void WorkQueue::done(Index task, Numbers result, double seconds) {
  const std::lock_guard lock(mutex_);
  seconds_ += seconds;
  ++timed_;
  if (ranks_.is_first()) {
    results_[static_cast<std::size_t>(task)] = std::move(result);
  } else {
    finished_.emplace_back(task, std::move(result));
  }
}

void WorkQueue::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  ready_.clear();
  none_left_ = true;
  changed_.notify_all();
}

std::vector<Numbers> WorkQueue::finish() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  clerk_.join();
  Numbers numbers;
  if (ranks_.is_first()) numbers = outcome();
  ranks_.broadcast(numbers);
  if (!ranks_.is_first()) read_outcome(numbers);
  if (failure_) std::rethrow_exception(failure_);
  return std::move(results_);
}

void WorkQueue::serve() {
  Patience patience;
  for (int asking = ranks_.size() - 1; asking > 0;) {
    const std::optional<Ranks::Message> request = ranks_.poll(Ranks::any, Ranks::Channel::requests);
    if (!request) {
      patience.wait();
      continue;
    }
    patience = {};
    try {
      take(*request);
    } catch (...) {
      fail(std::current_exception());
    }
    const double threads = request->numbers[0];  // without a task; 0: this was the last request
    if (threads == 0) {
      --asking;
    } else {
      ranks_.send(request->from, Ranks::Channel::tasks, hand_out(static_cast<Index>(threads)));
    }
  }
}

void WorkQueue::take(const Ranks::Message& request) {
  const double* next = request.numbers.data() + 1;
  const double seconds = *next++;
  const auto count = static_cast<Index>(*next++);
  {
    const std::lock_guard lock(mutex_);
    seconds_ += seconds;
    timed_ += count;
    for (Index i = 0; i < count; ++i) {
      const auto task = static_cast<std::size_t>(*next++);
      results_[task] = next_list(next);
    }
  }
  if (const std::exception_ptr failure = next_failure(next)) fail(failure);
  Numbers news = next_list(next);
  ranks_.learn(news);
  if (!news.empty()) news_.emplace_back(request.from, std::move(news));
}

Numbers WorkQueue::hand_out(Index asking) {
  const std::lock_guard lock(mutex_);
  if (failure_) return {};
  const double mean = timed_ > 0 ? seconds_ / static_cast<double>(timed_) : batch_seconds;
  // Half of what is left, shared by all threads, is the most: the last tasks are not to wait for one
  // thread while the others have none.
  const Index most = std::max<Index>(1, (n_ - next_) / (Index{2} * ranks_.size() * threads_));
  const auto each = static_cast<Index>(
      std::clamp(batch_seconds / std::max(mean, 1e-9), 1.0, static_cast<double>(most)));
  Numbers tasks;
  for (Index i = 0; i < asking * each && next_ < n_; ++i)
    tasks.push_back(static_cast<double>(next_++));
  return tasks;
}

void WorkQueue::ask() {
  for (;;) {
    Numbers request;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock,
                    [&] { return ended_ || (waiting_ > 0 && ready_.empty() && !none_left_); });
      request = make_request(ended_);
      if (ended_) {
        ranks_.send(0, Ranks::Channel::requests, std::move(request));
        return;
      }
    }
    ranks_.send(0, Ranks::Channel::requests, std::move(request));
    const Numbers tasks = ranks_.receive(0, Ranks::Channel::tasks).numbers;
    const std::lock_guard lock(mutex_);
    if (!none_left_) {  // no task has failed meanwhile
      for (const double task : tasks) ready_.push_back(static_cast<Index>(task));
      none_left_ = tasks.empty();
    }
    changed_.notify_all();
  }
}

Numbers WorkQueue::make_request(bool last) {
  Numbers request{last ? 0.0 : static_cast<double>(waiting_), std::exchange(seconds_, 0),
                  static_cast<double>(finished_.size())};
  for (const auto& [task, result] : std::exchange(finished_, {})) {
    request.push_back(static_cast<double>(task));
    append_list(result, request);
  }
  append_failure(last ? failure_ : nullptr, request);
  append_list(ranks_.news(), request);
  return request;
}

Numbers WorkQueue::outcome() {
  Numbers numbers;
  append_failure(failure_, numbers);
  news_.emplace_back(0, ranks_.news());
  numbers.push_back(static_cast<double>(news_.size()));
  for (const auto& [from, news] : news_) {
    numbers.push_back(static_cast<double>(from));
    append_list(news, numbers);
  }
  if (failure_) return numbers;
  for (const Numbers& result : results_) append_list(result, numbers);
  return numbers;
}

void WorkQueue::read_outcome(const Numbers& numbers) {
  const double* next = numbers.data();
  failure_ = next_failure(next);
  const auto count = static_cast<Index>(*next++);
  for (Index i = 0; i < count; ++i) {
    const bool own = *next++ == ranks_.rank();
    const Numbers news = next_list(next);
    if (!own) ranks_.learn(news);
  }
  if (failure_) return;
  results_.resize(static_cast<std::size_t>(n_));
  for (Numbers& result : results_) result = next_list(next);
}

}  // namespace chaosgrad::internal
