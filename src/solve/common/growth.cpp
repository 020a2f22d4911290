#include "solve/common/growth.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace chaosgrad::internal {

std::vector<MultiIndex> candidates(const IndexSet& indices, const std::vector<char>& significant,
                                   const std::vector<Family>& families, int reach, int axis_share,
                                   int least_axis) {
  std::set<MultiIndex> found;
  for (Index i = 0; i < indices.size(); ++i) {
    if (!significant[static_cast<std::size_t>(i)]) continue;
    MultiIndex index = indices[i];
    for (int& degree : index) {
      for (int ahead = 1; ahead <= reach; ++ahead) {
        ++degree;
        if (!indices.contains(index)) found.insert(index);
      }
      degree -= reach;
    }
  }
  const auto d = static_cast<std::size_t>(indices.dimension());
  std::vector<int> top(d, 0);  // on each axis alone
  for (const MultiIndex& index : indices.indices()) {
    const auto active = std::count_if(index.begin(), index.end(), [](int n) { return n > 0; });
    if (active != 1) continue;
    const auto k = static_cast<std::size_t>(
        std::find_if(index.begin(), index.end(), [](int n) { return n > 0; }) - index.begin());
    top[k] = std::max(top[k], index[k]);
  }
  for (std::size_t k = 0; k < d; ++k) {
    for (int ahead = 1; ahead <= std::max(least_axis, top[k] / axis_share); ++ahead) {
      MultiIndex index(d, 0);
      index[k] = top[k] + ahead;
      found.insert(std::move(index));
    }
  }
  std::vector<MultiIndex> result;
  for (const MultiIndex& index : found) {
    bool exists = true;
    for (std::size_t k = 0; k < d; ++k) exists = exists && index[k] <= families[k].max_degree();
    if (exists) result.push_back(index);
  }
  return result;
}

Basis widened(const Basis& basis, const std::vector<MultiIndex>& beyond) {
  IndexSet indices = basis.indices();
  for (const MultiIndex& index : beyond) indices.add_closed(index);
  return Basis(basis.families(), std::move(indices));
}

std::vector<Index> mark(const Gains& gains, const Marking& marking) {
  std::vector<Index> order(static_cast<std::size_t>(gains.signal.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return gains.signal(a) > gains.signal(b); });
  std::vector<Index> marked;
  double carried = 0;
  for (const Index i : order) {
    const auto count = static_cast<Index>(marked.size());
    if (count >= marking.most || carried >= marking.bulk * gains.total()) break;
    const double factor = count < marking.always ? 1 : marking.noise_factor;
    if (gains.signal(i) <= factor * gains.noise(i)) continue;
    marked.push_back(i);
    carried += gains.signal(i) - gains.noise(i);
  }
  return marked;
}

double noise_maximum(Index count, double components) {
  return 1 + 2 * std::log(static_cast<double>(std::max<Index>(1, count))) / components;
}

}  // namespace chaosgrad::internal
