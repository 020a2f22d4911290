#include "solve/collocation/confirm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "estimate/mean_limit.h"
#include "numeric/decompositions.h"
#include "solve/collocation/point_starts.h"
#include "solve/collocation/polishing.h"
#include "solve/collocation/rescue.h"
#include "solve/collocation/screen.h"

namespace chaosgrad::internal::collocation {
namespace {

constexpr Index evaluations_per_sample = 2;  // at the expansion, and after one step

// What a test has found so far: weighted squares at its samples.
struct Evidence {
  Vector errors, gradients;  // w |x_u − x*|², w |∇f(x_u)|²
  Index from_measure = 0;    // samples from π itself
};

void extend(Vector& all, const Vector& more) {
  const Index before = all.size();
  all.conservativeResize(before + more.size());
  all.tail(more.size()) = more;
}

// --- very many samples ---

// The minimum at a screened sample, from the expansion or wherever it can be found.
Minimum minimum_at(const Context& context, const ScreenedSample& sample,
                   const CollocationState& state) {
  std::vector<Vector> starts = {sample.x};
  Index nearest = 0;
  (state.points.eta.rowwise() - sample.eta.transpose()).rowwise().squaredNorm().minCoeff(&nearest);
  starts.push_back(state.points.value.row(nearest).transpose());
  starts.push_back(context.oracle.facts().start);
  return find_minimum(context, sample.theta, starts);
}

// Samples at which ∇f or H is not what it should be: solved one by one. What has no minimum ends
// the run; of the others the true error is taken.
Verdict settle_remarks(const Context& context, Index look, Screening& screening,
                       CollocationState& state) {
  const auto most = static_cast<std::size_t>(context.tuning.most_settled);
  std::vector<Index> numbers = screening.with(Remark::not_convex, most);
  const std::vector<Index> outside = screening.with(Remark::not_finite, most);
  numbers.insert(numbers.end(), outside.begin(), outside.end());
  if (numbers.empty() || !context.oracle.has_value()) return Verdict::go_on;
  std::vector<Minimum> found(numbers.size());
  context.executor.for_each(static_cast<Index>(numbers.size()), [&](Index n) {
    const auto k = static_cast<std::size_t>(n);
    found[k] = minimum_at(context, screened_sample(context, state, look, numbers[k]), state);
  });
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    state.run.test_gradients += found[k].gradients;
    const ScreenedSample sample = screened_sample(context, state, look, numbers[k]);
    if (found[k].outcome != Minimum::Outcome::found)
      return stop_without_minimum(context, sample.theta, found[k], state);
    screening.squares(numbers[k]) =
        screening.weights(numbers[k]) * (found[k].x - sample.x).squaredNorm();
  }
  return Verdict::go_on;
}

// Where f is not convex between the expansion and another x it may have another minimum there.
Verdict look_for_minima(const Context& context, Index look, const Screening& screening,
                        CollocationState& state) {
  if (!context.oracle.has_value()) return Verdict::go_on;
  const std::vector<Index> numbers =
      screening.with(Remark::not_monotone, static_cast<std::size_t>(context.tuning.most_settled));
  if (numbers.empty()) return Verdict::go_on;
  struct Pair {
    Vector theta;
    Minimum here, there;
  };
  std::vector<Pair> pairs(2 * numbers.size());
  context.executor.for_each(static_cast<Index>(pairs.size()), [&](Index n) {
    const auto k = static_cast<std::size_t>(n);
    const ScreenedSample sample = screened_sample(context, state, look, numbers[k / 2]);
    const Vector& other = k % 2 == 0 ? context.oracle.facts().start : sample.elsewhere;
    pairs[k] = {sample.theta, find_minimum(context, sample.theta, {sample.x}),
                find_minimum(context, sample.theta, {other})};
  });
  const ProblemFacts& facts = context.oracle.facts();
  for (const Pair& pair : pairs) {
    state.run.test_gradients += pair.here.gradients + pair.there.gradients;
    using enum Minimum::Outcome;
    if (pair.here.outcome != found || pair.there.outcome != found) continue;
    const double apart = (pair.here.x - pair.there.x).norm();
    if (apart <= context.tuning.apart * (target(context, state) + pair.here.x.norm())) continue;
    return stop_at(
        context, Status::several_minima, pair.theta,
        fmt::format("the objective has several local minima at {}: {} where it is {:.6g}, and {} "
                    "where it is {:.6g}; x*(theta) is not one function",
                    place(facts, pair.theta), describe(facts, pair.here.x), pair.here.value,
                    describe(facts, pair.there.x), pair.there.value),
        state);
  }
  return Verdict::go_on;
}

// A given μ that H contradicts somewhere.
void see_low_curvature(const Context& context, Index look, const Screening& screening,
                       CollocationState& state) {
  for (const Index number : screening.with(Remark::below_mu, 4)) {
    const ScreenedSample sample = screened_sample(context, state, look, number);
    const Matrix hessian = point_function(context.oracle, sample.theta).hessian(sample.x);
    state.curvature.see_lowest(symmetric_eigenvalues(hessian)(0),
                               "at " + place(context.oracle.facts(), sample.theta));
  }
}

// The samples that carry half of the squared error: some of them become points.
void adopt_worst(const Context& context, Index look, const Screening& screening, Design& design,
                 CollocationState& state) {
  std::vector<Index> order(static_cast<std::size_t>(screening.samples));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return screening.squares(a) > screening.squares(b); });
  const double worst = screening.squares(order.front());
  const double half = std::isfinite(worst) ? 0.5 * screening.squares.sum() : infinity;
  double carried = 0, weight = 0;
  std::size_t size = 0;
  while (size < order.size() && carried < half &&
         (std::isfinite(worst) || !std::isfinite(screening.squares(order[size])))) {
    carried += std::isfinite(worst) ? screening.squares(order[size]) : 0;
    weight += screening.weights(order[size++]);
  }
  order.resize(size);
  std::vector<Vector> germs;
  for (const Index number : order) {
    if (germs.size() > 64 * static_cast<std::size_t>(context.tuning.adopted)) break;
    germs.push_back(screened_sample(context, state, look, number).eta);
  }
  // Spread over the set: in the order of its first coordinate.
  std::stable_sort(germs.begin(), germs.end(),
                   [](const Vector& a, const Vector& b) { return a(0) < b(0); });
  const auto count = std::min(static_cast<Index>(germs.size()), context.tuning.adopted);
  Matrix eta(count, germs.front().size());
  for (Index i = 0; i < count; ++i) {
    const Index k = (2 * i + 1) * static_cast<Index>(germs.size()) / (2 * count);
    eta.row(i) = germs[static_cast<std::size_t>(k)].transpose();
  }
  append(context, eta, state);
  design.adopt_standouts(count, state.points.size(),
                         weight / static_cast<double>(screening.samples));
}

