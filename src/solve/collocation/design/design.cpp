#include "solve/collocation/design/design.h"

#include <algorithm>

namespace chaosgrad::internal::collocation {

bool makes_progress(const std::vector<IterationRecord>& history, Index n, double progress,
                    Index patience) {
  if (n <= patience || history.empty()) return true;
  double before = 0;  // the largest estimate when there were a quarter of the points
  for (const IterationRecord& stage : history) {
    if (8 * stage.samples >= n && 4 * stage.samples <= n)
      before = std::max(before, stage.estimate.value_or(0));
  }
  return before == 0 || history.back().estimate.value_or(0) <= progress * before;
}

}  // namespace chaosgrad::internal::collocation
