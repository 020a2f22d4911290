// Sums and lists over ranks, here threads that send each other messages: the same bits for every
// number of ranks, and what one rank meets with comes out on all.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include "chaosgrad/error.h"
#include "parallel/executor.h"
#include "random/random.h"
#include "support/thread_ranks.h"

namespace chaosgrad {
using namespace internal;
using testing::on_ranks;
namespace {

using RanksPointer = std::shared_ptr<Ranks>;

Matrix numbers_of_all_sizes(Index n) {
  Matrix u(n, 1);
  fill_uniform(make_stream(3, Purpose::test, 31), 0, u);
  return u.array().pow(-3);
}

TEST(Ranks, SumInTheTreeOfOneProcess) {
  const Matrix numbers = numbers_of_all_sizes(1000);
  const auto sum = [&](Executor&& executor, Index n) {
    return executor.reduce(
        n, [&](Index i) { return numbers(i, 0); },
        [](double& left, double right) { left += right; });
  };
  for (const Index n : {1, 2, 3, 5, 7, 64, 999, 1000}) {
    const double expected = sum(Executor(1), n);
    for (const int size : {1, 2, 3, 4, 7}) {
      on_ranks(size, [&](const RanksPointer& ranks) {
        EXPECT_EQ(sum(Executor(1, ranks), n), expected) << size << " ranks, n = " << n;
        EXPECT_EQ(sum(Executor(2, ranks), n), expected);
      });
    }
  }
}

// A sum that does not commute: the order of the leaves is kept.
TEST(Ranks, KeepTheOrder) {
  for (const int size : {2, 3, 5}) {
    on_ranks(size, [&](const RanksPointer& ranks) {
      Executor executor(1, ranks);
      const std::vector<Index> list = executor.reduce(
          37, [](Index i) { return std::vector<Index>{i}; },
          [](std::vector<Index>& left, std::vector<Index>&& right) {
            left.insert(left.end(), right.begin(), right.end());
          });
      ASSERT_EQ(list.size(), 37U);
      for (Index i = 0; i < 37; ++i) EXPECT_EQ(list[static_cast<std::size_t>(i)], i);
    });
  }
}

// Every task is done once, wherever; all ranks have all results in their order.
TEST(Ranks, HandOutTasks) {
  for (const int size : {1, 2, 4}) {
    for (const Index n : {1, 2, 100}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(n));
      on_ranks(size, [&](const RanksPointer& ranks) {
        Executor executor(2, ranks);
        const std::vector<Vector> squares = executor.map(n, [&](Index i) {
          ++done[static_cast<std::size_t>(i)];
          return Vector(Vector::Constant(1 + i % 3, static_cast<double>(i * i)));
        });
        for (Index i = 0; i < n; ++i) {
          const Vector& square = squares[static_cast<std::size_t>(i)];
          EXPECT_EQ(square.size(), 1 + i % 3);
          EXPECT_EQ(square(0), static_cast<double>(i * i));
        }
      });
      // A single task is quicker done than told of.
      for (const auto& count : done) EXPECT_EQ(count, n == 1 ? size : 1);
    }
  }
}

// A queue, not slices: the rank whose tasks take long gets few of them.
TEST(Ranks, SlowRanksGetFewTasks) {
  std::array<std::atomic<int>, 3> done{};
  on_ranks(3, [&](const RanksPointer& ranks) {
    Executor executor(1, ranks);
    (void)executor.map(90, [&](Index) {
      std::this_thread::sleep_for(std::chrono::milliseconds(ranks->rank() == 1 ? 50 : 4));
      return ++done[static_cast<std::size_t>(ranks->rank())];
    });
  });
  EXPECT_EQ(done[0] + done[1] + done[2], 90);
  EXPECT_LT(done[1], 15);
  EXPECT_GT(done[0], 20);
  EXPECT_GT(done[2], 20);
}

// Tasks that wait for something else run beside each other on however few cores.
TEST(Ranks, TasksThatWaitRunTogether) {
  for (const int size : {1, 2}) {
    std::atomic<int> now = 0, most = 0;
    on_ranks(size, [&](const RanksPointer& ranks) {
      Executor executor(1, ranks);
      (void)executor.map(
          32,
          [&](Index i) {
            const int under_way = ++now;
            for (int seen = most; seen < under_way && !most.compare_exchange_weak(seen, under_way);)
              ;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            --now;
            return i;
          },
          4);
    });
    EXPECT_GE(most, size == 1 ? 4 : 6);
    EXPECT_LE(most, 4 * size);
  }
}

// Whatever one rank throws, all ranks throw.
TEST(Ranks, FailTogether) {
  const auto text_of = [](const auto& work) -> std::string {
    try {
      work();
    } catch (const InputError& error) {
      return "input " + error.field() + ": " + error.message();
    } catch (const ModelAbsent& error) {
      return std::string("absent ") + error.what();
    } catch (const IoError& error) {
      return std::string("io ") + error.what();
    } catch (const DeadlinePassed&) {
      return "deadline";
    } catch (const std::bad_alloc&) {
      return "memory";
    } catch (const std::exception& error) {
      return std::string("other ") + error.what();
    }
    return "nothing";
  };
  const std::vector<std::pair<std::function<void()>, std::string>> cases = {
      {[] { throw InputError("samples", "too many"); }, "input samples: too many"},
      {[] { throw ModelAbsent("nobody there"); }, "absent nobody there"},
      {[] { throw IoError("a disk that is full"); }, "io a disk that is full"},
      {[] { throw DeadlinePassed{}; }, "deadline"},
      {[] { throw std::bad_alloc{}; }, "memory"},
      {[] { throw std::logic_error("odd"); }, "other odd"}};
  for (const auto& [fail, expected] : cases) {
    on_ranks(3, [&](const RanksPointer& ranks) {
      Executor executor(1, ranks);
      const auto leaf = [&](Index i) {
        if (i == 7) fail();
        return 1.0;
      };
      const auto add = [](double& left, double right) { left += right; };
      EXPECT_EQ(text_of([&] { (void)executor.reduce(10, leaf, add); }), expected);
      EXPECT_EQ(text_of([&] { (void)executor.map(10, leaf); }), expected);
      EXPECT_EQ(text_of([&] {
                  (void)ranks->from_first([&] {
                    fail();
                    return Numbers{};
                  });
                }),
                expected);
      // And then they go on together.
      EXPECT_EQ(executor.reduce(
                    10, [](Index) { return 1.0; }, add),
                10);
    });
  }
}

TEST(Ranks, KeepTheDeadlineOfAny) {
  on_ranks(2, [](const RanksPointer& ranks) {
    Executor executor(1, ranks);
    if (ranks->rank() == 1) executor.set_deadline(std::chrono::steady_clock::now());
    const auto wait = [](Index) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return 1.0;
    };
    EXPECT_THROW((void)executor.map(20, wait), DeadlinePassed);
    EXPECT_THROW((void)executor.reduce(20, wait, [](double&, double) {}), DeadlinePassed);
  });
}