std::string describe_outside(const Context& context, Index look, const Screening& screening,
                             const CollocationState& state) {
  const std::vector<Index> outside = screening.with(Remark::not_finite, 1);
  if (outside.empty()) return {};
  const ScreenedSample sample = screened_sample(context, state, look, outside.front());
  const std::string reason =
      context.oracle.explain(sample.x.transpose(), sample.theta.transpose(), Matrix(1, 0));
  const ProblemFacts& facts = context.oracle.facts();
  return fmt::format("the objective is not a number at the expansion for {}, {}{}{}",
                     place(facts, sample.theta), describe(facts, sample.x),
                     reason.empty() ? "" : ": ", reason);
}

// `go_on` if nothing speaks against the expansion.
enum class Screened { passed, refuted, stopped };
Screened screen_expansion(const Context& context, Design& design, double confidence,
                          Screening& screening, CollocationState& state) {
  const Index look = state.looks;
  state.run.test_gradients += screening.evaluations;
  if (settle_remarks(context, look, screening, state) == Verdict::stop ||
      look_for_minima(context, look, screening, state) == Verdict::stop)
    return Screened::stopped;
  see_low_curvature(context, look, screening, state);
  state.trouble_seen = describe_outside(context, look, screening, state);
  const TestResult result =
      judge_test(screening.squares, state.error.optimisation, target(context, state), confidence);
  if (result.outcome == TestResult::Outcome::passed && state.trouble_seen.empty())
    return Screened::passed;
  const double said = state.error.squares.mean();
  if (result.squared > context.tuning.contradiction * said || !state.trouble_seen.empty())
    adopt_worst(context, look, screening, design, state);
  if (std::isfinite(result.squared))
    state.error.squared = std::max(state.error.squared, result.squared);
  return Screened::refuted;
}

