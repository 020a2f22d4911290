#pragma once
// Ranks that are threads of one process: what is told between ranks, without MPI.
#include <array>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "parallel/ranks.h"

namespace chaosgrad::testing {

struct Mail {
  std::mutex mutex;
  // By receiver and channel, in the order of arrival.
  std::map<std::pair<int, internal::Ranks::Channel>, std::deque<internal::Ranks::Message>> boxes;
};

class ThreadRanks : public internal::Ranks {
 public:
  ThreadRanks(std::shared_ptr<Mail> mail, int rank, int size)
      : mail_(std::move(mail)), rank_(rank), size_(size) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] int threads() const override { return 1; }
  void send(int to, Channel channel, internal::Numbers numbers) override {
    const std::lock_guard lock(mail_->mutex);
    mail_->boxes[{to, channel}].push_back({rank_, std::move(numbers)});
  }
  [[nodiscard]] std::optional<Message> poll(int from, Channel channel) override {
    const std::lock_guard lock(mail_->mutex);
    auto& box = mail_->boxes[{rank_, channel}];
    for (auto message = box.begin(); message != box.end(); ++message) {
      if (from != any && message->from != from) continue;
      Message found = std::move(*message);
      box.erase(message);
      return found;
    }
    return {};
  }

 private:
  std::shared_ptr<Mail> mail_;
  int rank_, size_;
};

// work(ranks) on so many ranks at a time. Throws what rank 0 threw.
template <class Work>
void on_ranks(int size, const Work& work) {
  const auto mail = std::make_shared<Mail>();
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        work(std::make_shared<ThreadRanks>(mail, rank, size));
      } catch (...) {
        thrown[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& one : thrown) {
    if (one) std::rethrow_exception(one);
  }
}

}  // namespace chaosgrad::testing
