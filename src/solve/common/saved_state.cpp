#include "solve/common/saved_state.h"

namespace chaosgrad::internal {

// The secant pairs of all points stand below each other; `secants` holds their numbers per point.
void save(const Points& points, SolverState& state) {
  state.arrays["eta"] = points.eta;
  state.arrays["theta"] = points.theta;
  state.arrays["x"] = points.x;
  state.arrays["g"] = points.g;
  state.arrays["value"] = points.value;
  state.arrays["force"] = points.force;
  if (points.skipped.rows() > 0) state.arrays["skipped"] = points.skipped;
  state.integers["evaluated"].assign(points.evaluated.begin(), points.evaluated.end());
  state.integers["doubts"].assign(points.doubts.begin(), points.doubts.end());
  state.arrays["ratios"] =
      Eigen::Map<const Vector>(points.ratios.data(), static_cast<Index>(points.ratios.size()));
  std::vector<std::int64_t> counts;
  Index total = 0;
  for (const std::vector<Secant>& pairs : points.secants) {
    counts.push_back(static_cast<std::int64_t>(pairs.size()));
    total += static_cast<Index>(pairs.size());
  }
  Coefficients s(total, points.x.cols()), y(total, points.x.cols());
  Index row = 0;
  for (const std::vector<Secant>& pairs : points.secants) {
    for (const Secant& pair : pairs) {
      s.row(row) = pair.s.transpose();
      y.row(row++) = pair.y.transpose();
    }
  }
  state.integers["secants"] = std::move(counts);
  state.arrays["secant_s"] = std::move(s);
  state.arrays["secant_y"] = std::move(y);
}

Points restore_points(const SolverState& state) {
  Points points;
  points.eta = state.array("eta");
  points.theta = state.array("theta");
  points.x = state.array("x");
  points.g = state.array("g");
  points.value = state.array("value");
  points.force = state.array("force");
  if (state.arrays.contains("skipped")) points.skipped = state.array("skipped");
  const std::vector<std::int64_t>& evaluated = state.integer_list("evaluated");
  points.evaluated.assign(evaluated.begin(), evaluated.end());
  const std::vector<std::int64_t>& doubts = state.integer_list("doubts");
  points.doubts.assign(doubts.begin(), doubts.end());
  const Coefficients& ratios = state.array("ratios");
  points.ratios.assign(ratios.data(), ratios.data() + ratios.size());
  const Coefficients &s = state.array("secant_s"), &y = state.array("secant_y");
  Index row = 0;
  for (const std::int64_t count : state.integer_list("secants")) {
    std::vector<Secant>& pairs = points.secants.emplace_back();
    for (std::int64_t i = 0; i < count; ++i, ++row)
      pairs.push_back({s.row(row).transpose(), y.row(row).transpose()});
  }
  points.trouble.assign(points.evaluated.size(), Trouble::none);
  return points;
}

void save(const Curvature& curvature, SolverState& state) {
  state.arrays["curvature_vectors"] = curvature.vectors;
  state.arrays["curvature_eigenvalues"] = curvature.eigenvalues;
  state.set_number("curvature_rest", curvature.rest);
  state.set_number("curvature_asymmetry", curvature.asymmetry);
}

Curvature restore_curvature(const SolverState& state) {
  Curvature curvature;
  curvature.vectors = state.array("curvature_vectors");
  curvature.eigenvalues = state.array("curvature_eigenvalues");
  curvature.rest = state.number("curvature_rest");
  curvature.asymmetry = state.number("curvature_asymmetry");
  return curvature;
}

void save(const CurvatureSeen& seen, SolverState& state) {
  state.set_number("lowest_curvature", seen.lowest);
  state.set_number("highest_curvature", seen.highest);
  state.texts["lowest_place"] = seen.lowest_place;
  state.texts["highest_place"] = seen.highest_place;
}

CurvatureSeen restore_seen(const SolverState& state) {
  return {state.number("lowest_curvature"), state.number("highest_curvature"),
          state.text("lowest_place"), state.text("highest_place")};
}

void save(const IndexSet& indices, SolverState& state) {
  std::vector<std::int64_t>& flat = state.integers["indices"];
  flat.clear();
  for (const MultiIndex& index : indices.indices())
    flat.insert(flat.end(), index.begin(), index.end());
  state.set_integer("dimension", indices.dimension());
}

IndexSet restore_indices(const SolverState& state) {
  const std::vector<std::int64_t>& flat = state.integer_list("indices");
  const auto d = static_cast<std::ptrdiff_t>(state.integer("dimension"));
  std::vector<MultiIndex> indices;
  for (auto row = flat.begin(); row != flat.end(); row += d) indices.emplace_back(row, row + d);
  return IndexSet::from(std::move(indices));
}

Index restore_stages(const Solution& before, Run& run) {
  const SolverState& state = before.state;
  const Index stage = state.integer("stage");
  run.history = before.history;
  while (!run.history.empty() && run.history.back().k >= stage) run.history.pop_back();
  // What a finished stage has spent is spent, although it is done again.
  const bool finished = before.status == Status::converged || before.status == Status::stalled;
  run.gradients = finished ? before.gradients : state.integer("gradients");
  return stage;
}

}  // namespace chaosgrad::internal
