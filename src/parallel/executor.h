#pragma once
// Sums and lists over fixed chunks of samples, on all threads of all ranks. Sums are combined in a
// fixed binary tree, lists are in their order: results have the same bits for any number of threads
// and ranks, and all ranks have them.
//
// This class is all that the library knows of the machine.
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "chaosgrad/types.h"
#include "parallel/arena.h"
#include "parallel/failure.h"
#include "parallel/flatten.h"
#include "parallel/shared_tree.h"
#include "parallel/task_list.h"
#include "parallel/work_queue.h"

namespace chaosgrad::internal {

// How the right half of a sum comes to the left half: as it is, or as doubles, as between ranks.
enum class Handover { values, doubles };

// leaf(0) ⊕ … ⊕ leaf(n − 1) in the tree of Executor::reduce, here and now.
template <class Leaf, class Combine>
auto sum_in_tree(Index n, const Leaf& leaf, const Combine& combine, Index first = 0)
    -> decltype(leaf(first)) {
  if (n == 1) return leaf(first);
  const Index half = left_leaves(n);
  auto left = sum_in_tree(half, leaf, combine, first);
  combine(left, sum_in_tree(n - half, leaf, combine, first + half));
  return left;
}

class Executor {
 public:
  // 0: all cores; more than there are cores would only wait for each other. `ranks`: null for this
  // process alone.
  explicit Executor(int threads, std::shared_ptr<Ranks> ranks = {},
                    Handover handover = Handover::values)
      : ranks_(std::move(ranks)),
        arena_(threads == 0 && ranks_ ? ranks_->threads() : threads),
        handover_(handover) {}

  // From then on no leaf or task begins any more: whoever waits for the result gets DeadlinePassed
  // instead. For what must end in time even where a single sum takes minutes.
  void set_deadline(std::chrono::steady_clock::time_point deadline) { deadline_ = deadline; }

  // leaf(0) ⊕ … ⊕ leaf(n − 1) for n ≥ 1, where combine(left, right) adds `right` into `left`. The
  // tree splits n at the largest power of two below it. Each rank has a part of the leaves. At most
  // O(threads · log n) partial sums are alive at a time.
  template <class Leaf, class Combine>
  requires Flattens<std::invoke_result_t<Leaf, Index>>
  auto reduce(Index n, const Leaf& leaf, const Combine& combine) {
    if (n == 1) return leaf(Index{0});
    if (is_shared()) return reduce_shared(n, leaf, combine);
    return arena_.execute([&] { return reduce_range(0, n, leaf, combine); });
  }

  // task(0), …, task(n − 1), each of which may take long or not: handed out one by one. At least
  // `at_a_time` are under way on each rank; more than there are cores where tasks only wait.
  template <class Task>
  requires Flattens<std::invoke_result_t<Task, Index>>
  auto map(Index n, const Task& task, int at_a_time = 0) {
    using Value = std::invoke_result_t<Task, Index>;
    const int threads = std::max(at_a_time, arena_.threads());
    if (n > 1 && is_shared()) return map_shared<Value>(n, task, threads);
    std::vector<Value> values(static_cast<std::size_t>(n));
    const auto make = [&](Index i) { values[static_cast<std::size_t>(i)] = task(i); };
    if (n == 1 || threads == arena_.threads()) {
      each(n, make);
      return values;
    }
    TaskList list(n);
    in_threads(threads, [&] {
      while (const std::optional<Index> i = list.next()) {
        try {
          check_deadline();
          make(*i);
        } catch (...) {
          list.fail(std::current_exception());
        }
      }
    });
    list.finish();
    return values;
  }

  // body(0), …, body(n − 1) on the threads of every rank: each rank does it all. For what is quickly
  // done and fills memory that every rank has. With several ranks the deadline does not count here:
  // it would pass for one of them and not for another, which then waits for the first.
  template <class Body>
  void for_each(Index n, const Body& body) {
    const OwnShare share(n > 1 ? ranks_.get() : nullptr);
    each(n, body, !(ranks_ && ranks_->size() > 1));
  }