TEST(Ranks, HearWhatTheFirstSays) {
  for (const int size : {1, 2, 3, 6}) {
    on_ranks(size, [&](const RanksPointer& ranks) {
      const Numbers said = ranks->from_first([] { return Numbers{1.5, -0.0}; });
      EXPECT_EQ(said, (Numbers{1.5, -0.0}));
      const std::vector<Numbers> all = ranks->from_each(
          [&] { return Numbers(static_cast<std::size_t>(ranks->rank()), 1.0 * ranks->rank()); });
      ASSERT_EQ(static_cast<int>(all.size()), size);
      for (int r = 0; r < size; ++r)
        EXPECT_EQ(all[static_cast<std::size_t>(r)],
                  Numbers(static_cast<std::size_t>(r), static_cast<double>(r)));
    });
  }
}

// Counts what it is told.
struct Counter : Ledger {
  std::atomic<int> own = 0, all = 0;
  void count() {
    ++own;
    ++all;
  }
  Numbers news() override { return {static_cast<double>(own.exchange(0))}; }
  void learn(const Numbers& numbers) override { all += static_cast<int>(numbers[0]); }
};

TEST(Ranks, KnowWhatAllHaveCounted) {
  for (const int size : {2, 4}) {
    on_ranks(size, [&](const RanksPointer& ranks) {
      Counter counter;
      ranks->attach(counter);
      Executor executor(1, ranks);
      const auto work = [&](Index) { return counter.count(), 0.0; };
      (void)executor.map(50, work);
      EXPECT_EQ(counter.all, 50);
      (void)executor.reduce(33, work, [](double&, double) {});
      EXPECT_EQ(counter.all, 83);
      ranks->detach(counter);
    });
  }
}

// A sum within a task is the task's own.
TEST(Ranks, TasksDoNotWaitForOthers) {
  on_ranks(2, [](const RanksPointer& ranks) {
    Executor executor(2, ranks);
    const std::vector<double> sums = executor.map(7, [&](Index i) {
      return executor.reduce(
          5, [&](Index j) { return static_cast<double>(i + j); },
          [](double& left, double right) { left += right; });
    });
    for (Index i = 0; i < 7; ++i)
      EXPECT_EQ(sums[static_cast<std::size_t>(i)], static_cast<double>(5 * i + 10));
  });
}

double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * 4096 / 1e6;
}

// oneTBB keeps about 7 kB of every arena: 3,000 executors would leave 21 MB.
TEST(Executor, LeavesNothingBehind) {
  const auto use = [] {
    Executor executor(2);
    (void)executor.reduce(
        64, [](Index i) { return static_cast<double>(i); },
        [](double& left, double right) { left += right; });
  };
  for (int i = 0; i < 100; ++i) use();
  const double before = resident_megabytes();
  for (int i = 0; i < 3000; ++i) use();
  EXPECT_LT(resident_megabytes() - before, 4);
}

}  // namespace
}  // namespace chaosgrad
