#pragma once
// Threads that wait for work. oneTBB keeps some kilobytes of every task_arena that was ever used, so
// arenas are lent, and come back for the next who needs as many threads.
#include <tbb/task_arena.h>

#include <memory>

namespace chaosgrad::internal {

class Arena {
 public:
  explicit Arena(int threads);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  // In the threads of the arena; with one thread: here.
  template <class Work>
  auto execute(const Work& work) {
    return arena_ ? arena_->execute(work) : work();
  }
  [[nodiscard]] int threads() const { return threads_; }

 private:
  int threads_;
  std::unique_ptr<tbb::task_arena> arena_;
};

}  // namespace chaosgrad::internal
