// Noisy gradients: averaged stochastic Newton steps on the coefficients. Every batch of fresh
// samples is used once: to improve the expansion, to measure the error that is left, and to see
// which functions it lacks. docs/algorithms.md, Algorithm 2, has the lines that are named below.
#include "solve/sieve/sieve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/common/goal.h"
#include "solve/sieve/confirm.h"
#include "solve/sieve/context.h"
#include "solve/sieve/error.h"
#include "solve/sieve/first_descent.h"
#include "solve/sieve/growth.h"
#include "solve/sieve/metric_stage.h"
#include "solve/sieve/sieve_batch.h"
#include "solve/sieve/state.h"
#include "solve/sieve/step.h"

namespace chaosgrad::internal {
namespace {

GradientBudget budget(const SieveContext& context, const Run& run) {
  return {.spent = run.gradients,
          .most = context.options.max_gradients,
          .sobol = has_known_law(context.oracle)};
}

std::string hint(const Oracle& oracle) {
  return oracle.has_value() ? " A start nearer to the optimum may help, and smooth functions in "
                              "place of kinks in x (softplus for max, sqrt(x^2 + h^2) for abs)"
                            : " A start nearer to the optimum may help, or a component of the "
                              "gradient has the wrong sign";
}

// Goes to a point from which Newton's steps are sound, if the start is not one.
SieveVerdict find_start(const SieveContext& context, Monitor& monitor, SieveState& state,
                        Run& run) {
  if (state.u.cols() > dense_limit) return SieveVerdict::go_on;
  const ProblemFacts& facts = context.oracle.facts();
  if (!monitor.may_continue(state.stage, 0, run)) return SieveVerdict::stopped;
  const FirstDescent descent = first_descent(
      context, state.basis, facts.start,
      [&](std::int64_t cost) { return monitor.may_continue(state.stage, cost, run); });
  if (descent.outcome == FirstDescent::Outcome::stopped) {
    run.gradients += descent.gradients;
    return SieveVerdict::stopped;
  }
  using enum FirstDescent::Outcome;
  if (descent.outcome == outside_domain) return fail_outside(context.oracle, *descent.outside, run);
  if (descent.outcome == good_start) {
    run.test_gradients += descent.gradients;
    return SieveVerdict::go_on;
  }
  run.gradients += descent.gradients;
  if (descent.outcome == unbounded) {
    const bool concave =
        descent.curvature.lowest() < -context.tuning.clear_curvature * descent.errors(0);
    const std::string along = describe_direction(descent.direction, facts);
    return fail(
        concave ? Status::not_strongly_convex : Status::diverged,
        fmt::format("on average over theta and the noise the objective falls without end along {} "
                    "(its curvature there is {:.3g} ± {:.1g}): has it a minimum for every theta?{}",
                    along, descent.curvature.lowest(), descent.errors(0),
                    concave && context.oracle.has_value() ? "" : hint(context.oracle)),
        run);
  }
  state.inside = state.u;
  state.u.row(0) = descent.x.transpose();
  std::ranges::fill(state.replicates, state.u);
  return SieveVerdict::go_on;
}

// Whether the batch can be used: gradients that are numbers, and a step that does not run away.
SieveVerdict check(const SieveContext& context, const SieveBatch& batch, SieveState& state,
                   Run& run) {
  if (batch.outside) return shorten(context, *batch.outside, state, run);
  const Coefficients step = batch.mean();
  if (overshoots(step, state, context.tuning)) {
    halve_step(context.tuning, state);
    return SieveVerdict::shortened;
  }
  state.inside = state.u;
  state.halvings = 0;
  const double size = step.norm();
  state.smallest_step = std::min(state.smallest_step, size);
  if (std::isfinite(size) && size < context.tuning.runaway * state.smallest_step)
    return SieveVerdict::go_on;
  if (!state.concave.empty())
    return fail_concave(context.oracle, state.concave, state.u.row(0).transpose(), run);
  const Vector sizes = step.colwise().norm().transpose();
  return fail(
      Status::diverged,
      fmt::format("the iterates run away at stage {}, most along {}: has the objective a "
                  "minimum for every theta?{}",
                  state.stage, describe_direction(sizes.normalized(), context.oracle.facts()),
                  hint(context.oracle)),
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

// Why a run that seems to be within its tolerance was not allowed to end.
void note_tests(const SieveContext& context, const SieveState& state, SieveVerdict verdict,
                Run& run) {
  const bool ended = verdict == SieveVerdict::converged || verdict == SieveVerdict::failed;
  const double goal = tolerance(context, state);
  if (ended || state.looks == 0 || !(state.error.upper <= goal)) return;
  if (state.error.hidden > 0) {
    run.notes.push_back(fmt::format(
        "a test on fresh samples showed an error of {:.3g} that the functions of the basis do not "
        "explain: the optimum may jump, oscillate or have a narrow feature in theta",
        std::sqrt(state.error.hidden)));
  } else {
    run.notes.push_back(fmt::format(
        "the error estimate is within the tolerance {:.3g}, but the noise is so large that a test "
        "on fresh samples cannot exclude an error of {:g} times as much; more gradients or a "
        "larger tolerance would let it",
        goal, context.tuning.weakest_test));
  }
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
        state.scale.share * std::sqrt(error.squared()), state.scale.share * error.upper,
        context.options.confidence, state.scale.share * tolerance(context, state));
    gradient_upper = std::sqrt(std::max(0.0, test.gradient_limit));
  } else if (verdict == SieveVerdict::stalled) {
    run.status = Status::stalled;
    run.stop_reason = stalled_reason(context, state);
  }
  note_tests(context, state, verdict, run);
  set_constants(context.oracle.facts(), state.seen, run);
  CurvatureSeen clear = state.seen;  // of what contradicts the facts: beyond its noise
  clear.lowest += state.lowest_slack;
  clear.highest -= state.highest_slack;
  if (verdict == SieveVerdict::failed || run.history.empty()) return;
  const double shared =
      (error.outside() + error.optimisation) / static_cast<double>(state.u.cols());
  const Vector components =
      (error.variances.colwise().sum().array() + shared).sqrt().matrix().transpose();
  const double share = state.scale.share;  // of an error of y that reaches x
  set_error({.estimate = share * std::sqrt(error.squared()),
             .basis = share * std::sqrt(error.outside()),
             .sampling = share * std::sqrt(error.sampling),
             .optimisation = share * std::sqrt(error.optimisation),
             .bound = {},
             .components = share * components,
             .confidence = context.options.confidence},
            context.oracle.facts(), clear, context.tuning.curvature_slack, gradient_upper, run);
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
  SieveVerdict verdict =
      options.resume ? SieveVerdict::go_on : find_start(context, monitor, state, run);
  TestReport test;
  for (; verdict == SieveVerdict::go_on || verdict == SieveVerdict::shortened; ++state.stage) {
    save(state, run);  // line 3
    monitor.checkpoint(run, [] {});
    verdict = renew_metric(context, monitor, state, run);  // line 4
    if (verdict != SieveVerdict::go_on) continue;

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
    if (verdict != SieveVerdict::go_on) continue;

    const StepReport step = take_step(batch, tuning, state);                      // lines 10 to 14
    state.error = measure_error(batch, state, step, options.confidence, tuning);  // 15 to 18
    if (const Lift* lift = oracle.facts().lift.get())
      state.scale = lifted_scale(oracle.parameters(), *lift, state.basis, state.u, state.replicates,
                                 options.seed);
    publish(state, run);
    record(context, monitor, state, samples, run);
    verdict = judge(state.error, tolerance(context, state), state.stage, tuning);  // line 19
    if (verdict == SieveVerdict::converged)
      verdict = confirm(context, monitor, batch, state, test, run);
    if (verdict != SieveVerdict::go_on) continue;

    if (state.basis.size() == batch.size())  // line 20; a test that refuted has added its own
      extend(functions_to_add(wide, batch, state.error, tolerance(context, state), tuning), state);
  }
  finish(context, state, verdict, test, run);  // line 21
}

}  // namespace chaosgrad::internal
