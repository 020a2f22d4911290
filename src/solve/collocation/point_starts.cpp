#include "solve/collocation/point_starts.h"

#include <algorithm>

#include "solve/collocation/rescue.h"

namespace chaosgrad::internal::collocation {
namespace {

// The one of the first `count` points that is nearest to the germ.
Index nearest(const Points& points, const Matrix& eta, Index count) {
  Index found = 0;
  (points.eta.topRows(count).rowwise() - eta.row(0)).rowwise().squaredNorm().minCoeff(&found);
  return found;
}

// Points beyond the known ones where ∇f is not finite, or the first step would lead far beyond all
// known optima.
std::vector<Index> bad_starts(const Context& context, const CollocationState& state, Index known) {
  const Points& points = state.points;
  const Index fresh = points.size() - known;
  if (known == 0 || fresh == 0) return {};
  const double size = points.value.topRows(known).rowwise().norm().maxCoeff();
  const double longest = size > 0 ? context.tuning.largest_prediction * size : infinity;
  Matrix steps(fresh, points.x.cols());
  state.model.apply(points.eta.bottomRows(fresh), points.g.bottomRows(fresh), steps);
  std::vector<Index> bad;
  for (Index i = 0; i < fresh; ++i) {
    const bool finite = points.evaluated[static_cast<std::size_t>(known + i)];
    if (!finite || steps.row(i).norm() > longest) bad.push_back(known + i);
  }
  return bad;
}

// x_u at the germs.
Matrix predict(const Context& context, const Matrix& eta, const CollocationState& state) {
  const Coefficients& u = state.run.u;
  return basis_table(state.run.basis, eta, u.rows(), context.executor) * u;
}

}  // namespace

std::optional<Index> nearest_solved(const Points& points, Index i) {
  std::optional<Index> found;
  double least = infinity;
  for (Index j = 0; j < points.size(); ++j) {
    const auto point = static_cast<std::size_t>(j);
    if (j == i || points.trouble[point] != Trouble::none || !points.evaluated[point]) continue;
    const double distance = (points.eta.row(j) - points.eta.row(i)).squaredNorm();
    if (!(distance < least)) continue;
    least = distance;
    found = j;
  }
  return found;
}

void append(const Context& context, const Matrix& eta, CollocationState& state) {
  Points& points = state.points;
  Matrix start = predict(context, eta, state);
  if (points.size() > 0) {
    const double known = points.value.rowwise().norm().maxCoeff();
    for (Index i = 0; i < start.rows(); ++i) {
      if (start.row(i).norm() <= context.tuning.largest_prediction * known) continue;
      start.row(i) = points.value.row(nearest(points, eta.row(i), points.size()));
    }
  }
  points.append(eta, context.sampler.parameters(eta), start);
}

Matrix append_at_expansion(const Context& context, const Matrix& eta, CollocationState& state) {
  const Matrix prediction = predict(context, eta, state);
  state.points.append(eta, context.sampler.parameters(eta), prediction);
  return prediction;
}

Verdict evaluate_points(const Context& context, CollocationState& state) {
  Points& points = state.points;
  const auto known =
      static_cast<Index>(std::count(points.evaluated.begin(), points.evaluated.end(), char{1}));
  const PointReport report = evaluate(context.gradient, known, points, context.executor);
  if (note_report(context, report, state) == Verdict::stop) return Verdict::stop;
  return replace_bad_starts(context, known, state);
}

Verdict replace_bad_starts(const Context& context, Index known, CollocationState& state) {
  Points& points = state.points;
  const std::vector<Index> bad = bad_starts(context, state, known);
  for (const Index i : bad) {
    const auto point = static_cast<std::size_t>(i);
    points.value.row(i) = points.value.row(nearest(points, points.eta.row(i), known));
    points.evaluated[point] = 0;
    points.trouble[point] = Trouble::none;
  }
  if (!bad.empty()) {
    const PointReport report = evaluate(context.gradient, known, points, context.executor);
    if (note_report(context, report, state) == Verdict::stop) return Verdict::stop;
  }
  return rescue(context, state);
}

}  // namespace chaosgrad::internal::collocation
