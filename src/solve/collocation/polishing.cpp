#include "solve/collocation/polishing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/collocation/point_starts.h"
#include "solve/collocation/rescue.h"

namespace chaosgrad::internal::collocation {
namespace {

// |step|/|step before| that new points can be trusted with after one step, given what it was before
// and what the points of the report have shown; empty if with none.
std::optional<double> learn_contraction(const CollocationTuning& tuning, const PointReport& report,
                                        std::optional<double> before) {
  double worst = report.worst_ratio;
  if (report.ratios < tuning.enough_ratios) {
    const bool clearly_tiny = report.ratios >= tuning.few_ratios && worst <= tuning.tiny_ratio;
    if (!before && !clearly_tiny) return {};
    if (before) worst = std::max(worst, *before);
  }
  return worst <= tuning.trusted_ratio ? std::optional(worst) : std::nullopt;
}

}  // namespace

void choose_accuracy(const CollocationTuning& tuning, CollocationState& state) {
  if (state.stage == 1) return;
  const double error = std::sqrt(state.error.squared);
  if (error > tuning.stagnation * state.error_before) state.error_to_match *= tuning.tightening;
  state.error_to_match = std::min(state.error_to_match, error);
  state.error_before = error;
}

std::optional<double> polish_points(const Context& context, CollocationState& state) {
  const CollocationTuning& tuning = context.tuning;
  Points& points = state.points;
  if (state.stage > 1)
    state.model.fit(state.run.basis, state.run.u, points, context.oracle.facts().operations);
  if (evaluate_points(context, state) == Verdict::stop) return {};
  const auto n = static_cast<double>(points.size());
  if (!std::isfinite(state.error.squared)) {  // nothing measured yet: the size of the first steps
    Matrix steps(points.size(), points.x.cols());
    state.model.apply(points.eta, points.g, steps);
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
  return std::sqrt(report.remaining_squares / n);
}

Verdict polish_range(const Context& context, PointRange range, double tolerance, Index probe_every,
                     CollocationState& state, PointReport& report) {
  const std::int64_t most = context.options.max_gradients;
  const auto left = static_cast<double>(most - state.run.gradients);
  report = polish(context.gradient, state.model,
                  {.tolerance = tolerance,
                   .contraction = state.contraction,
                   .probe_every = probe_every,
                   .most_steps = context.pointwise.most_steps,
                   .budget = left / static_cast<double>(range.count),
                   .runaway_norm = state.runaway_norm,
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

}  // namespace chaosgrad::internal::collocation
