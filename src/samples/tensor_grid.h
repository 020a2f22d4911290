#pragma once
// The tensor product of rules on several axes. Point k has the digits of k in the mixed radix of
// the axes as node numbers, those of the first axis changing fastest.
#include <vector>

#include "chaosgrad/basis.h"

namespace chaosgrad::internal {

// The number of points, which may be beyond all integers.
[[nodiscard]] double grid_points(const std::vector<Quadrature>& axes);

class TensorGrid {
 public:
  // grid_points(axes) must be below 2^63.
  explicit TensorGrid(std::vector<Quadrature> axes);
  [[nodiscard]] Index size() const { return size_; }
  // Points first, first + 1, …, as many as `nodes` (n×axes) has rows, and their weights.
  void fill(Index first, BlockOut nodes, Eigen::Ref<Vector> weights) const;

 private:
  std::vector<Quadrature> axes_;
  Index size_;
};

}  // namespace chaosgrad::internal
