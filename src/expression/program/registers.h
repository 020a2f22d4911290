#pragma once
// Hands out runs of consecutive register columns, the lowest first, and takes them back.
#include <algorithm>
#include <iterator>
#include <map>

#include "chaosgrad/types.h"

namespace chaosgrad::internal {

class Registers {
 public:
  [[nodiscard]] Index allocate(Index columns) {
    for (auto free = free_.begin(); free != free_.end(); ++free) {
      const auto [first, length] = *free;
      if (length < columns) continue;
      free_.erase(free);
      if (length > columns) free_.emplace(first + columns, length - columns);
      return first;
    }
    // Nothing fits: grow, from a free run at the end if there is one.
    Index first = total_;
    if (!free_.empty()) {
      const auto last = std::prev(free_.end());
      if (last->first + last->second == total_) {
        first = last->first;
        free_.erase(last);
      }
    }
    total_ = first + columns;
    return first;
  }

  void release(Index first, Index columns) {
    auto next = free_.lower_bound(first);
    if (next != free_.end() && first + columns == next->first) {
      columns += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == first) {
        before->second += columns;
        return;
      }
    }
    free_.emplace_hint(next, first, columns);
  }

  [[nodiscard]] Index total() const { return total_; }

 private:
  std::map<Index, Index> free_;  // first column → number of columns; never adjacent
  Index total_ = 0;
};

}  // namespace chaosgrad::internal
