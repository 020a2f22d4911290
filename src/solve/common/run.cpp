#include "solve/common/run.h"

#include <utility>

namespace chaosgrad::internal {

Solution as_solution(const Measure& measure, const Options& options, Run run) {
  Solution solution{
      .expansion = Expansion(measure, std::move(run.basis), std::move(run.u), std::move(run.lift)),
      .status = run.status,
      .message = std::move(run.stop_reason),
      .error = run.error.value_or(ErrorEstimate{.confidence = options.confidence}),
      .gradients = run.gradients,
      .diagnostic_gradients = run.constants.gradients + run.test_gradients,
      .hessians = run.hessians,
      .unseen = run.unseen,
      .skipped = run.skipped,
      .skipped_share = run.skipped_share,
      .skipped_together = run.skipped_together,
      .seconds = run.seconds,
      .constants = run.constants,
      .history = std::move(run.history),
      .notes = std::move(run.notes),
      .fits = std::move(run.fits),
      .replicates = std::move(run.replicates),
      .state = std::move(run.state),
      .options = options};
  solution.multiplier_errors = std::move(run.multiplier_errors);
  solution.options.callback = {};
  solution.options.resume = {};
  solution.options.earlier = {};
  return solution;
}

}  // namespace chaosgrad::internal
