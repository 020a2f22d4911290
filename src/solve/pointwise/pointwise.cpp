#include "solve/pointwise/pointwise.h"

#include <algorithm>
#include <utility>

#include "solve/pointwise/block_polisher.h"

namespace chaosgrad::internal {
namespace {

// work(block polisher) over all blocks of points of the range.
template <class Work>
PointReport over_blocks(const PointGradient& gradient, const InverseHessian* inverse,
                        const PointOptions& options, PointRange range, Points& points,
                        Executor& executor, const Work& work) {
  if (range.count == 0) return {};
  const Index size = std::max<Index>(1, block_size / gradient.draws);
  return executor.reduce(
      (range.count + size - 1) / size,
      [&](Index block) {
        BlockPolisher polisher(gradient, inverse, options, points, range.first + block * size,
                               std::min(size, range.count - block * size));
        return work(polisher);
      },
      [](PointReport& left, PointReport&& right) { left.add(std::move(right)); });
}

}  // namespace

PointReport evaluate(const PointGradient& gradient, Index first, Points& points,
                     Executor& executor) {
  return over_blocks(gradient, nullptr, {}, {first, points.size() - first}, points, executor,
                     [](BlockPolisher& polisher) { return polisher.evaluate(); });
}

PointReport polish(const PointGradient& gradient, const InverseHessian& inverse,
                   const PointOptions& options, PointRange range, Points& points,
                   Executor& executor) {
  return over_blocks(gradient, &inverse, options, range, points, executor,
                     [](BlockPolisher& polisher) { return polisher.polish(); });
}

}  // namespace chaosgrad::internal
