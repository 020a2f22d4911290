#include "solve/collocation/polishing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/collocation/improbable.h"
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
  const Matrix steps = next_steps(context, {known, fresh}, state);
  std::vector<Index> bad;
  for (Index i = 0; i < fresh; ++i) {
    const bool finite = points.evaluated[static_cast<std::size_t>(known + i)];
    if (!finite || steps.row(i).norm() > longest) bad.push_back(known + i);
  }
  return bad;
}

// |step|/|step before| that new points can be trusted with after one step, given what it was before
// and what the points of the report have shown; empty if with none.
std::optional<double> learn_contraction(const CollocationTuning& tuning, const PointReport& report,
                                        std::optional<double> before) {
  double ratio = report.ratio();
  if (report.ratios < tuning.enough_ratios) {
    const bool clearly_tiny = report.ratios >= tuning.few_ratios && ratio <= tuning.tiny_ratio;
    if (!before && !clearly_tiny) return {};
    if (before) ratio = std::max(ratio, *before);
  }
  return ratio <= tuning.trusted_ratio ? std::optional(ratio) : std::nullopt;
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
  const Matrix theta = context.sampler.parameters(eta);
  Matrix start = predict(context, eta, theta, state).x;
  if (points.size() > 0) {
    const double known = points.value.rowwise().norm().maxCoeff();
    for (Index i = 0; i < start.rows(); ++i) {
      if (start.row(i).norm() <= context.tuning.largest_prediction * known) continue;
      start.row(i) = feasible(context, theta.row(i),
                              points.value.row(nearest(points, eta.row(i), points.size())), state);
    }
  }
  points.append(eta, theta, start);
}

Predicted append_at_expansion(const Context& context, const Matrix& eta, CollocationState& state) {
  const Matrix theta = context.sampler.parameters(eta);
  Predicted predicted = predict(context, eta, theta, state);
  state.points.append(eta, theta, predicted.x);
  return predicted;
}

Verdict check_feasibility(const Context& context, CollocationState& state) {
  if (!context.constraints) return Verdict::go_on;
  Points& points = state.points;
  const Index q = points.x.cols();
  std::vector<Index> left_out;
  for (Index i = 0; i < points.size(); ++i) {
    if (points.value.row(i).allFinite()) continue;
    const Vector theta = points.theta.row(i).transpose();
    const Projection found =
        project(*context.constraints, theta, Matrix::Identity(q, q), context.oracle.facts().start);
    if (found.outcome == QuadraticSolution::Outcome::solved) {
      points.value.row(i) = points.x.row(i) = found.x.transpose();
    } else if (may_leave_out(context, i, static_cast<Index>(left_out.size()), state)) {
      left_out.push_back(i);
    } else {
      return stop_infeasible(context, theta, state);
    }
  }
  leave_out(left_out, state);
  return Verdict::go_on;
}

Verdict evaluate_points(const Context& context, CollocationState& state) {
  Points& points = state.points;
  if (check_feasibility(context, state) == Verdict::stop) return Verdict::stop;
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
    points.value.row(i) =
        feasible(context, points.theta.row(i),
                 points.value.row(nearest(points, points.eta.row(i), known)), state);
    points.evaluated[point] = 0;
    points.trouble[point] = Trouble::none;
  }
  if (!bad.empty()) {
    const PointReport report = evaluate(context.gradient, known, points, context.executor);
    if (note_report(context, report, state) == Verdict::stop) return Verdict::stop;
  }
  return rescue(context, state);
}

void choose_accuracy(const CollocationTuning& tuning, CollocationState& state) {
  if (state.stage == 1) return;
  const double error = std::sqrt(state.error.squared);
  if (error > tuning.stagnation * state.error_before) state.error_to_match *= tuning.tightening;
  state.error_to_match = std::min(state.error_to_match, error);
  state.error_before = error;
}

void learn_curvature(const Context& context, CollocationState& state) {
  if (!context.constraints)
    return state.model.fit(state.run.basis, state.run.u, state.points,
                           context.oracle.facts().operations);
  LearntMetric learnt =
      learn_metric({.oracle = context.oracle,
                    .tuning = context.tuning,
                    .mean = state.model.mean(),
                    .basis = state.run.basis,
                    .u = state.run.u,
                    .points = state.points,
                    .proximal = state.proximal,
                    .enough = context.tuning.metric_enough * target(context, state) /
                              std::max(state.norm, 1e-300)},
                   state.metric, state.hessians);
  state.metric = std::move(learnt.best);
  state.other_metrics = std::move(learnt.others);
  state.run.hessians = state.hessians.evaluations;
}

