#pragma once
// Sums over fixed chunks of samples, combined in a fixed binary tree: the result does not depend on
// the number of threads.
//
// This class is all that the library knows of the machine. The values that it sums flatten to
// doubles: an executor over ranks offers the same two members, gives each rank a subtree, and sends
// the flattened sum to the rank that holds the sum to its left.
#include <tbb/info.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <optional>
#include <type_traits>
#include <utility>

#include "chaosgrad/types.h"
#include "parallel/flatten.h"

namespace chaosgrad::internal {

// How the right half of a sum comes to the left half: as it is, or as doubles, as between ranks.
enum class Handover { values, doubles };

// Comes out of reduce() and for_each() when the deadline of the executor has passed.
struct DeadlinePassed {};

class Executor {
 public:
  // 0: all cores; more than there are cores would only wait for each other.
  explicit Executor(int threads, Handover handover = Handover::values)
      : arena_(threads > 0 ? std::min(threads, tbb::info::default_concurrency())
                           : tbb::task_arena::automatic),
        handover_(handover) {}

  // From then on no leaf begins any more: whoever waits for a sum gets DeadlinePassed instead. For
  // what must end in time even where a single sum takes minutes.
  void set_deadline(std::chrono::steady_clock::time_point deadline) { deadline_ = deadline; }

  // leaf(0) ⊕ … ⊕ leaf(n − 1) for n ≥ 1, where combine(left, right) adds `right` into `left`. The
  // tree splits n at the largest power of two below it. At most O(threads · log n) partial sums are
  // alive at a time.
  template <class Leaf, class Combine>
  requires Flattens<std::invoke_result_t<Leaf, Index>>
  auto reduce(Index n, const Leaf& leaf, const Combine& combine) {
    if (n == 1) return leaf(Index{0});
    return arena_.execute([&] { return reduce_range(0, n, leaf, combine); });
  }

  // body(0), …, body(n − 1), each on its own.
  template <class Body>
  void for_each(Index n, const Body& body) {
    reduce(
        n, [&](Index i) { return body(i), 0; }, [](int&, int&&) {});
  }

 private:
  template <class Leaf, class Combine>
  auto reduce_range(Index first, Index n, const Leaf& leaf, const Combine& combine) const
      -> decltype(leaf(first)) {
    if (n == 1) {
      if (deadline_ && std::chrono::steady_clock::now() > *deadline_) throw DeadlinePassed{};
      return leaf(first);
    }
    const auto half = static_cast<Index>(std::bit_floor(static_cast<std::size_t>(n - 1)));
    decltype(leaf(first)) left, right;
    tbb::parallel_invoke([&] { left = reduce_range(first, half, leaf, combine); },
                         [&] { right = reduce_range(first + half, n - half, leaf, combine); });
    if (handover_ == Handover::doubles) right = through_doubles(right);
    combine(left, std::move(right));
    return left;
  }

  tbb::task_arena arena_;
  Handover handover_;
  std::optional<std::chrono::steady_clock::time_point> deadline_ = {};
};

}  // namespace chaosgrad::internal
