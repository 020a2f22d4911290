#include "solve/collocation/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "solve/collocation/context.h"
#include "solve/collocation/design.h"
#include "solve/common/saved_state.h"

namespace chaosgrad::internal::collocation {

namespace {

// At the beginning of a stage the metric is that of the last fit.
void save_lift(const CollocationState& state, SolverState& saved) {
  const Lift& lift = *state.run.lift;
  SolverState metric;
  internal::save(lift.basis().indices(), metric);
  saved.integers["metric_indices"] = metric.integers["indices"];
  saved.arrays["metric_factor"] = lift.factor();
  saved.integers["hessian_points"].assign(state.hessians.points.begin(),
                                          state.hessians.points.end());
  saved.arrays["hessian_entries"] = state.hessians.entries;
  if (state.hessians.quadratic) saved.set_integer("quadratic", *state.hessians.quadratic ? 1 : 0);
  saved.set_number("norm", state.norm);
}

void restore_lift(const SolverState& saved, const std::shared_ptr<const Constraints>& constraints,
                  CollocationState& state) {
  SolverState metric;
  metric.integers["indices"] = saved.integer_list("metric_indices");
  metric.set_integer("dimension", saved.integer("dimension"));
  state.metric = std::make_shared<Lift>(constraints,
                                        Basis(state.run.basis.families(), restore_indices(metric)),
                                        saved.array("metric_factor"));
  state.run.lift = state.metric;
  const std::vector<std::int64_t>& points = saved.integer_list("hessian_points");
  state.hessians = {{points.begin(), points.end()}, saved.array("hessian_entries")};
  if (saved.integers.contains("quadratic"))
    state.hessians.quadratic = saved.integer("quadratic") == 1;
  state.norm = saved.number("norm");
}

}  // namespace

// All that the stage to come rests on. A run that ends within a stage resumes at its beginning.
void save(const Design& design, CollocationState& state) {
  SolverState& saved = state.run.state;
  const StageError& error = state.error;
  saved.set_integer("stage", state.stage);
  saved.set_integer("gradients", state.run.gradients);
  saved.arrays["u"] = state.run.u;
  internal::save(state.run.basis.indices(), saved);
  internal::save(state.points, saved);
  internal::save(state.model.mean(), saved);
  internal::save(state.curvature, saved);
  saved.set_number("contraction", state.contraction.value_or(1));
  saved.set_number("level", state.error_to_match);
  saved.set_number("error_before", state.error_before);
  saved.set_number("far", state.runaway_norm);
  saved.set_integer("looks", state.looks);
  saved.set_integer("test_gradients", state.run.test_gradients);
  saved.texts["outside"] = state.outside;
  saved.arrays["error"].resize(1, 5);
  saved.arrays["error"] << error.squared, error.upper, error.basis, error.sampling,
      error.optimisation;
  saved.set_number("limit_before", error.limit);
  saved.arrays["error_components"] = error.components.transpose();
  if (state.run.lift) save_lift(state, saved);
  design.save(saved);
}

void restore(const Context& context, const Solution& before, Design& design,
             CollocationState& state) {
  const SolverState& saved = before.state;
  state.stage = restore_stages(before, state.run);
  state.run.u = saved.array("u");
  state.run.basis = Basis(state.run.basis.families(), restore_indices(saved));
  state.points = restore_points(saved);
  state.model = InverseModel(restore_curvature(saved), context.tuning);
  state.curvature = restore_seen(saved);
  const double contraction = saved.number("contraction");
  if (contraction < 1) state.contraction = contraction;
  state.error_to_match = saved.number("level");
  state.error_before = saved.number("error_before");
  state.runaway_norm = saved.number("far");
  state.looks = saved.integer("looks");
  state.run.test_gradients = saved.integer("test_gradients");
  state.outside = saved.text("outside");
  const Coefficients& error = saved.array("error");
  state.error = {
      .squares = {},
      .squared = error(0),
      .limit = saved.arrays.contains("limit_before") ? saved.number("limit_before") : infinity,
      .upper = error(1),
      .basis = error(2),
      .sampling = error(3),
      .optimisation = error(4),
      .components = saved.array("error_components").transpose()};
  if (context.constraints) restore_lift(saved, context.oracle.facts().constraints, state);
  design.restore(saved);
}

double target(const Context& context, const CollocationState& state) {
  return absolute_tolerance(context.options, context.constraints ? state.norm : state.run.u.norm());
}

Verdict stop(Status status, std::string reason, CollocationState& state) {
  state.run.status = status;
  state.run.stop_reason = std::move(reason);
  return Verdict::stop;
}

Verdict may_evaluate(const Context& context, Index points, CollocationState& state) {
  const bool may =
      context.monitor.may_continue(state.stage, points * context.gradient.draws, state.run);
  return may ? Verdict::go_on : Verdict::stop;
}

Verdict note_report(const Context& context, const PointReport& report, CollocationState& state) {
  state.run.gradients += report.gradients;
  if (report.infeasible_theta)
    return stop_infeasible(context, *report.infeasible_theta, report.violated, state);
  const auto at = [&](const Vector& theta) { return "at " + place(context.oracle.facts(), theta); };
  if (report.lowest_theta.size() > 0) {
    state.curvature.see_lowest(report.lowest_curvature, at(report.lowest_theta));
    state.curvature.see_highest(report.highest_curvature, at(report.highest_theta));
  }
  // Where F has values the points in trouble are solved again, and only their optima count.
  if (context.oracle.has_value() || report.negative_theta.size() == 0) return Verdict::go_on;
  state.curvature.see_lowest(report.negative_curvature, at(report.negative_theta));
  return fails_convexity(state.curvature, state.run) ? Verdict::stop : Verdict::go_on;
}

}  // namespace chaosgrad::internal::collocation
