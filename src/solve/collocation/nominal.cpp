#include "solve/collocation/nominal.h"

#include "constraint/metric_factor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/decompositions.h"
#include "random/random.h"
#include "solve/collocation/lifted.h"
#include "solve/collocation/rescue.h"

namespace chaosgrad::internal::collocation {
namespace {

// The Hessian at the nominal point, whose gradient is known: exact, or by differences.
Curvature hessian_at(const Context& context, const Points& nominal, CollocationState& state) {
  const Matrix theta = nominal.theta;
  const Vector centre = nominal.x.row(0).transpose();
  const Index q = centre.size();
  if (context.oracle.has_hessian() && q <= dense_limit) {
    state.run.gradients += q * context.gradient.draws;
    return decompose(point_function(context.oracle, theta.row(0).transpose()).hessian(centre));
  }
  const auto gradient = [&](const Vector& x) -> Vector {
    if (x == centre) return nominal.g.row(0).transpose();
    Matrix g(1, x.size());
    context.gradient.call(x.transpose(), theta, g);
    state.run.gradients += context.gradient.draws;
    return g.row(0).transpose();
  };
  return measure_curvature(gradient, centre, false,
                           make_stream(context.options.seed, Purpose::krylov));
}

bool is_singular(const Matrix& metric, double floor) {
  const Vector eigenvalues = eigenvalues_in_own_units(metric);
  return std::abs(eigenvalues(0)) <= floor * eigenvalues.cwiseAbs().maxCoeff();
}

Verdict measure_hessian(const Context& context, const Points& nominal, CollocationState& state) {
  const CollocationTuning& tuning = context.tuning;
  Curvature curvature = hessian_at(context, nominal, state);
  curvature.eigenvalues.array() += state.proximal;
  if (!curvature.eigenvalues.allFinite())
    return stop(Status::bad_gradient, "the gradient is not finite near the start", state);
  const std::string where = "at " + place(context.oracle.facts(), nominal.theta.row(0).transpose());
  // Under constraints f may be flat along what they exclude.
  const double flat = context.constraints ? tuning.metric_floor * curvature.highest() : 0;
  Matrix metric;
  if (context.constraints)
    metric = with_equalities(curvature.matrix(), *context.constraints, nominal.x.row(0).transpose(),
                             nominal.theta.row(0).transpose());
  const bool singular = context.constraints && is_singular(metric, tuning.metric_floor);
  if (singular && context.oracle.has_value())  // descend_safely() finds a metric
    return stop(Status::not_strongly_convex, "the objective is flat " + where, state);
  state.curvature.see_lowest(std::max(curvature.lowest(), flat), where);
  state.curvature.see_highest(curvature.highest(), where);
  const bool concave = context.constraints && curvature.lowest() < -flat;
  if (concave) state.curvature.see_lowest(curvature.lowest(), where);
  if (fails_as_gradient(curvature, tuning.asymmetry_limit, state.run) ||
      fails_convexity(state.curvature, state.run))
    return Verdict::stop;
  if (context.constraints)
    state.metric = constant_metric(context.oracle.facts().constraints, state.run.basis.families(),
                                   metric, tuning);
  state.model = InverseModel(std::move(curvature), tuning);
  return Verdict::go_on;
}

// What a descent from a point showed, over |first step|: |second step|, |way|, and |way − first step|.
struct Descent {
  double ratio = 0, covered = 1, missed = 0;
};

Verdict evaluate_and_measure(const Context& context, CollocationState& state, Points& nominal) {
  const PointReport report = evaluate(context.gradient, 0, nominal, context.executor);
  if (note_report(context, report, state) == Verdict::stop) return Verdict::stop;
  if (report.nonfinite_theta)
    return stop(Status::bad_gradient,
                "the gradient is not finite at the start, " +
                    place(context.oracle.facts(), *report.nonfinite_theta),
                state);
  return measure_hessian(context, nominal, state);
}

// Quasi-Newton steps from where the point is, with the Hessian there.
Verdict descend_once(const Context& context, CollocationState& state, Points& nominal,
                     Descent& descent) {
  const CollocationTuning& tuning = context.tuning;
  if (evaluate_and_measure(context, state, nominal) == Verdict::stop) return Verdict::stop;
  state.points = nominal;
  const Matrix from = nominal.x;
  const Matrix step = next_steps(context, {0, 1}, state);
  const double first_step = step.norm();
  const std::optional<PointConstraints> constraints = point_constraints(context, state);
  state.runaway_norm = tuning.runaway * (1 + nominal.x.norm() + first_step);
  const PointReport report = polish(context.gradient, state.model,
                                    {.tolerance = tuning.nominal_accuracy * first_step,
                                     .most_steps = context.pointwise.most_steps,
                                     .runaway_norm = state.runaway_norm,
                                     .constraints = constraints ? &*constraints : nullptr,
                                     .tuning = context.pointwise},
                                    {0, 1}, nominal, context.executor);
  if (note_report(context, report, state) == Verdict::stop) return Verdict::stop;
  if (report.runaway_theta)
    return stop(Status::diverged,
                fmt::format("the iterates run away at {} (to {}): has the objective a minimum "
                            "there?",
                            place(context.oracle.facts(), *report.runaway_theta),
                            describe(context.oracle.facts(), nominal.x.row(0).transpose())),
                state);
  if (report.nonfinite_theta)
    return stop(Status::bad_gradient,
                "the gradient is not finite at " +
                    place(context.oracle.facts(), *report.nonfinite_theta) + ", " +
                    describe(context.oracle.facts(), report.nonfinite_x),
                state);
  const Matrix way = nominal.value - from;
  descent = {.ratio = report.ratio()};
  if (first_step > 0) {
    descent.covered = way.norm() / first_step;
    descent.missed = (way - step).norm() / first_step;
  }
  return Verdict::go_on;
}

// From the start, by gradients alone: enough for most problems. Where the first step was far longer
// than the way that was gone, the Hessian at its beginning was not that of the way (F may be nearly
// flat there), and what is left says nothing: once more from the end.
Verdict descend_quickly(const Context& context, CollocationState& state, Points& nominal) {
  const CollocationTuning& tuning = context.tuning;
  const auto forget = [&] {
    nominal.x = nominal.value;
    nominal.evaluated[0] = 0;
  };
  Descent descent;
  for (Index round = 0; round < tuning.nominal_rounds; ++round) {
    if (round > 0) forget();
    if (descend_once(context, state, nominal, descent) == Verdict::stop) return Verdict::stop;
    if (nominal.trouble[0] != Trouble::none || descent.covered > tuning.least_covered) break;
  }
  if (std::max(descent.ratio, descent.missed) <= tuning.nominal_ratio) return Verdict::go_on;
  forget();  // not quadratic: the Hessian differs here
  return evaluate_and_measure(context, state, nominal);
}

// From values, from any start in the domain.
Verdict descend_safely(const Context& context, CollocationState& state, Points& nominal) {
  const Vector theta = nominal.theta.row(0).transpose();
  const Minimum found = find_minimum(context, theta, {context.oracle.facts().start});
  state.run.gradients += found.gradients;
  if (found.outcome != Minimum::Outcome::found)
    return stop_without_minimum(context, theta, found, state);
  state.proximal = found.proximal;
  nominal.x = nominal.value = found.x.transpose();
  nominal.g = found.gradient.transpose();
  if (context.constraints) nominal.force = found.force.transpose();
  nominal.evaluated[0] = 1;
  nominal.ratios[0] = Points::least_ratio;
  nominal.secants[0].clear();
  nominal.trouble[0] = Trouble::none;
  state.runaway_norm =
      context.tuning.runaway * (1 + context.oracle.facts().start.norm() + found.x.norm());
  return measure_hessian(context, nominal, state);
}

// The start, projected on C.
Verdict enter_constraints(const Context& context, CollocationState& state, Points& nominal) {
  const Index q = nominal.x.cols();
  const Vector theta = nominal.theta.row(0).transpose();
  const Projection start =
      project(*context.constraints, theta, Matrix::Identity(q, q), nominal.x.row(0).transpose());
  if (start.outcome != QuadraticSolution::Outcome::solved)
    return stop_infeasible(context, theta, state);
  nominal.x = nominal.value = start.x.transpose();
  return Verdict::go_on;
}

// y at the nominal point is the first expansion.
void expand_nominal(const Context& context, const Points& nominal, CollocationState& state) {
  state.norm = nominal.value.norm();
  state.points = nominal;
  state.run.u = lifted_values(context, state.metric.get(), state);
  state.run.lift = state.metric;
  state.points = {};
}

// The optimum at the quantiles of this level, from the start.
Verdict solve_nominal_at(const Context& context, double level, CollocationState& state,
                         Points& nominal) {
  const Measure& measure = context.oracle.parameters();
  Matrix eta = Matrix::Constant(1, measure.dimension(), level);
  measure.germ_from_uniform(eta, eta);
  nominal = {};
  nominal.append(eta, context.sampler.parameters(eta), context.oracle.facts().start.transpose());
  if (context.constraints && enter_constraints(context, state, nominal) == Verdict::stop)
    return Verdict::stop;
  CollocationState quick = state;
  Verdict verdict = descend_quickly(context, quick, nominal);
  const bool trouble = verdict == Verdict::stop || nominal.trouble[0] != Trouble::none;
  if (trouble && context.oracle.has_value()) {
    state.run.gradients = quick.run.gradients;
    verdict = descend_safely(context, state, nominal);
  } else {
    state = std::move(quick);
    nominal.trouble[0] = Trouble::none;
  }
  state.points = {};
  if (verdict == Verdict::stop) return verdict;
  state.run.u = nominal.value;
  if (context.constraints) expand_nominal(context, nominal, state);
  return verdict;
}

}  // namespace

Verdict solve_nominal(const Context& context, CollocationState& state, Points& nominal) {
  const CollocationState before = state;
  // Where the gradient may fail it may fail at the median.
  for (const double level : {0.5, 0.45, 0.55, 0.4, 0.6}) {
    const Verdict verdict = solve_nominal_at(context, level, state, nominal);
    const bool failed = verdict == Verdict::stop && (state.run.status == Status::bad_gradient ||
                                                     state.run.status == Status::outside_domain);
    if (!failed || !context.oracle.facts().may_fail || level == 0.6) return verdict;
    const std::int64_t gradients = state.run.gradients;
    state = before;
    state.run.gradients = gradients;
  }
  return Verdict::stop;
}

}  // namespace chaosgrad::internal::collocation
