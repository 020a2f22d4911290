#include "solve/collocation/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "solve/collocation/context.h"
#include "solve/collocation/design/design.h"
#include "solve/common/saved_state.h"

namespace chaosgrad::internal::collocation {

namespace {

void save(const Lift& lift, const std::string& name, SolverState& saved) {
  SolverState part;
  internal::save(lift.basis().indices(), part);
  saved.integers[name + "_indices"] = part.integers["indices"];
  saved.arrays[name + "_factor"] = lift.factor();
}

std::shared_ptr<const Lift> restored_lift(const SolverState& saved, const std::string& name,
                                          const std::shared_ptr<const Constraints>& constraints,
                                          const std::vector<Family>& families) {
  SolverState part;
  part.integers["indices"] = saved.integer_list(name + "_indices");
  part.set_integer("dimension", saved.integer("dimension"));
  return std::make_shared<Lift>(constraints, Basis(families, restore_indices(part)),
                                saved.array(name + "_factor"));
}

// The lift of the last fit, and the metric of the steps if it is another one.
void save_lift(const CollocationState& state, SolverState& saved) {
  save(*state.run.lift, "lift", saved);
  saved.integers.erase("metric_indices");
  saved.arrays.erase("metric_factor");
  if (state.metric != state.run.lift) save(*state.metric, "metric", saved);
  saved.integers["hessian_points"].assign(state.hessians.points.begin(),
                                          state.hessians.points.end());
  saved.arrays["hessian_entries"] = state.hessians.entries;
  saved.set_integer("hessian_evaluations", state.hessians.evaluations);
  if (state.hessians.quadratic) saved.set_integer("quadratic", *state.hessians.quadratic ? 1 : 0);
  saved.set_number("norm", state.norm);
  saved.set_number("proximal", state.proximal);
}

void restore_lift(const SolverState& saved, const std::shared_ptr<const Constraints>& constraints,
                  CollocationState& state) {
  const std::vector<Family>& families = state.run.basis.families();
  state.metric = state.run.lift = restored_lift(saved, "lift", constraints, families);
  if (saved.arrays.contains("metric_factor"))
    state.metric = restored_lift(saved, "metric", constraints, families);
  const std::vector<std::int64_t>& points = saved.integer_list("hessian_points");
  state.hessians = {{points.begin(), points.end()}, saved.array("hessian_entries")};
  state.hessians.evaluations = state.run.hessians = saved.integer("hessian_evaluations");
  if (saved.integers.contains("quadratic"))
    state.hessians.quadratic = saved.integer("quadratic") == 1;
  state.norm = saved.number("norm");
  state.proximal = saved.number("proximal");
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
  saved.set_integer("left_out", state.left_out);
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
  state.left_out = saved.integer("left_out");
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

namespace {

// Which germs and functions a basis has: samples from induced densities are samples for no other.
std::string families_text(const Basis& basis) {
  std::string text;
  for (const Family& family : basis.families())
    text += fmt::format("{} {};", family.distribution().name(), static_cast<int>(family.kind()));
  return text;
}

// The points of an earlier run that it did not draw from π: they are recognised by their germs, which
// are a pure function of its seed.
std::vector<Index> not_from_measure(const Solution& earlier, const SolverState& saved,
                                    const Points& points) {
  const MixtureSampler sampler(earlier.expansion.measure(), earlier.options.seed);
  const Matrix drawn = sampler.from_measure(0, saved.integer("from_measure"));
  std::set<std::vector<double>> rows;
  const auto row_of = [](const Matrix& matrix, Index i) {
    const Vector row = matrix.row(i).transpose();
    return std::vector<double>(row.begin(), row.end());
  };
  for (Index i = 0; i < drawn.rows(); ++i) rows.insert(row_of(drawn, i));
  std::vector<Index> others;
  for (Index i = 0; i < points.size(); ++i) {
    if (!rows.contains(row_of(points.eta, i))) others.push_back(i);
  }
  return others;
}

}  // namespace

void save_optima(const Design& design, CollocationState& state) {
  SolverState last;
  internal::save(state.run.basis.indices(), last);
  internal::save(state.points, last);
  design.save(last);
  SolverState& saved = state.run.state;
  for (auto& [name, values] : last.arrays) saved.arrays["optima_" + name] = std::move(values);
  for (auto& [name, values] : last.integers) saved.integers["optima_" + name] = std::move(values);
  saved.texts["optima_families"] = families_text(state.run.basis);
}

void take_over(const Context& context, const Solution& earlier, Design& design,
               CollocationState& state) {
  const std::string prefix = "optima_";
  if (!earlier.state.texts.contains(prefix + "families")) return;  // another method: no optima
  SolverState saved;
  for (const auto& [name, values] : earlier.state.arrays) {
    if (name.starts_with(prefix)) saved.arrays[name.substr(prefix.size())] = values;
  }
  for (const auto& [name, values] : earlier.state.integers) {
    if (name.starts_with(prefix)) saved.integers[name.substr(prefix.size())] = values;
  }
  Points points = restore_points(saved);
  const bool same = earlier.state.text(prefix + "families") == families_text(state.run.basis);
  if (same) {
    state.run.basis = Basis(state.run.basis.families(), restore_indices(saved));
  } else {
    if (!design.takes_any()) points.remove(not_from_measure(earlier, saved, points));
    context.oracle.parameters().germ_from_parameters(points.theta, points.eta);
    points.skipped.resize(0, 0);
  }
  if (points.size() == 0) return;
  design.take_over(saved, points.size(), same);
  state.points = std::move(points);
  // Its points are as accurate as it needed them; they are not solved again for less.
  const double contraction = earlier.state.number("contraction");
  if (contraction < 1) state.contraction = contraction;
  if (earlier.error.estimate) state.error.squared = std::pow(*earlier.error.estimate, 2);
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
  if (report.infeasible_theta) return stop_infeasible(context, *report.infeasible_theta, state);
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
