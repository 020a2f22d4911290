// Noisy gradients: averaged stochastic Newton steps on the coefficients. Every batch of fresh
// samples is used once: to improve the expansion, to measure the error that is left, and to see
// which functions it lacks. docs/algorithms.md, Algorithm 2, has the lines that are named below.
#include "solve/sieve/sieve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/common/goal.h"
#include "solve/sieve/budget.h"
#include "solve/sieve/confirm.h"
#include "solve/sieve/context.h"
#include "solve/sieve/error.h"
#include "solve/sieve/growth.h"
#include "solve/sieve/local_metric.h"
#include "solve/sieve/sieve_batch.h"
#include "solve/sieve/state.h"
#include "solve/sieve/step.h"

namespace chaosgrad::internal {
namespace {

GradientBudget budget(const SieveContext& context, const Run& run) {
  return {.spent = run.gradients, .most = context.options.max_gradients};
}

// Measures H(θ) at the expansion so far, if it is time to, and what it shows about the problem.
SieveVerdict renew_metric(const SieveContext& context, Monitor& monitor, SieveState& state,
                          Run& run) {
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
SieveVerdict check(const SieveContext& context, const SieveBatch& batch, SieveState& state,
                   Run& run) {
  if (batch.outside) {
    return fail(Status::bad_gradient,
                fmt::format("the gradient is not finite at {}",
                            place(context.oracle.facts(), batch.outside->theta)),
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

void record(const SieveContext& context, Monitor& monitor, const SieveState& state, Index samples,
            Run& run) {
  const SieveError& error = state.error;
  monitor.record({.k = state.stage,
                  .basis_size = state.u.rows(),
                  .samples = samples,
                  .step = state.damping,
                  .gradient_norm = state.last_step.norm(),
                  .true_error = context.validation.error(state.basis, state.u, context.executor),
                  .estimate = std::sqrt(error.squared()),
                  .basis = std::sqrt(error.outside()),
                  .sampling = std::sqrt(error.sampling),
                  .optimisation = std::sqrt(error.optimisation)},
                 {}, run, "sieve");
}

std::string stalled_reason(const SieveContext& context, const SieveState& state) {
  if (state.vain_tests < context.tuning.vain_tests)
    return fmt::format("the tolerance was not reached in {} stages", context.tuning.most_stages);
  return fmt::format(
      "{} tests on fresh samples in a row showed an error of {:.3g} (the tolerance is {:.3g}) that "
      "no function of the basis or near it explains: the optimum may jump, oscillate or have a "
      "narrow feature in theta",
      state.vain_tests, std::sqrt(state.error.squared()), tolerance(context, state));
}

// Status, constants and error of the run.
void finish(const SieveContext& context, const SieveState& state, SieveVerdict verdict,
            const TestReport& test, Run& run) {
  const SieveError& error = state.error;
  std::optional<double> gradient_upper;
  if (verdict == SieveVerdict::converged) {
    run.status = Status::converged;
    run.stop_reason = fmt::format(
        "the error estimate {:.3g} (at most {:.3g} with confidence {:.3g}) is within the "
        "tolerance {:.3g}",
        std::sqrt(error.squared()), error.upper, context.options.confidence,
        tolerance(context, state));
    gradient_upper = std::sqrt(std::max(0.0, test.gradient_limit));
  } else if (verdict == SieveVerdict::stalled) {
    run.status = Status::stalled;
    run.stop_reason = stalled_reason(context, state);
  }
  set_constants(context.oracle.facts(), state.seen, run);
  if (verdict == SieveVerdict::failed || run.history.empty()) return;
  const double shared =
      (error.outside() + error.optimisation) / static_cast<double>(state.u.cols());
  const Vector components =
      (error.variances.colwise().sum().array() + shared).sqrt().matrix().transpose();
  set_error({.estimate = std::sqrt(error.squared()),
             .basis = std::sqrt(error.outside()),
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
  const SieveContext context{.oracle = oracle,
                             .options = options,
                             .tuning = tuning,
                             .executor = executor,
                             .validation = Validation(oracle, options.seed),
                             .probe = Probe(oracle.parameters().germs(), tuning)};
  SieveState state = options.resume ? restore_state(*options.resume, run)
                                    : start_state(oracle, run.basis.families(), options);
  SieveVerdict verdict = SieveVerdict::go_on;
  TestReport test;
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
    if (verdict == SieveVerdict::converged) verdict = confirm(context, batch, state, test, run);
    if (verdict != SieveVerdict::go_on) break;

    if (state.basis.size() == batch.size())  // line 20; a test that refuted has added its own
      extend(functions_to_add(wide, batch, state.error, tolerance(context, state), tuning), state);
  }
  finish(context, state, verdict, test, run);  // line 21
}

}  // namespace chaosgrad::internal
