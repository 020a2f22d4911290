#pragma once
// Tasks 0 … n − 1, handed out to the threads of all ranks as they ask for them: a rank that is slow,
// or has slow tasks, gets fewer. Rank 0 keeps the list. A thread of its own on every rank, the
// clerk, asks, answers and sends results, so that nobody waits for a rank that computes.
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "chaosgrad/types.h"
#include "parallel/ranks.h"

namespace chaosgrad::internal {

class WorkQueue {
 public:
  // `threads` of this rank will ask. All ranks make a queue of the same n.
  WorkQueue(Ranks& ranks, Index n, int threads);
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // The next task for the thread that calls; none: there are no more, or a task has failed.
  [[nodiscard]] std::optional<Index> next();
  void done(Index task, Numbers result, double seconds);
  void fail(std::exception_ptr failure);

  // When no thread of this rank asks any more, to be called once: the results of all tasks, in their
  // order, on all ranks; or the failure of one of them, thrown on all.
  [[nodiscard]] std::vector<Numbers> finish();

 private:
  void serve();                                  // the clerk of rank 0
  void take(const Ranks::Message& request);      // what a rank has finished
  [[nodiscard]] Numbers hand_out(Index asking);  // tasks for so many threads
  void ask();                                    // the clerk of another rank
  [[nodiscard]] Numbers make_request(bool last);
  [[nodiscard]] Numbers outcome();
  void read_outcome(const Numbers& numbers);

  Ranks& ranks_;
  Index n_;
  int threads_;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::exception_ptr failure_;
  double seconds_ = 0;  // that finished tasks took, and
  Index timed_ = 0;     // their number
  // Rank 0:
  Index next_ = 0;                             // task that nobody has
  std::vector<Numbers> results_;               // of all tasks
  std::vector<std::pair<int, Numbers>> news_;  // of other ranks
  // Another rank:
  std::deque<Index> ready_;                          // tasks to begin
  std::vector<std::pair<Index, Numbers>> finished_;  // tasks and results that rank 0 has not got
  Index waiting_ = 0;                                // threads without a task
  bool none_left_ = false, ended_ = false;           // at rank 0; here
  std::thread clerk_;
};

}  // namespace chaosgrad::internal
