#include "parallel/ranks.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

#include "parallel/failure.h"

namespace chaosgrad::internal {
namespace {

constexpr double succeeded = 0, failed = 1;

// What make() gives or throws, as numbers.
Numbers outcome_of(const std::function<Numbers()>& make, std::exception_ptr& own) {
  Numbers outcome{succeeded};
  try {
    const Numbers made = make();
    outcome.insert(outcome.end(), made.begin(), made.end());
  } catch (...) {
    own = std::current_exception();
    outcome = {failed};
    flatten_failure(own, outcome);
  }
  return outcome;
}

Numbers value_of(const Numbers& outcome) {
  if (outcome[0] == succeeded) return Numbers(outcome.begin() + 1, outcome.end());
  const double* next = outcome.data() + 1;
  std::rethrow_exception(unflatten_failure(next));
}

// Lists of numbers in one row, each behind its length; and back.
void append(const Numbers& list, Numbers& row) {
  row.push_back(static_cast<double>(list.size()));
  row.insert(row.end(), list.begin(), list.end());
}

Numbers take(const double*& next) {
  const auto size = static_cast<std::size_t>(*next++);
  next += size;
  return Numbers(next - size, next);
}

}  // namespace

void Patience::wait() {
  constexpr int at_once = 100, slower_every = 200;
  if (++looks_ <= at_once) return std::this_thread::yield();
  std::this_thread::sleep_for(
      std::chrono::microseconds(std::min(1000, 20 * (1 + (looks_ - at_once) / slower_every))));
}

Ranks::Message Ranks::receive(int from, Channel channel) {
  for (Patience patience;; patience.wait()) {
    if (std::optional<Message> message = poll(from, channel)) return *std::move(message);
  }
}

// Along a binomial tree: rank r receives from r without its highest bit.
void Ranks::broadcast(Numbers& numbers) {
  int bit = 1;
  for (; bit <= rank(); bit *= 2) {
  }
  if (rank() > 0) numbers = receive(rank() - bit / 2, Channel::values).numbers;
  for (; rank() + bit < size(); bit *= 2) send(rank() + bit, Channel::values, numbers);
}

void Ranks::meet() {
  (void)from_each([] { return Numbers{}; });
}

Numbers Ranks::from_first(const std::function<Numbers()>& make) {
  Numbers outcome;
  std::exception_ptr own;
  if (is_first()) {
    const OwnShare share(this);
    outcome = outcome_of(make, own);
  }
  broadcast(outcome);
  if (own) std::rethrow_exception(own);
  return value_of(outcome);
}

std::vector<Numbers> Ranks::from_each(const std::function<Numbers()>& part) {
  std::exception_ptr own;
  Numbers outcome;
  {
    const OwnShare share(this);
    outcome = outcome_of(part, own);
  }
  Numbers all;
  if (is_first()) {
    append(outcome, all);
    for (int from = 1; from < size(); ++from) append(receive(from, Channel::values).numbers, all);
  } else {
    send(0, Channel::values, std::move(outcome));
  }
  broadcast(all);
  std::vector<Numbers> parts;
  const double* next = all.data();
  for (int from = 0; from < size(); ++from) parts.push_back(value_of(take(next)));
  return parts;
}

Numbers Ranks::news() {
  Numbers all;
  for (Ledger* ledger : ledgers_) append(ledger->news(), all);
  return all;
}

void Ranks::learn(const Numbers& numbers) {
  const double* next = numbers.data();
  for (Ledger* ledger : ledgers_) {
    if (Numbers own = take(next); !own.empty()) ledger->learn(own);
  }
}

void Ranks::share_news() {
  if (ledgers_.empty()) return;
  const std::vector<Numbers> all = from_each([this] { return news(); });
  for (int from = 0; from < size(); ++from) {
    if (from != rank()) learn(all[static_cast<std::size_t>(from)]);
  }
}

}  // namespace chaosgrad::internal
