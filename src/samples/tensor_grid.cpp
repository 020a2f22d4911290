#include "samples/tensor_grid.h"

#include <cassert>

namespace chaosgrad::internal {

double grid_points(const std::vector<Quadrature>& axes) {
  double points = 1;
  for (const Quadrature& axis : axes) points *= static_cast<double>(axis.nodes.size());
  return points;
}

TensorGrid::TensorGrid(std::vector<Quadrature> axes)
    : axes_(std::move(axes)), size_(static_cast<Index>(grid_points(axes_))) {}

void TensorGrid::fill(Index first, BlockOut nodes, Eigen::Ref<Vector> weights) const {
  assert(static_cast<std::size_t>(nodes.cols()) == axes_.size() && weights.size() == nodes.rows());
  for (Index i = 0; i < nodes.rows(); ++i) {
    double weight = 1;
    Index rest = first + i;
    for (Index k = 0; k < nodes.cols(); ++k) {
      const Quadrature& axis = axes_[static_cast<std::size_t>(k)];
      const Index node = rest % axis.nodes.size();
      rest /= axis.nodes.size();
      weight *= axis.weights(node);
      nodes(i, k) = axis.nodes(node);
    }
    weights(i) = weight;
  }
}

}  // namespace chaosgrad::internal
