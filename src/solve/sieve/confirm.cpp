#include "solve/sieve/confirm.h"

#include <algorithm>
#include <cmath>

#include "basis/kernels.h"
#include "solve/common/other_minima.h"
#include "solve/sieve/context.h"
#include "solve/sieve/error.h"

namespace chaosgrad::internal {
namespace {

// At most as long as the run may be, at least as long as it takes to see the spread of its terms.
FreshTest fresh_test(const SieveContext& context, const SieveBatch& batch, const SieveState& state,
                     const Basis& wide, std::int64_t spent) {
  const SieveTuning& tuning = context.tuning;
  const double goal = tolerance(context, state);
  const std::optional<double> operations = context.oracle.facts().operations;
  const bool cheap = operations && *operations <= tuning.cheap_operations;
  const double variance = batch.noise(0) * batch.effective;
  const bool sobol = has_known_law(context.oracle);
  FreshTest test{.draws = test_draws(variance, goal, spent, sobol, tuning)};
  if (sobol)
    test.points = test_points(context.oracle, context.options.seed, state.looks, test.draws);
  const auto lengthen = [&](Index blocks) {
    add(context.oracle, wide, state, context.options.seed, state.looks, blocks, context.executor,
        test);
  };
  lengthen(first_test_blocks(spent, test.draws, cheap, tuning));
  if (test.outside) return test;
  const Index more = all_test_blocks(test, goal, spent, tuning) - test.samples() / block_size;
  if (more > 0) lengthen(more);
  return test;
}

// Another minimum than the one that the expansion follows, at a block of θ of its own.
OtherMinima other_minima(const SieveContext& context, const SieveState& state) {
  // Streams beside those of the tests themselves, whose steps are small.
  const auto stream = [&](Purpose purpose, Index number) {
    return make_stream(
        context.options.seed, purpose,
        (std::uint64_t{1} << 40) + static_cast<std::uint64_t>(state.looks * 1024 + number));
  };
  const Index m = state.u.rows();
  const SieveSamples at =
      mixture_samples(context.oracle, state.basis, m, stream(Purpose::sieve_test_parameters, 0), 0);
  BasisBlock psi;
  state.basis.evaluate(at.eta, m, psi);
  Matrix x(block_size, state.u.cols());
  expand(psi, state.u, x);
  return find_other_minima(context.oracle, at.theta, x, {},
                           [&](Index number) { return stream(Purpose::sieve_test_noise, number); });
}

// What the state keeps of a test that contradicts it: functions, the error that no function holds,
// and the noise that the run has not seen.
SieveVerdict refute(const Basis& wide, const FreshTest& test, const TestReport& report,
                    const SieveTuning& tuning, SieveState& state) {
  const double before = state.error.hidden;
  state.error.hidden = std::max(
      {0.0, report.found, report.measured - state.error.sampling - state.error.optimisation});
  state.doubt = std::max(1.0, report.spread / state.error.sampling);
  const std::vector<MultiIndex> found = functions_found(wide, test, tuning);
  const bool vain = found.empty() && state.error.hidden > tuning.same_error * before;
  state.vain_tests = vain ? state.vain_tests + 1 : 0;
  extend(found, state);
  return state.vain_tests < tuning.vain_tests ? SieveVerdict::go_on : SieveVerdict::stalled;
}

}  // namespace

SieveVerdict confirm(const SieveContext& context, Monitor& monitor, const SieveBatch& batch,
                     SieveState& state, TestReport& report, Run& run) {
  if (!test_is_due(state, run.gradients, context.tuning)) return SieveVerdict::go_on;
  if (!monitor.may_continue(state.stage, 0, run)) return SieveVerdict::stopped;
  const Basis wide = test_basis(state.basis, context.tuning);
  ++state.looks;
  state.tested_at = run.gradients;
  const FreshTest test = fresh_test(context, batch, state, wide, run.gradients);
  run.test_gradients += test.cost();
  if (test.outside) return fail_outside(context.oracle, *test.outside, run);
  run.unseen = 3 / (measure_share * static_cast<double>(test.samples()));
  const double goal = tolerance(context, state);
  report =
      judge_test(test, state.error, goal, context.options.confidence, state.looks, context.tuning);
  if (report.finding == TestReport::Finding::refuted)
    return refute(wide, test, report, context.tuning, state);
  state.error.hidden = 0;
  if (report.finding == TestReport::Finding::too_weak) return SieveVerdict::go_on;
  const OtherMinima others = other_minima(context, state);
  run.test_gradients += others.gradients;
  if (others.found) return fail(Status::several_minima, *others.found, run);
  if (report.finding == TestReport::Finding::assumed)
    run.notes.push_back(assumption(report, wide, goal));
  return SieveVerdict::converged;
}

}  // namespace chaosgrad::internal
