#include "solve/collocation/point_starts.h"

#include <algorithm>

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

}  // namespace

Matrix append(const Context& context, const Matrix& eta, CollocationState& state) {
  Points& points = state.points;
  const Coefficients& u = state.run.u;
  const Matrix prediction = basis_table(state.run.basis, eta, u.rows(), context.executor) * u;
  Matrix start = prediction;
  if (points.size() > 0) {
    const double known = points.value.rowwise().norm().maxCoeff();
    for (Index i = 0; i < start.rows(); ++i) {
      if (start.row(i).norm() <= context.tuning.largest_prediction * known) continue;
      start.row(i) = points.value.row(nearest(points, eta.row(i), points.size()));
    }
  }
  points.append(eta, context.sampler.parameters(eta), start);
  return prediction;
}

Verdict evaluate_points(const Context& context, CollocationState& state) {
  Points& points = state.points;
  const auto known =
      static_cast<Index>(std::count(points.evaluated.begin(), points.evaluated.end(), char{1}));
  const PointReport report = evaluate(context.gradient, known, points, context.executor);
  const std::vector<Index> bad = bad_starts(context, state, known);
  if (bad.empty()) return note_report(context, report, state);
  state.run.gradients += report.gradients;
  for (const Index i : bad) {
    points.value.row(i) = points.value.row(nearest(points, points.eta.row(i), known));
    points.evaluated[static_cast<std::size_t>(i)] = 0;
  }
  return note_report(context, evaluate(context.gradient, known, points, context.executor), state);
}

}  // namespace chaosgrad::internal::collocation
