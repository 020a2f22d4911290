#include "parallel/arena.h"

#include <tbb/info.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace chaosgrad::internal {
namespace {

struct Pool {
  std::mutex mutex;
  std::map<int, std::vector<std::unique_ptr<tbb::task_arena>>> idle;  // by threads
};

// Lives as long as the process: arenas may come back while it ends.
Pool& pool() {
  static Pool* const only = new Pool;
  return *only;
}

}  // namespace

Arena::Arena(int threads)
    : threads_(threads > 0 ? std::min(threads, tbb::info::default_concurrency())
                           : tbb::info::default_concurrency()) {
  if (threads_ == 1) return;
  const std::lock_guard lock(pool().mutex);
  auto& idle = pool().idle[threads_];
  if (idle.empty()) {
    arena_ = std::make_unique<tbb::task_arena>(threads_);
  } else {
    arena_ = std::move(idle.back());
    idle.pop_back();
  }
}

Arena::~Arena() {
  if (!arena_) return;
  const std::lock_guard lock(pool().mutex);
  pool().idle[threads_].push_back(std::move(arena_));
}

}  // namespace chaosgrad::internal