// --- a few samples, solved ---

Index most_samples(const Context& context, Index points) {
  return std::max(context.tuning.most_test, points / context.tuning.test_share);
}

// One round with fresh samples. A gradient at the expansion that is not finite is an error without
// bound.
Verdict test_round(const Context& context, const DefensiveSamples& samples, CollocationState& state,
                   Evidence& evidence) {
  const Index n = samples.eta.rows(), first = state.points.size();
  const Matrix predicted = append_at_expansion(context, samples.eta, state);
  const PointReport at_expansion =
      evaluate(context.gradient, first, state.points, context.executor);
  if (note_report(context, at_expansion, state) == Verdict::stop) return Verdict::stop;
  Vector gradients = state.points.g.bottomRows(n).rowwise().squaredNorm();
  for (Index i = 0; i < n; ++i) {
    if (!state.points.evaluated[static_cast<std::size_t>(first + i)]) gradients(i) = infinity;
  }
  extend(evidence.gradients, samples.weights.cwiseProduct(gradients));
  if (replace_bad_starts(context, first, state) == Verdict::stop) return Verdict::stop;
  const double tolerance = context.tuning.accuracy * target(context, state);
  PointReport report;
  if (polish_range(context, {first, n}, tolerance, context.tuning.probe_every, state, report) ==
      Verdict::stop)
    return Verdict::stop;
  const Vector errors = (state.points.value.bottomRows(n) - predicted).rowwise().squaredNorm();
  extend(evidence.errors, samples.weights.cwiseProduct(errors));
  evidence.from_measure += std::count(samples.induced.begin(), samples.induced.end(), Index{-1});
  return Verdict::go_on;
}

// Two of the samples are solved from the start of the problem, too.
Verdict compare_starts(const Context& context, Index first, CollocationState& state) {
  if (!context.oracle.has_value()) return Verdict::go_on;
  const ProblemFacts& facts = context.oracle.facts();
  const Index count = std::min<Index>(2, state.points.size() - first);
  for (Index i = first; i < first + count; ++i) {
    const Vector theta = state.points.theta.row(i).transpose();
    const Minimum there = find_minimum(context, theta, {facts.start});
    state.run.test_gradients += there.gradients;
    const Vector here = state.points.value.row(i).transpose();
    const double near = context.tuning.apart * (target(context, state) + here.norm());
    if (there.outcome != Minimum::Outcome::found || (there.x - here).norm() <= near) continue;
    return stop_at(
        context, Status::several_minima, theta,
        fmt::format("the objective has several local minima at {}: {} and, from the "
                    "problem's own start, {}; x*(theta) is not one function",
                    place(facts, theta), describe(facts, here), describe(facts, there.x)),
        state);
  }
  return Verdict::go_on;
}