 private:
  [[nodiscard]] bool is_shared() const {
    return ranks_ && ranks_->size() > 1 && !ranks_->is_inside();
  }

  void check_deadline() const {
    if (deadline_ && std::chrono::steady_clock::now() > *deadline_) throw DeadlinePassed{};
  }

  template <class Body>
  void each(Index n, const Body& body, bool in_time = true) {
    if (n == 0) return;
    if (n == 1) return body(Index{0});
    arena_.execute([&] {
      reduce_range(
          0, n, [&](Index i) { return body(i), 0; }, [](int&, int&&) {}, in_time);
    });
  }

  template <class Leaf, class Combine>
  auto reduce_range(Index first, Index n, const Leaf& leaf, const Combine& combine,
                    bool in_time = true) const -> decltype(leaf(first)) {
    if (n == 1) {
      if (in_time) check_deadline();
      return leaf(first);
    }
    const Index half = left_leaves(n);
    decltype(leaf(first)) left, right;
    const auto make_left = [&] { left = reduce_range(first, half, leaf, combine, in_time); };
    const auto make_right = [&] {
      right = reduce_range(first + half, n - half, leaf, combine, in_time);
    };
    if (arena_.threads() > 1) {
      tbb::parallel_invoke(make_left, make_right);
    } else {
      make_left();
      make_right();
    }
    if (handover_ == Handover::doubles) right = through_doubles(right);
    combine(left, std::move(right));
    return left;
  }

  // The subtrees of this rank, each on its own; then what SharedTree makes of them and of those of
  // the others.
  template <class Leaf, class Combine>
  auto reduce_shared(Index n, const Leaf& leaf, const Combine& combine) {
    using Value = std::invoke_result_t<Leaf, Index>;
    SharedTree<Value> tree(*ranks_, n);
    try {
      const OwnShare share(ranks_.get());
      std::vector<Value>& values = tree.own_values();
      const std::vector<Subtree>& own = tree.own_subtrees();
      each(static_cast<Index>(own.size()), [&](Index i) {
        const Subtree& part = own[static_cast<std::size_t>(i)];
        values[static_cast<std::size_t>(i)] = reduce_range(part.first, part.leaves, leaf, combine);
      });
    } catch (...) {
      tree.fail(std::current_exception());
    }
    Value value = tree.combine(combine);
    ranks_->share_news();
    return value;
  }

  // The same loop in so many threads: those of the arena, or threads that mostly wait.
  template <class Loop>
  void in_threads(int threads, const Loop& loop) {
    if (threads == 1) return loop();
    if (threads > arena_.threads()) {
      std::vector<std::thread> all;
      for (int i = 0; i < threads; ++i) all.emplace_back(loop);
      for (std::thread& thread : all) thread.join();
      return;
    }
    arena_.execute([&] {
      tbb::parallel_for(
          0, threads, 1, [&](int) { loop(); }, tbb::simple_partitioner());
    });
  }

  template <class Value, class Task>
  std::vector<Value> map_shared(Index n, const Task& task, int threads) {
    WorkQueue queue(*ranks_, n, threads);
    const auto work = [&](Index i) {
      try {
        check_deadline();
        const auto start = std::chrono::steady_clock::now();
        Value value = task(i);
        Numbers numbers;
        flatten(value, numbers);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        queue.done(i, std::move(numbers), taken.count());
      } catch (...) {
        queue.fail(std::current_exception());
      }
    };
    {
      const OwnShare share(ranks_.get());
      in_threads(threads, [&] {
        while (const std::optional<Index> i = queue.next()) work(*i);
      });
    }
    std::vector<Value> values(static_cast<std::size_t>(n));
    const std::vector<Numbers> results = queue.finish();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double* next = results[i].data();
      unflatten(next, values[i]);
    }
    return values;
  }

  std::shared_ptr<Ranks> ranks_;
  Arena arena_;
  Handover handover_;
  std::optional<std::chrono::steady_clock::time_point> deadline_ = {};
};

}  // namespace chaosgrad::internal
