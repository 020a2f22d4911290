#pragma once
// The processes that share a run. Every rank runs the same program on the same input and comes to
// the same decisions; only sums and lists of tasks are split (executor.h), and their results are the
// same on all ranks. What a rank alone can see, a clock, a signal, a full disk, is what rank 0 sees,
// and it tells the others (from_first).
//
// Messages are rows of doubles. A way to carry them implements send() and poll(); all else is here.
#include <functional>
#include <optional>
#include <vector>

namespace chaosgrad::internal {

using Numbers = std::vector<double>;

// Something that learns while it computes for others, a counter or a list of what was paid for:
// every rank is to know what all have learnt.
class Ledger {
 public:
  virtual ~Ledger() = default;
  [[nodiscard]] virtual Numbers news() = 0;        // what was learnt here since the last call
  virtual void learn(const Numbers& numbers) = 0;  // the news of another rank
};

class Ranks {
 public:
  // What messages are about. Those of one channel from one rank arrive in the order they were sent.
  enum class Channel { values, requests, tasks };
  struct Message {
    int from = 0;
    Numbers numbers;
  };
  static constexpr int any = -1;

  virtual ~Ranks() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  [[nodiscard]] virtual int threads() const = 0;  // that suit this rank beside its neighbours
  // Takes the message and returns at once.
  virtual void send(int to, Channel channel, Numbers numbers) = 0;
  // The next message of the channel from that rank, or any, if it is there. send() and poll() are
  // called from one thread at a time.
  [[nodiscard]] virtual std::optional<Message> poll(int from, Channel channel) = 0;

  [[nodiscard]] bool is_first() const { return rank() == 0; }
  // Waits for it.
  [[nodiscard]] Message receive(int from, Channel channel);
  // The numbers of rank 0 on all ranks.
  void broadcast(Numbers& numbers);
  // Waits for all ranks.
  void meet();
  // The same numbers, or the same exception, on all ranks: those of make() on rank 0.
  [[nodiscard]] Numbers from_first(const std::function<Numbers()>& make);
  // Parts [first(r), first(r + 1)) of 0 … n − 1 computed by their ranks, in order on all of them;
  // part(first, count) throws or returns any numbers. The first exception comes out on all ranks.
  [[nodiscard]] std::vector<Numbers> from_each(const std::function<Numbers()>& part);

  // Between enter() and leave() this rank computes its own share: nothing in it may wait for others.
  void enter() { ++depth_; }
  void leave() { --depth_; }
  [[nodiscard]] bool is_inside() const { return depth_ > 0; }

  void attach(Ledger& ledger) { ledgers_.push_back(&ledger); }
  void detach(Ledger& ledger) { std::erase(ledgers_, &ledger); }
  // The news of all ledgers of this rank, and what others make of them.
  [[nodiscard]] Numbers news();
  void learn(const Numbers& numbers);
  // All learn from all.
  void share_news();

 private:
  int depth_ = 0;
  std::vector<Ledger*> ledgers_;
};

// While it lives, this rank computes its own share.
class OwnShare {
 public:
  explicit OwnShare(Ranks* ranks) : ranks_(ranks) {
    if (ranks_) ranks_->enter();
  }
  OwnShare(const OwnShare&) = delete;
  OwnShare& operator=(const OwnShare&) = delete;
  ~OwnShare() {
    if (ranks_) ranks_->leave();
  }

 private:
  Ranks* ranks_;
};

// Between two looks for a message: at once at first, then sleeping a little longer each time.
class Patience {
 public:
  void wait();

 private:
  int looks_ = 0;
};

}  // namespace chaosgrad::internal
