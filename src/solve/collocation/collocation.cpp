// Deterministic gradients: separate optimisations at samples of θ, started from the expansion
// fitted so far, and weighted least squares through their results. Samples, basis and accuracy grow
// together until the error, measured on samples that the fit has not seen, is below the tolerance.
// The numbers in the margin are the lines of Algorithm 1 in docs/algorithms.md.
#include "solve/collocation/collocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "solve/collocation/confirm.h"
#include "solve/collocation/context.h"
#include "solve/collocation/design/design.h"
#include "solve/collocation/design/line_strategy.h"
#include "solve/collocation/design/mixture_strategy.h"
#include "solve/collocation/judge.h"
#include "solve/collocation/lifted.h"
#include "solve/collocation/nominal.h"
#include "solve/collocation/polishing.h"
#include "solve/collocation/rescue.h"
#include "solve/collocation/skipped.h"

namespace chaosgrad::internal {
namespace collocation {
namespace {

Context make_context(const Oracle& oracle, const Options& options, Monitor& monitor,
                     Executor& executor, const CollocationTuning& tuning,
                     const PointwiseTuning& pointwise) {
  return {.oracle = oracle,
          .options = options,
          .tuning = tuning,
          .pointwise = pointwise,
          .monitor = monitor,
          .executor = executor,
          .gradient = {[&oracle](Block x, Block theta, BlockOut g) {
                         oracle.gradient(x, theta, Matrix(x.rows(), 0), g);
                       },
                       oracle.facts().draws, oracle.facts().batch, oracle.facts().calls},
          .sampler = MixtureSampler(oracle.parameters(), options.seed),
          .validation = Validation(oracle, options.seed),
          .constraints = oracle.facts().constraints.get()};
}

std::unique_ptr<Design> make_design(const Context& context, const std::vector<Family>& families) {
  const Options& options = context.options;
  if (families.size() == 1) {
    return std::make_unique<LineStrategy>(families[0], context.sampler, options.seed,
                                          context.tuning);
  }
  return std::make_unique<MixtureStrategy>(families, index_order(options.indices), context.sampler,
                                           context.tuning);
}

Verdict start(const Context& context, Design& design, CollocationState& state) {
  if (context.options.resume) {
    restore(context, *context.options.resume, design, state);
    return Verdict::go_on;
  }
  Points nominal;
  if (solve_nominal(context, state, nominal) == Verdict::stop) return Verdict::stop;
  state.run.basis = design.first_basis();
  if (design.keeps_nominal()) state.points = std::move(nominal);
  if (context.options.earlier) take_over(context, *context.options.earlier, design, state);
  return Verdict::go_on;
}

void add_samples(const Context& context, Design& design, CollocationState& state) {
  for (const Matrix& eta : design.next(state.points, state.run.basis)) append(context, eta, state);
}

// ‖x‖_π from the points.
double norm_of_points(const Fit& fit, const Points& points) {
  return std::sqrt(fit.weights.dot(points.value.rowwise().squaredNorm()) /
                   static_cast<double>(points.size()));
}

Fit fit_points(const Context& context, Design& design, const Lift* lift,
               const CollocationState& state) {
  const Matrix lifted = lifted_values(context, lift, state);
  return design.fit(state.points, targets(context, lift, lifted, state), state.run.basis,
                    context.executor);
}

// Sets run.lift to the one with which points that are left out are predicted best.
Fit fit_with_best_lift(const Context& context, Design& design, CollocationState& state) {
  if (!context.constraints) return fit_points(context, design, nullptr, state);
  std::optional<Fit> best;
  std::shared_ptr<const Lift> chosen;
  for (const LiftCandidate& candidate : lift_candidates(context, state)) {
    Fit fit = fit_points(context, design, candidate.lift.get(), state);
    if (best && !(fit.limit_squares.mean() < candidate.advantage * best->limit_squares.mean()))
      continue;
    best = std::move(fit);
    chosen = candidate.lift;
    if (!best->determined) break;
  }
  state.run.lift = std::move(chosen);
  return std::move(*best);
}

// Points times functions: a fit takes at least in proportion.
double fit_size(const CollocationState& state) {
  return static_cast<double>(state.points.size()) * static_cast<double>(state.run.basis.size());
}

// A fit is given up between its parts only, of which one may take long.
bool may_fit(const Context& context, CollocationState& state) {
  return context.monitor.has_time(state.fit_pace * fit_size(state), state.stage, state.run);
}

Fit timed_fit(const Context& context, Design& design, CollocationState& state) {
  const double size = fit_size(state), before = context.monitor.seconds();
  Fit fit = fit_with_best_lift(context, design, state);
  state.fit_pace = (context.monitor.seconds() - before) / size;
  return fit;
}

// Polishes all points and fits the expansion to them, with more samples where they do not determine
// it. Sets basis, u and error. Empty if the run is over.
std::optional<Fit> polish_and_fit(const Context& context, Design& design, CollocationState& state) {
  for (;;) {
    const std::optional<double> lacking = polish_points(context, state);
    if (!lacking) return {};
    if (!may_fit(context, state)) return {};
    Fit fit = timed_fit(context, design, state);
    if (fit.determined) {
      state.run.basis = fit.basis;
      state.run.u = fit.u;
      if (context.constraints) state.norm = norm_of_points(fit, state.points);
      state.error = measure_error(fit, *lacking, state.error, context.options.confidence);
      return fit;
    }
    if (!design.ask_for_samples()) {
      (void)stop(Status::stalled, "the samples do not determine the coefficients", state);
      return {};
    }
    add_samples(context, design, state);
  }
}

void record(const Context& context, CollocationState& state) {
  const auto n = static_cast<double>(state.points.size());
  IterationRecord stage{.k = state.stage,
                        .basis_size = state.run.basis.size(),
                        .samples = state.points.size(),
                        .step = 1,
                        .gradient_norm = std::sqrt(state.points.g.squaredNorm() / n)};
  stage.true_error = context.validation.error(state.run.basis, state.run.u, context.executor,
                                              state.run.lift.get());
  stage.estimate = std::sqrt(state.error.squared);
  stage.basis = state.error.basis;
  stage.sampling = state.error.sampling;
  stage.optimisation = state.error.optimisation;
  context.monitor.record(stage, {}, state.run, "collocation");
}

// Parameters whose polynomials are not dense in L²_π: their moments do not determine the lognormal
// distribution.
std::string incomplete_parameters(const Context& context) {
  const Measure& measure = context.oracle.parameters();
  std::string names;
  for (std::size_t k = 0; k < measure.marginals().size(); ++k) {
    const bool lognormal = std::holds_alternative<LogNormal>(measure.marginals()[k].parameters());
    if (!lognormal || measure.is_logarithmic(static_cast<Index>(k))) continue;
    names += (names.empty() ? "" : ", ") + context.oracle.facts().parameter_names[k];
  }
  return names;
}

// Neither more functions nor more samples lower the error: why, as far as that can be told.
Verdict stop_stalled(const Context& context, const Fit& fit, CollocationState& state) {
  const std::string error = fmt::format(
      "the error estimate stays at {:.3g}: neither more functions nor more samples "
      "lower it",
      std::sqrt(state.error.squared));
  if (const std::string names = incomplete_parameters(context); !names.empty())
    return stop(Status::stalled,
                error +
                    "; polynomials of a lognormal parameter do not come close to every "
                    "function: basis = \"log\" for " +
                    names + " does",
                state);
  if (const double left = unsolved_squares(context, state);
      left > context.tuning.unsolved_share * state.error.squared)
    return stop(Status::stalled,
                fmt::format("{}; the optimisations at the points have not arrived, though their "
                            "steps became short: what their gradients ask for is still {:.3g}; a "
                            "start closer to the optimum may help",
                            error, std::sqrt(left)),
                state);
  Index worst = 0;
  fit.squares.maxCoeff(&worst);
  return stop(
      Status::stalled,
      fmt::format("{}; it is largest near {}: x*(theta) may have a kink or a jump there, or "
                  "the gradient is not accurate enough",
                  error, place(context.oracle.facts(), state.points.theta.row(worst).transpose())),
      state);
}

Verdict grow(const Context& context, Design& design, const Fit& fit, CollocationState& state) {
  std::optional<Basis> basis = design.grow(fit, state.error.upper, target(context, state),
                                           state.points, state.run.history, context.executor);
  if (!basis) return stop_stalled(context, fit, state);
  state.run.basis = std::move(*basis);
  return Verdict::go_on;
}

Budget budget(const Context& context, const CollocationState& state) {
  return {.left = context.options.max_gradients - state.run.gradients,
          .test = first_round_price(context.tuning) * context.gradient.draws};
}

// The budget does not pay for the test: in the words of the monitor.
void stop_before_test(const Context& context, CollocationState& state) {
  (void)may_evaluate(context, first_round_price(context.tuning), state);
}

// The stages, until one of them ends the run.
void run_stages(const Context& context, Design& design, CollocationState& state) {
  const CollocationTuning& tuning = context.tuning;
  for (; state.stage <= tuning.most_stages; ++state.stage) {
    save(design, state);  // 4
    context.monitor.checkpoint(state.run, [] {});
    const Index price = design.missing(state.points, state.run.basis);
    if (may_evaluate(context, price, state) == Verdict::stop) return;  // 5
    add_samples(context, design, state);                               // 6, 7
    choose_accuracy(tuning, state);                                    // 8
    std::optional<Fit> fit;
    bool learnt = state.stage == 1;
    do {
      if (may_evaluate(context, 0, state) == Verdict::stop) return;  // the clock, within a stage
      if (!learnt || (context.constraints && state.stage > 1))
        learn_curvature(context, state);  // 9
      learnt = true;
      fit = polish_and_fit(context, design, state);  // 10 to 13
      if (!fit) return;
    } while (doubt_outliers(tuning, state.error.squares, state.points) ||  // 14
             doubt_solutions(context, state));
    record(context, state);  // 15
    if (context.oracle.facts().may_fail) save_optima(design, state);
    const Verdict verdict =
        judge(state.error, target(context, state), budget(context, state));  // 16
    if (verdict == Verdict::stop) return stop_before_test(context, state);
    if (verdict == Verdict::confirm && confirm(context, design, state) != Confirmation::refuted)
      return;
    if (grow(context, design, *fit, state) == Verdict::stop) return;  // 17, 18
  }
  const std::string reason =
      fmt::format("the tolerance was not reached in {} stages", tuning.most_stages);
  (void)stop(Status::stalled, reason, state);
}

// How much of the expansion may be left out, as a norm: a share of its error, and what the limit of
// a run that has converged leaves of the tolerance; of y, and of what is exact, rounding.
double omissible(const Context& context, const CollocationState& state) {
  constexpr double rounding = 1e-12;
  if (context.constraints || !std::isfinite(state.error.squared))
    return rounding * state.run.u.norm();
  const double share = std::max(context.tuning.omitted_share * std::sqrt(state.error.squared),
                                rounding * state.run.u.norm());
  if (state.run.status != Status::converged) return share;
  return std::min(share, std::max(0.0, target(context, state) - state.error.upper));
}

// Leaves functions out that do not matter; returns the norm of what goes.
double omit_functions(double most, Run& run) {
  const Vector squares = run.u.rowwise().squaredNorm();
  std::vector<Index> order(static_cast<std::size_t>(run.u.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return squares(a) < squares(b); });
  double sum = 0;
  std::size_t omitted = 0;
  while (omitted < order.size() && sum + squares(order[omitted]) <= most * most)
    sum += squares(order[omitted++]);
  IndexSet needed = IndexSet::first(run.basis.dimension(), 1);  // downward closed
  std::sort(order.begin() + static_cast<std::ptrdiff_t>(omitted), order.end());
  for (; omitted < order.size(); ++omitted) needed.add_closed(run.basis.indices()[order[omitted]]);
  Coefficients u(needed.size(), run.u.cols());
  Vector gone = squares;
  for (Index i = 0; i < needed.size(); ++i) {
    const Index before = run.basis.indices().position(needed[i]);
    u.row(i) = run.u.row(before);
    gone(before) = 0;
  }
  run.basis = Basis(run.basis.families(), std::move(needed));
  run.u = std::move(u);
  return std::sqrt(gone.sum());
}

// The basis as far as there are coefficients that matter, the error, the constants.
void finish(const Context& context, CollocationState& state) {
  Run& run = state.run;
  const double omitted = omit_functions(omissible(context, state), run);
  set_constants(context.oracle.facts(), state.curvature, run);
  const bool ended = run.status == Status::stalled || run.status == Status::out_of_gradients;
  if (ended && !state.outside.empty()) {
    run.status = Status::outside_domain;
    run.stop_reason = state.outside + "; " + run.stop_reason;
  }
  run.multiplier_errors = state.multiplier_errors;
  note_skipped(context, state);
  if (state.left_out > 0)
    run.notes.push_back(fmt::format(
        "points left out: {}, where no optimum was found and theta is so far out with a "
        "probability below {:g}",
        state.left_out, context.tuning.improbable));
  if (is_failure(run.status) || run.history.empty()) return;
  const StageError& error = state.error;
  set_error({.estimate = std::hypot(std::sqrt(error.squared), omitted),
             .basis = std::hypot(error.basis, omitted),
             .sampling = error.sampling,
             .optimisation = error.optimisation,
             .bound = {},
             .components = error.components,
             .confidence = context.options.confidence},
            context.oracle.facts(), state.curvature, context.tuning.curvature_slack,
            error.gradient_limit, run);
  if (run.error->bound) *run.error->bound += omitted;
}

}  // namespace
}  // namespace collocation

void solve_collocation(const Oracle& oracle, const Options& options, Monitor& monitor,
                       Executor& executor, Run& run, const CollocationTuning& tuning,
                       const PointwiseTuning& pointwise) {
  using namespace collocation;
  const Context context = make_context(oracle, options, monitor, executor, tuning, pointwise);
  const std::unique_ptr<Design> design = make_design(context, run.basis.families());
  CollocationState state{.run = std::move(run)};
  try {
    if (start(context, *design, state) == Verdict::go_on) {
      run_stages(context, *design, state);
      finish(context, state);
    }
  } catch (const DeadlinePassed&) {  // in the middle of a stage: the one before it stands
    (void)may_evaluate(context, 0, state);
    finish(context, state);
  }
  run = std::move(state.run);
}

}  // namespace chaosgrad::internal