void converge(const Context& context, const TestResult& result, const Evidence& evidence,
              double confidence, Index solved, CollocationState& state) {
  state.error.squared = result.squared;
  const double limit = mean_limit(evidence.gradients, confidence);
  if (std::isfinite(limit)) state.error.gradient_limit = std::sqrt(limit);
  state.run.unseen = 3.0 / static_cast<double>(evidence.from_measure);
  state.run.status = Status::converged;
  state.run.stop_reason = fmt::format(
      "the error estimate {:.3g} (at most {:.3g} with confidence {:.3g}) is within the tolerance "
      "{:.3g}; {} fresh samples agree, {} of them solved",
      std::sqrt(result.squared), result.upper, context.options.confidence, target(context, state),
      std::max(evidence.errors.size(), solved), solved);
}

}  // namespace

Index first_round_price(const CollocationTuning& tuning) {
  return evaluations_per_sample * tuning.first_test;
}

TestResult judge_test(const Vector& squares, double rest, double target, double confidence) {
  const double lacking = rest * rest;
  TestResult result{.squared = squares.mean() + lacking,
                    .upper = std::sqrt(mean_limit(squares, confidence) + lacking)};
  if (!(std::sqrt(result.squared) <= target)) {
    result.outcome = TestResult::Outcome::failed;
  } else if (result.upper <= target) {
    result.outcome = TestResult::Outcome::passed;
  }
  return result;
}

Confirmation confirm(const Context& context, Design& design, CollocationState& state) {
  using Outcome = TestResult::Outcome;
  const CollocationTuning& tuning = context.tuning;
  const Index before = state.points.size(), screened = affordable_samples(context, state);
  double confidence = confidence_of_look(++state.looks, context.options.confidence);
  Evidence evidence;
  TestResult result;
  if (screened > 0) {
    // A few first: they refute what is clearly wrong.
    for (const Index samples : {std::max(tuning.least_screened, screened / 8), screened}) {
      Screening screening = screen(context, state, state.looks, samples);
      const Screened found = screen_expansion(context, design, confidence, screening, state);
      if (found == Screened::stopped) return Confirmation::stopped;
      if (samples < screened && found == Screened::refuted) {
        const bool clearly = screening.squares.mean() > 2 * std::pow(target(context, state), 2);
        if (!clearly && state.trouble_seen.empty() && state.points.size() == before) continue;
      }
      if (found == Screened::refuted) return Confirmation::refuted;
      if (samples < screened) continue;
      result = judge_test(screening.squares, state.error.optimisation, target(context, state),
                          confidence);
      evidence = {std::move(screening.squares), std::move(screening.gradients),
                  screening.from_measure()};
    }
  }
  const Index most = screened > 0 ? tuning.first_test : most_samples(context, before);
  Evidence solved;
  std::vector<Index> induced;
  const auto refuted = [&] {
    design.adopt_test(induced);
    return Confirmation::refuted;
  };
  for (Index n = tuning.first_test; solved.errors.size() < most;
       n = std::min(solved.errors.size(), most - solved.errors.size())) {
    if (may_evaluate(context, evaluations_per_sample * n, state) == Verdict::stop)
      return Confirmation::stopped;
    const DefensiveSamples samples =
        design.test_samples(state.points.size() - before, n, state.run.basis);
    induced.insert(induced.end(), samples.induced.begin(), samples.induced.end());
    if (test_round(context, samples, state, solved) == Verdict::stop) return Confirmation::stopped;
    const TestResult round =
        judge_test(solved.errors, state.error.optimisation, target(context, state), confidence);
    if (round.outcome == Outcome::failed || !solved.gradients.allFinite()) return refuted();
    if (screened == 0 && round.outcome == Outcome::undecided) {
      confidence = confidence_of_look(++state.looks, context.options.confidence);
      continue;
    }
    if (compare_starts(context, before, state) == Verdict::stop) return Confirmation::stopped;
    converge(context, screened > 0 ? result : round, screened > 0 ? evidence : solved, confidence,
             solved.errors.size(), state);
    return Confirmation::confirmed;
  }
  return refuted();
}

}  // namespace chaosgrad::internal::collocation
