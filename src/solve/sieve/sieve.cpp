// Noisy gradients: averaged stochastic Newton steps on the coefficients. Every batch of fresh
// samples is used once: to improve the expansion, to measure the error that is left, and to see
// which functions it lacks. docs/algorithms.md, Algorithm 2, has the lines that are named below.
#include "solve/sieve/sieve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimate/paired_gradients.h"
#include "solve/common/goal.h"
#include "solve/common/validation.h"
#include "solve/sieve/budget.h"
#include "solve/sieve/error.h"
#include "solve/sieve/growth.h"
#include "solve/sieve/local_metric.h"
#include "solve/sieve/sieve_batch.h"
#include "solve/sieve/state.h"
#include "solve/sieve/step.h"

namespace chaosgrad::internal {
namespace {

// What does not change from stage to stage.
struct Context {
  const Oracle& oracle;
  const Options& options;
  const SieveTuning& tuning;
  Executor& executor;
  Validation validation;
  Probe probe;
};

double tolerance(const Context& context, const SieveState& state) {
  return absolute_tolerance(context.options, state.u.norm());
}

GradientBudget budget(const Context& context, const Run& run) {
  return {.spent = run.gradients, .most = context.options.max_gradients};
}

SieveVerdict fail(Status status, std::string reason, Run& run) {
  run.status = status;
  run.stop_reason = std::move(reason);
  return SieveVerdict::failed;
}

// Measures H(θ) at the expansion so far, if it is time to, and what it shows about the problem.
SieveVerdict renew_metric(const Context& context, Monitor& monitor, SieveState& state, Run& run) {
  if (!metric_is_due(state, run.gradients, context.tuning)) return SieveVerdict::go_on;
  const Index q = state.u.cols(), blocks = metric_blocks(state.basis.dimension(), q, run.gradients);
  if (!monitor.may_continue(state.stage, metric_cost(q, blocks), run)) return SieveVerdict::stopped;
  state.metric = measure_metric(context.oracle, state.basis, state.u, context.options.seed,
                                state.stage, blocks, context.executor);
  run.gradients += metric_cost(q, blocks);
  state.metric_made_at = run.gradients;
  const Curvature& mean = state.metric->mean();
  if (!mean.eigenvalues.allFinite())
    return fail(Status::bad_gradient, "the gradient is not finite near the start", run);
  state.seen = {};
  state.seen.see_lowest(mean.lowest(), "on average over theta and the noise");
  state.seen.see_highest(mean.highest(), "on average over theta and the noise");
  const bool fails = fails_as_gradient(mean, context.tuning.asymmetry_limit, run) ||
                     fails_convexity(state.seen, run);
  return fails ? SieveVerdict::failed : SieveVerdict::go_on;
}

// Whether the batch can be used: gradients that are numbers, and a step that does not run away.
SieveVerdict check(const Context& context, const SieveBatch& batch, SieveState& state, Run& run) {
  if (batch.bad_theta) {
    return fail(Status::bad_gradient,
                fmt::format("the gradient is not finite at {}",
                            place(context.oracle.facts(), *batch.bad_theta)),
                run);
  }
  const double size = batch.mean().norm();
  state.smallest_step = std::min(state.smallest_step, size);
  if (std::isfinite(size) && size < context.tuning.runaway * state.smallest_step)
    return SieveVerdict::go_on;
  return fail(Status::diverged,
              fmt::format("the iterates run away at stage {}: has the objective a minimum for "
                          "every theta?",
                          state.stage),
              run);
}

void record(const Context& context, Monitor& monitor, const SieveState& state, Index samples,
            Run& run) {
  const SieveError& error = state.error;
  monitor.record({.k = state.stage,
                  .basis_size = state.u.rows(),
                  .samples = samples,
                  .step = state.damping,
                  .gradient_norm = state.last_step.norm(),
                  .true_error = context.validation.error(state.basis, state.u, context.executor),
                  .estimate = std::sqrt(error.squared()),
                  .basis = std::sqrt(error.basis),
                  .sampling = std::sqrt(error.sampling),
                  .optimisation = std::sqrt(error.optimisation)},
                 {}, run, "sieve");
}

// The upper confidence limit of ‖∇f(x_u)‖_π, where it gives a bound and the budget allows it. Two
// independent draws of the noise at each sample: the product of their gradients has no bias.
std::optional<double> gradient_limit(const Context& context, const SieveState& state, Run& run) {
  if (!context.oracle.facts().strong_convexity) return {};
  const Index blocks = certificate_blocks(budget(context, run), context.tuning);
  if (blocks == 0) return {};
  const Vector products = paired_products(context.oracle, state.basis, state.u,
                                          context.options.seed, blocks, context.executor);
  run.gradients += 2 * products.size();
  return std::sqrt(std::max(0.0, upper_mean(products, context.options.confidence)));
}

// Status, constants and error of the run.
void finish(const Context& context, const SieveState& state, SieveVerdict verdict, Run& run) {
  const SieveError& error = state.error;
  std::optional<double> gradient_upper;
  if (verdict == SieveVerdict::converged) {
    run.status = Status::converged;
    run.stop_reason = fmt::format(
        "the error estimate {:.3g} (at most {:.3g} with confidence {:.3g}) is within the "
        "tolerance {:.3g}",
        std::sqrt(error.squared()), error.upper, context.options.confidence,
        tolerance(context, state));
    gradient_upper = gradient_limit(context, state, run);
  } else if (verdict == SieveVerdict::stalled) {
    run.status = Status::stalled;
    run.stop_reason =
        fmt::format("the tolerance was not reached in {} stages", context.tuning.most_stages);
  }
  set_constants(context.oracle.facts(), state.seen, run);
  if (verdict == SieveVerdict::failed || run.history.empty()) return;
  const double shared = (error.basis + error.optimisation) / static_cast<double>(state.u.cols());
  const Vector components =
      (error.variances.colwise().sum().array() + shared).sqrt().matrix().transpose();
  set_error({.estimate = std::sqrt(error.squared()),
             .basis = std::sqrt(error.basis),
             .sampling = std::sqrt(error.sampling),
             .optimisation = std::sqrt(error.optimisation),
             .bound = {},
             .components = components,
             .confidence = context.options.confidence},
            context.oracle.facts(), state.seen, context.tuning.curvature_slack, gradient_upper,
            run);
}

}  // namespace

void solve_sieve(const Oracle& oracle, const Options& options, Monitor& monitor, Executor& executor,
                 Run& run, const SieveTuning& tuning) {
  const Context context{.oracle = oracle,
                        .options = options,
                        .tuning = tuning,
                        .executor = executor,
                        .validation = Validation(oracle, options.seed),
                        .probe = Probe(oracle.parameters().germs(), tuning)};
  SieveState state = options.resume ? restore_state(*options.resume, run)
                                    : start_state(oracle, run.basis.families(), options);
  SieveVerdict verdict = SieveVerdict::go_on;
  for (;; ++state.stage) {
    save(state, run);  // line 3
    monitor.checkpoint(run, [] {});
    verdict = renew_metric(context, monitor, state, run);  // line 4
    if (verdict != SieveVerdict::go_on) break;

    const Index samples =  // line 5
        next_batch(state, tolerance(context, state), budget(context, run), tuning);
    if (!monitor.may_continue(state.stage, samples, run)) {
      verdict = SieveVerdict::stopped;
      break;
    }
    const Basis wide = with_candidates(state, tuning);  // line 6
    const SieveBatch batch =                            // lines 7 and 8
        sample_batch(oracle, wide, state.u, *state.metric, context.probe, options.seed, state.stage,
                     samples, executor);
    run.gradients += samples;
    verdict = check(context, batch, state, run);  // line 9
    if (verdict != SieveVerdict::go_on) break;

    const StepReport step = take_step(batch, tuning, state);                      // lines 10 to 14
    state.error = measure_error(batch, state, step, options.confidence, tuning);  // 15 to 18
    publish(state, run);
    record(context, monitor, state, samples, run);
    verdict = judge(state.error, tolerance(context, state), state.stage, tuning);  // line 19
    if (verdict != SieveVerdict::go_on) break;

    extend(  // line 20
        functions_to_add(wide, batch, state.error, tolerance(context, state), tuning), state);
  }
  finish(context, state, verdict, run);  // line 21
}

}  // namespace chaosgrad::internal