std::optional<double> polish_points(const Context& context, CollocationState& state) {
  const CollocationTuning& tuning = context.tuning;
  Points& points = state.points;
  if (evaluate_points(context, state) == Verdict::stop) return {};
  const auto n = static_cast<double>(points.size());
  if (!std::isfinite(state.error.squared)) {  // nothing measured yet: the size of the first steps
    const Matrix steps = next_steps(context, {0, points.size()}, state);
    state.error.squared = steps.squaredNorm() / n / tuning.first_step_squares;
  }
  if (state.stage == 1) state.error_to_match = std::sqrt(state.error.squared);
  const double tolerance =
      tuning.accuracy *
      std::max(state.error_to_match, tuning.accuracy_floor * target(context, state));
  PointReport report;
  if (!state.contraction) {
    const PointRange pilot{0, std::min(tuning.pilot_points, points.size())};
    if (polish_range(context, pilot, tolerance, 1, state, report) == Verdict::stop) return {};
  }
  const Index probe_every = state.contraction.value_or(1) <= tuning.tiny_ratio
                                ? tuning.probe_every_tiny
                                : tuning.probe_every;
  if (polish_range(context, {0, points.size()}, tolerance, probe_every, state, report) ==
      Verdict::stop)
    return {};
  return std::sqrt(report.remaining_squares / static_cast<double>(points.size()));
}

Verdict polish_range(const Context& context, PointRange range, double tolerance, Index probe_every,
                     CollocationState& state, PointReport& report) {
  const std::int64_t most = context.options.max_gradients;
  const auto left = static_cast<double>(most - state.run.gradients);
  const std::optional<PointConstraints> constraints = point_constraints(context, state);
  report = polish(context.gradient, state.model,
                  {.tolerance = tolerance,
                   .contraction = state.contraction,
                   .probe_every = probe_every,
                   .most_steps = context.pointwise.most_steps,
                   .budget = left / static_cast<double>(range.count),
                   .runaway_norm = state.runaway_norm,
                   .constraints = constraints ? &*constraints : nullptr,
                   .tuning = context.pointwise},
                  range, state.points, context.executor);
  state.contraction = learn_contraction(context.tuning, report, state.contraction);
  if (note_report(context, report, state) == Verdict::stop) return Verdict::stop;
  if (!report.out_of_budget) return rescue(context, state);
  return stop(Status::out_of_gradients,
              fmt::format("max_gradients = {} do not suffice for stage {}", most, state.stage),
              state);
}

bool doubt_outliers(const CollocationTuning& tuning, const Vector& squares, Points& points) {
  const double limit = tuning.outlier * squares.mean();
  bool found = false;
  for (Index i = 0; i < squares.size(); ++i) {
    const auto point = static_cast<std::size_t>(i);
    if (points.doubts[point] >= tuning.most_doubts || !(squares(i) > limit)) continue;
    points.ratios[point] = Points::doubted;
    ++points.doubts[point];
    found = true;
  }
  return found;
}

double unsolved_squares(const Context& context, CollocationState& state) {
  if (context.constraints) return 0;
  const Points& points = state.points;
  Matrix steps(points.size(), points.g.cols()), g(block_size, points.g.cols());
  for (Index first = 0; first < points.size(); first += block_size) {
    const Index n = std::min(block_size, points.size() - first);
    context.gradient.call(points.value.middleRows(first, n), points.theta.middleRows(first, n),
                          g.topRows(n));
    state.model.apply(points.eta.middleRows(first, n), g.topRows(n), steps.middleRows(first, n));
  }
  state.run.test_gradients += points.size() * context.gradient.draws;
  return steps.squaredNorm() / static_cast<double>(points.size());
}

bool doubt_solutions(const Context& context, CollocationState& state) {
  Points& points = state.points;
  const Vector& squares = state.error.squares;
  if (!context.oracle.has_value() || context.constraints) return false;
  const double limit = context.tuning.outlier * squares.mean();
  Matrix step(1, points.g.cols());
  bool found = false;
  for (Index i = 0; i < squares.size(); ++i) {
    const auto point = static_cast<std::size_t>(i);
    if (points.doubts[point] != context.tuning.most_doubts || !(squares(i) > limit)) continue;
    state.model.apply(points.eta.row(i), points.g.row(i), step);
    if (!(step.squaredNorm() > context.tuning.unsolved_share * squares(i))) continue;
    points.trouble[point] = Trouble::unsolved;
    ++points.doubts[point];  // the last time
    found = true;
  }
  return found;
}

}  // namespace chaosgrad::internal::collocation
