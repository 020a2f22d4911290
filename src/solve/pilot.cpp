#include "solve/pilot.h"

#include <fmt/format.h>

#include <algorithm>

#include "chaosgrad/error.h"
#include "chaosgrad/solution.h"

namespace chaosgrad::internal {
namespace {

constexpr double pilot_tolerance = 1e-2;  // relative
constexpr std::int64_t pilot_share = 10;  // of max_gradients, at most

// The indices of an expansion by falling |u_ν|, each after those below it.
std::vector<MultiIndex> by_size(const IndexSet& indices, const Coefficients& u) {
  std::vector<Index> left(static_cast<std::size_t>(indices.size()));
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<Index>(i);
  std::stable_sort(left.begin() + 1, left.end(), [&](Index a, Index b) {
    return u.row(a).squaredNorm() > u.row(b).squaredNorm();
  });
  std::vector<MultiIndex> ordered;
  const auto ready = [&](Index i) {
    MultiIndex below = indices[i];
    return std::ranges::all_of(below, [&](int& degree) {
      if (degree == 0) return true;
      --degree;
      const bool there = std::ranges::find(ordered, below) != ordered.end();
      ++degree;
      return there;
    });
  };
  while (!left.empty()) {
    const auto next = std::ranges::find_if(left, ready);
    ordered.push_back(indices[*next]);
    left.erase(next);
  }
  return ordered;
}

}  // namespace

PilotIndices pilot_indices(const Oracle& oracle, const Options& options, Index m) {
  const Run pilot = run(oracle, {.relative_tolerance = pilot_tolerance,
                                 .seed = options.seed,
                                 .threads = options.threads,
                                 .max_gradients = options.max_gradients / pilot_share,
                                 .max_seconds = options.max_seconds,
                                 .interrupted = options.interrupted});
  if (is_failure(pilot.status)) {
    throw InputError("solve.index_set",
                     fmt::format("the pilot run that chooses the functions ended as {}: {}",
                                 to_string(pilot.status), pilot.stop_reason));
  }
  std::vector<MultiIndex> ordered = by_size(pilot.basis.indices(), pilot.u);
  if (static_cast<Index>(ordered.size()) > m) ordered.resize(static_cast<std::size_t>(m));
  PilotIndices result{IndexSet::from(ordered), static_cast<Index>(ordered.size()), pilot.gradients};
  const Index d = pilot.basis.dimension();
  const IndexOrder order = limited_order(pilot.basis.families(), {});
  for (Index size = m; result.indices.size() < m; size *= 2) {
    const auto exist = static_cast<Index>(
        std::min(function_count(pilot.basis.families()), static_cast<double>(size)));
    const IndexSet more = IndexSet::first(d, exist, order);
    for (const MultiIndex& index : more.indices()) {
      if (result.indices.size() == m) break;
      if (!result.indices.contains(index)) result.indices.add_closed(index);
    }
  }
  return result;
}

}  // namespace chaosgrad::internal
