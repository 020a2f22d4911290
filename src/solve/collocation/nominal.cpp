#include "solve/collocation/nominal.h"

#include "random/random.h"

namespace chaosgrad::internal::collocation {
namespace {

// The Hessian at the nominal point, whose gradient is known.
Verdict measure_hessian(const Context& context, const Points& nominal, CollocationState& state) {
  const CollocationTuning& tuning = context.tuning;
  const Matrix theta = nominal.theta;
  const Vector centre = nominal.x.row(0).transpose();
  const auto gradient = [&](const Vector& x) -> Vector {
    if (x == centre) return nominal.g.row(0).transpose();
    Matrix g(1, x.size());
    context.gradient.call(x.transpose(), theta, g);
    state.run.gradients += context.gradient.draws;
    return g.row(0).transpose();
  };
  Curvature curvature = measure_curvature(gradient, centre, false,
                                          make_stream(context.options.seed, Purpose::krylov));
  if (!curvature.eigenvalues.allFinite())
    return stop(Status::bad_gradient, "the gradient is not finite near the start", state);
  const std::string where = "at " + place(context.oracle.facts(), theta.row(0).transpose());
  state.curvature.see_lowest(curvature.lowest(), where);
  state.curvature.see_highest(curvature.highest(), where);
  if (fails_as_gradient(curvature, tuning.asymmetry_limit, state.run) ||
      fails_convexity(state.curvature, state.run))
    return Verdict::stop;
  state.model = InverseModel(std::move(curvature), tuning);
  return Verdict::go_on;
}

Verdict evaluate_and_measure(const Context& context, CollocationState& state, Points& nominal) {
  const PointReport report = evaluate(context.gradient, 0, nominal, context.executor);
  if (note_report(context, report, state) == Verdict::stop) return Verdict::stop;
  return measure_hessian(context, nominal, state);
}

}  // namespace

Verdict solve_nominal(const Context& context, CollocationState& state, Points& nominal) {
  const CollocationTuning& tuning = context.tuning;
  const Measure& measure = context.oracle.parameters();
  Matrix eta = Matrix::Constant(1, measure.dimension(), 0.5);
  measure.germ_from_uniform(eta, eta);
  nominal = {};
  nominal.append(eta, context.sampler.parameters(eta), context.oracle.facts().start.transpose());
  if (evaluate_and_measure(context, state, nominal) == Verdict::stop) return Verdict::stop;
  const double first_step = state.model.mean().solve(nominal.g).norm();
  state.runaway_norm = tuning.runaway * (1 + nominal.x.norm() + first_step);
  const PointReport report = polish(context.gradient, state.model,
                                    {.tolerance = tuning.nominal_accuracy * first_step,
                                     .most_steps = context.pointwise.most_steps,
                                     .runaway_norm = state.runaway_norm,
                                     .tuning = context.pointwise},
                                    {0, 1}, nominal, context.executor);
  if (note_report(context, report, state) == Verdict::stop) return Verdict::stop;
  if (report.worst_ratio > tuning.nominal_ratio) {  // not quadratic: the Hessian differs here
    nominal.x = nominal.value;
    nominal.evaluated[0] = 0;
    if (evaluate_and_measure(context, state, nominal) == Verdict::stop) return Verdict::stop;
  }
  state.run.u = nominal.value;
  return Verdict::go_on;
}

}  // namespace chaosgrad::internal::collocation
