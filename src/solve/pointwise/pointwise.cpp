#include "solve/pointwise/pointwise.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "solve/pointwise/block_polisher.h"

namespace chaosgrad::internal {
namespace {

// The points of one task, and what its steps have shown.
struct PolishedBlock {
  PointReport report;
  Points points;
  std::vector<Index> unfinished;  // for want of gradients
  auto members() { return std::tie(report, points, unfinished); }
};

// Points of a task: enough for a call of the gradient, few enough for many tasks, and never so many
// that a block of gradients would be exceeded. It depends on the problem and on the number of points
// alone, so that the bits do.
Index points_of_task(const PointGradient& gradient, Index count, const PointwiseTuning& tuning) {
  const Index wanted = std::max(gradient.batch, count / tuning.tasks);
  return std::clamp<Index>(wanted, 1, std::max<Index>(1, block_size / gradient.draws));
}

// work(block polisher) over all blocks of these points.
template <class Work>
PointReport over_blocks(const PointGradient& gradient, const InverseHessian* inverse,
                        const PointOptions& options, const std::vector<Index>& numbers,
                        Points& points, Executor& executor, const Work& work,
                        std::vector<Index>* unfinished = nullptr) {
  if (numbers.empty()) return {};
  const auto count = static_cast<Index>(numbers.size());
  const Index size = points_of_task(gradient, count, options.tuning);
  const auto numbers_of = [&](Index block) {
    return std::vector<Index>(numbers.begin() + block * size,
                              numbers.begin() + std::min(count, (block + 1) * size));
  };
  std::vector<PolishedBlock> blocks =
      executor.map((count + size - 1) / size,
                   [&](Index block) {
                     const std::vector<Index> own = numbers_of(block);
                     PolishedBlock result{{}, points.part(own), {}};
                     BlockPolisher polisher(gradient, inverse, options, own, result.points);
                     result.report = work(polisher);
                     if (result.report.out_of_budget) result.unfinished = polisher.unfinished();
                     return result;
                   },
                   gradient.calls);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    points.replace(numbers_of(static_cast<Index>(b)), std::move(blocks[b].points));
    if (unfinished)
      unfinished->insert(unfinished->end(), blocks[b].unfinished.begin(),
                         blocks[b].unfinished.end());
  }
  return sum_in_tree(
      static_cast<Index>(blocks.size()),
      [&](Index b) { return std::move(blocks[static_cast<std::size_t>(b)].report); },
      [](PointReport& left, PointReport&& right) { left.add(std::move(right)); });
}

std::vector<Index> numbers_from(Index first, Index count) {
  std::vector<Index> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

}  // namespace

PointReport evaluate(const PointGradient& gradient, Index first, Points& points,
                     Executor& executor) {
  return over_blocks(gradient, nullptr, {}, numbers_from(first, points.size() - first), points,
                     executor, [](BlockPolisher& polisher) { return polisher.evaluate(); });
}

// A task may spend its share of the budget. What some leave goes to those that need more, until all
// are done or hardly anything is left.
PointReport polish(const PointGradient& gradient, const InverseHessian& inverse,
                   const PointOptions& options, PointRange range, Points& points,
                   Executor& executor) {
  const double budget = options.budget * static_cast<double>(range.count);
  std::vector<Index> numbers = numbers_from(range.first, range.count);
  PointOptions now = options;
  PointReport all;
  for (;;) {
    std::vector<Index> unfinished;
    all.unsolved -= all.out_of_budget ? static_cast<Index>(numbers.size()) : 0;  // tried again
    all.out_of_budget = false;
    all.add(over_blocks(
        gradient, &inverse, now, numbers, points, executor,
        [](BlockPolisher& polisher) { return polisher.polish(); }, &unfinished));
    if (!all.out_of_budget) return all;
    numbers = std::move(unfinished);
    const double left = budget - static_cast<double>(all.gradients);
    now.budget = left / static_cast<double>(numbers.size());
    if (!(now.budget >= static_cast<double>(gradient.draws))) return all;
  }
}

}  // namespace chaosgrad::internal
