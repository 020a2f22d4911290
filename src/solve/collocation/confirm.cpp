#include "solve/collocation/confirm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/collocation/point_starts.h"
#include "solve/collocation/polishing.h"

namespace chaosgrad::internal::collocation {
namespace {

constexpr Index evaluations_per_sample = 2;  // at the expansion, and after one step

Index most_samples(const CollocationTuning& tuning, Index points) {
  return std::max(tuning.most_test, points / tuning.test_share);
}

void extend(Vector& all, const Vector& more) {
  const Index before = all.size();
  all.conservativeResize(before + more.size());
  all.tail(more.size()) = more;
}

// One round with n fresh samples: appends |∇f(x_u)|² and |x_u − x*|² at them.
Verdict test_round(const Context& context, const Matrix& eta, CollocationState& state,
                   Vector& gradients, Vector& tested) {
  const Index n = eta.rows(), first = state.points.size();
  const Matrix predicted = append(context, eta, state);
  if (evaluate_points(context, state) == Verdict::stop) return Verdict::stop;
  extend(gradients, state.points.g.bottomRows(n).rowwise().squaredNorm());
  const double tolerance = context.tuning.accuracy * target(context, state);
  PointReport report;
  if (polish_range(context, {first, n}, tolerance, context.tuning.probe_every, state, report) ==
      Verdict::stop)
    return Verdict::stop;
  extend(tested, (state.points.value.bottomRows(n) - predicted).rowwise().squaredNorm());
  return Verdict::go_on;
}

}  // namespace

Index first_round_price(const CollocationTuning& tuning, Index points) {
  return evaluations_per_sample * std::min(tuning.first_test, most_samples(tuning, points));
}

TestResult judge_test(const Vector& tested, const StageError& error, double target,
                      double confidence, double contradiction) {
  // A test that contradicts the fit's own account of itself stands alone.
  const bool agree = tested.mean() <= contradiction * error.squares.mean();
  Vector pooled(agree ? error.squares.size() + tested.size() : tested.size());
  if (agree) {
    pooled << error.squares, tested;
  } else {
    pooled = tested;
  }
  const double rest = std::pow(error.optimisation, 2);
  TestResult result{.squared = pooled.mean() + rest,
                    .upper = std::sqrt(upper_mean(pooled, confidence) + rest)};
  if (std::sqrt(tested.mean()) > target) {
    result.outcome = TestResult::Outcome::failed;
  } else if (result.upper <= target) {
    result.outcome = TestResult::Outcome::passed;
  }
  return result;
}

Confirmation confirm(const Context& context, Design& design, CollocationState& state) {
  const CollocationTuning& tuning = context.tuning;
  const double confidence = context.options.confidence;
  const Index before = state.points.size(), most = most_samples(tuning, before);
  Vector gradients, tested;  // |∇f(x_u)|², |x_u − x*|² at the fresh samples
  for (Index n = std::min(tuning.first_test, most); tested.size() < most;
       n = std::min(tested.size(), most - tested.size())) {
    if (may_evaluate(context, evaluations_per_sample * n, state) == Verdict::stop)
      return Confirmation::stopped;
    const Matrix eta = design.test_samples(state.points.size() - before, n);
    if (test_round(context, eta, state, gradients, tested) == Verdict::stop)
      return Confirmation::stopped;
    const double goal = target(context, state);
    const TestResult result =
        judge_test(tested, state.error, goal, confidence, tuning.contradiction);
    if (result.outcome == TestResult::Outcome::failed) break;
    if (result.outcome == TestResult::Outcome::undecided) continue;
    state.error.squared = result.squared;
    state.error.gradient_limit = std::sqrt(upper_mean(gradients, confidence));
    state.run.status = Status::converged;
    state.run.stop_reason = fmt::format(
        "the error estimate {:.3g} (at most {:.3g} with confidence {:.3g}) is within the tolerance "
        "{:.3g}; {} fresh samples agree",
        std::sqrt(result.squared), result.upper, confidence, goal, tested.size());
    return Confirmation::confirmed;
  }
  design.adopt_test(state.points.size() - before);
  return Confirmation::refuted;
}

}  // namespace chaosgrad::internal::collocation
