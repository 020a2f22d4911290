#include "solve/pilot.h"

#include <fmt/format.h>

#include <algorithm>

#include "chaosgrad/error.h"
#include "solve/run.h"

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

// The caller sees a pilot that goes on, and may stop it; but it is no solution to resume.
std::function<Action(const Progress&)> stop_only(const Options& options) {
  if (!options.callback) return {};
  return [&options](const Progress& progress) {
    Progress told = progress;
    told.stage = "pilot";
    told.checkpoint_due = false;
    told.solution = {};
    return options.callback(told);
  };
}

}  // namespace

Pilot run_pilot(const Oracle& oracle, const Options& options) {
  const Run pilot = run(oracle, {.relative_tolerance = pilot_tolerance,
                                 .seed = options.seed,
                                 .threads = options.threads,
                                 .max_gradients = options.max_gradients / pilot_share,
                                 .max_seconds = options.max_seconds,
                                 .callback = stop_only(options)});
  if (is_failure(pilot.status)) {
    throw InputError("solve.index_set",
                     fmt::format("the pilot run that chooses the functions ended as {}: {}",
                                 to_string(pilot.status), pilot.stop_reason));
  }
  return {IndexSet::from(by_size(pilot.basis.indices(), pilot.u)),
          pilot.gradients + pilot.test_gradients};
}

IndexSet pilot_indices(const Pilot& pilot, const std::vector<Family>& families, Index m) {
  std::vector<MultiIndex> first = pilot.indices.indices();
  if (static_cast<Index>(first.size()) > m) first.resize(static_cast<std::size_t>(m));
  IndexSet result = IndexSet::from(std::move(first));
  const IndexOrder order = limited_order(families, {});
  for (Index size = m; result.size() < m; size *= 2) {
    const auto exist =
        static_cast<Index>(std::min(function_count(families), static_cast<double>(size)));
    const IndexSet more = IndexSet::first(static_cast<Index>(families.size()), exist, order);
    for (const MultiIndex& index : more.indices()) {
      if (result.size() == m) break;
      if (!result.contains(index)) result.add_closed(index);
    }
  }
  return result;
}

IndexChooser pilot_chooser(const Oracle& oracle, const Options& options) {
  return [&](const std::vector<Family>& families, Index m) {
    return pilot_indices(run_pilot(oracle, options), families, m);
  };
}

void save(const Pilot& pilot, SolverState& state) {
  std::vector<std::int64_t>& flat = state.integers["pilot_indices"];
  flat.clear();
  for (const MultiIndex& index : pilot.indices.indices())
    flat.insert(flat.end(), index.begin(), index.end());
  state.set_integer("pilot_dimension", pilot.indices.dimension());
  state.set_integer("pilot_gradients", pilot.gradients);
}

Pilot restore_pilot(const SolverState& state) {
  const std::vector<std::int64_t>& flat = state.integer_list("pilot_indices");
  const auto d = static_cast<std::ptrdiff_t>(state.integer("pilot_dimension"));
  std::vector<MultiIndex> indices;
  for (auto row = flat.begin(); row != flat.end(); row += d) indices.emplace_back(row, row + d);
  return {IndexSet::from(std::move(indices)), state.integer("pilot_gradients")};
}

}  // namespace chaosgrad::internal
