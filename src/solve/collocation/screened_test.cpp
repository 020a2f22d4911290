#include "solve/collocation/screened_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "estimate/mean_limit.h"
#include "numeric/decompositions.h"
#include "solve/collocation/improbable.h"
#include "solve/collocation/polishing.h"
#include "solve/collocation/rescue.h"

namespace chaosgrad::internal::collocation {
namespace {

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

// Ends the run: two minima at one θ.
Verdict stop_with_minima(const Context& context, const Vector& theta, const Minimum& here,
                         const Minimum& there, CollocationState& state) {
  const ProblemFacts& facts = context.oracle.facts();
  return stop_at(
      context, Status::several_minima, theta,
      fmt::format("the objective has several local minima at {}: {} where it is {:.6g}, and {} "
                  "where it is {:.6g}; x*(theta) is not one function",
                  place(facts, theta), describe(facts, here.x), here.value,
                  describe(facts, there.x), there.value),
      state);
}

// Solves samples one by one, the first `most` of them. What has no minimum ends the run; of the
// others the true error takes the place of the Newton step.
Verdict settle(const Context& context, Index look, const std::vector<Index>& numbers, Index most,
               Screening& screening, CollocationState& state) {
  const auto solved = std::min(numbers.size(), static_cast<std::size_t>(most));
  if (solved == 0) return Verdict::go_on;
  struct Settled {
    ScreenedSample sample;
    Minimum found, mirrored;
    auto members() { return std::tie(sample, found, mirrored); }
  };
  const std::vector<Settled> all = context.executor.map(static_cast<Index>(solved), [&](Index n) {
    const Index number = numbers[static_cast<std::size_t>(n)];
    Settled one{screened_sample(context, state, look, number), {}, {}};
    one.found = minimum_at(context, one.sample, state);
    // On a saddle, or a ridge, f falls to both sides.
    const bool ridge = screening.remarks[static_cast<std::size_t>(number)] == Remark::not_convex;
    if (ridge && one.found.outcome == Minimum::Outcome::found)
      one.mirrored = find_minimum(context, one.sample.theta, {2 * one.sample.x - one.found.x});
    return one;
  });
  for (std::size_t k = 0; k < solved; ++k) {
    const auto& [sample, found, mirrored] = all[k];
    state.run.test_gradients += found.gradients + mirrored.gradients;
    if (found.outcome != Minimum::Outcome::found) {
      if (is_improbable(context, sample.theta))
        continue;  // as wrong as can be, by its small weight
      return stop_without_minimum(context, sample.theta, found, state);
    }
    if (differ(context, sample.theta, found, mirrored, state))
      return stop_with_minima(context, sample.theta, found, mirrored, state);
    if (sample.x.allFinite())  // otherwise y is too far out to be projected: as wrong as can be
      screening.squares(numbers[k]) =
          screening.weights(numbers[k]) * (found.x - sample.x).squaredNorm();
  }
  return Verdict::go_on;
}

// Samples at which ∇f or H is not what it should be, the most probable first.
Verdict settle_remarks(const Context& context, Index look, Screening& screening,
                       CollocationState& state) {
  std::vector<Index> numbers = screening.with(Remark::not_convex);
  for (const Remark remark : {Remark::not_finite, Remark::on_border}) {
    const std::vector<Index> more = screening.with(remark);
    numbers.insert(numbers.end(), more.begin(), more.end());
  }
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](Index a, Index b) { return screening.weights(a) > screening.weights(b); });
  return settle(context, look, numbers, context.tuning.most_settled, screening, state);
}

// How many samples, from the first on, have at most this many whose Newton steps are no distances:
// whole blocks, at least one.
Index samples_with_steps(const Screening& screening, Index most) {
  Index without = 0, end = 0;
  for (Index i = 0; i < screening.samples; ++i) {
    if (i % block_size == 0) end = std::max(i, block_size);
    const Remark remark = screening.remarks[static_cast<std::size_t>(i)];
    without += remark == Remark::not_quadratic || remark == Remark::not_convex ||
               remark == Remark::not_finite || remark == Remark::on_border;
    if (without > most) return end;
  }
  return screening.samples;
}

// Samples whose Newton steps say nothing, as they come. What is not solved counts as wrong as x can
// be: a test that can solve some of them only, such as |x|^1.5 where every fourth Newton step is no
// distance, takes fewer samples instead.
Verdict settle_steps(const Context& context, Index look, Screening& screening,
                     CollocationState& state) {
  const Index most = context.tuning.most_settled * context.tuning.settling_rounds;
  screening.shorten(samples_with_steps(screening, most));
  return settle(context, look, screening.with(Remark::not_quadratic), most, screening, state);
}

// The numbers of the samples with the largest squares.
std::vector<Index> worst_samples(const Screening& screening, Index count) {
  std::vector<Index> numbers(static_cast<std::size_t>(screening.samples));
  std::iota(numbers.begin(), numbers.end(), Index{0});
  const auto most = numbers.begin() + std::min(count, screening.samples);
  std::partial_sort(numbers.begin(), most, numbers.end(), [&](Index a, Index b) {
    return std::pair(-screening.squares(a), a) < std::pair(-screening.squares(b), b);
  });
  numbers.erase(most, numbers.end());
  return numbers;
}

// Samples with the largest errors, for a Newton step is no measure of distance where f is far from
// quadratic: rounds of them, as long as the steps turn out to be much too long and the mean square
// is above the target.
Verdict settle_worst(const Context& context, Index look, Screening& screening,
                     CollocationState& state) {
  const double enough = std::pow(target(context, state), 2);
  for (Index round = 0; round < context.tuning.settling_rounds; ++round) {
    const std::vector<Index> numbers = worst_samples(screening, context.tuning.most_settled);
    const double said = screening.squares(numbers).sum();
    if (settle(context, look, numbers, context.tuning.most_settled, screening, state) ==
        Verdict::stop)
      return Verdict::stop;
    const bool too_long = screening.squares(numbers).sum() < 0.5 * said;
    if (!too_long || screening.squares.mean() < 0.25 * enough) break;
  }
  return Verdict::go_on;
}

// Where f is not convex between the expansion and another x it may have another minimum there.
Verdict look_for_minima(const Context& context, Index look, const Screening& screening,
                        CollocationState& state) {
  std::vector<Index> numbers = screening.with(Remark::not_monotone);
  numbers.resize(std::min(numbers.size(), static_cast<std::size_t>(context.tuning.most_settled)));
  if (numbers.empty()) return Verdict::go_on;
  struct Pair {
    Vector theta;
    Minimum here, there;
    auto members() { return std::tie(theta, here, there); }
  };
  const auto count = static_cast<Index>(2 * numbers.size());
  const std::vector<Pair> pairs = context.executor.map(count, [&](Index n) {
    const auto k = static_cast<std::size_t>(n);
    const ScreenedSample sample = screened_sample(context, state, look, numbers[k / 2]);
    const Vector& other = k % 2 == 0 ? context.oracle.facts().start : sample.elsewhere;
    return Pair{sample.theta, find_minimum(context, sample.theta, {sample.x}),
                find_minimum(context, sample.theta, {other})};
  });
  for (const Pair& pair : pairs) {
    state.run.test_gradients += pair.here.gradients + pair.there.gradients;
    if (differ(context, pair.theta, pair.here, pair.there, state))
      return stop_with_minima(context, pair.theta, pair.here, pair.there, state);
  }
  return Verdict::go_on;
}

// A given μ that H contradicts somewhere.
void see_low_curvature(const Context& context, Index look, const Screening& screening,
                       CollocationState& state) {
  std::vector<Index> numbers = screening.with(Remark::below_mu);
  numbers.resize(std::min<std::size_t>(numbers.size(), 4));
  for (const Index number : numbers) {
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
  const double half = 0.5 * screening.squares.sum();
  double carried = 0;
  std::size_t size = 0;
  while (size < order.size() && carried < half) carried += screening.squares(order[size++]);
  struct Candidate {
    Vector eta;
    double weight;
  };
  std::vector<Candidate> candidates;
  const auto most = std::min(size, static_cast<std::size_t>(64 * context.tuning.adopted));
  for (std::size_t k = 0; k < most; ++k) {
    const ScreenedSample sample = screened_sample(context, state, look, order[k]);
    if (!is_improbable(context, sample.theta))
      candidates.push_back({sample.eta, screening.weights(order[k])});
  }
  if (candidates.empty()) return;
  // Spread over the set: in the order of its first coordinate.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.eta(0) < b.eta(0); });
  const auto total = static_cast<Index>(candidates.size());
  const Index count = std::min(total, context.tuning.adopted);
  Matrix eta(count, state.points.eta.cols());
  Vector probabilities(count);
  for (Index i = 0; i < count; ++i) {
    const Candidate& chosen =
        candidates[static_cast<std::size_t>((2 * i + 1) * total / (2 * count))];
    eta.row(i) = chosen.eta.transpose();
    probabilities(i) = chosen.weight;
  }
  // Each stands for as many of the set, which are as probable as it is.
  probabilities *= static_cast<double>(size) / static_cast<double>(count * screening.samples);
  append(context, eta, state);
  design.adopt_standouts(probabilities, state.points.size());
}

// Where the expansion leaves the domain of F, and with what probability. The border itself does not
// count: there x is at a bound of its own, and its distance to the optimum is measured.
std::string describe_outside(const Context& context, Index look, const Screening& screening,
                             const CollocationState& state, double& probability) {
  const std::vector<Index> outside = screening.with(Remark::not_finite);
  if (outside.empty()) return {};
  probability = screening.weights(outside).sum() / static_cast<double>(screening.samples);
  const Index typical = *std::max_element(outside.begin(), outside.end(), [&](Index a, Index b) {
    return screening.weights(a) < screening.weights(b);
  });
  const ScreenedSample sample = screened_sample(context, state, look, typical);
  const std::string reason =
      context.oracle.explain(sample.x.transpose(), sample.theta.transpose(), Matrix(1, 0));
  const ProblemFacts& facts = context.oracle.facts();
  return fmt::format(
      "the objective is not a number at the expansion with probability {:.2g}, as for {}, {}{}{}",
      probability, place(facts, sample.theta), describe(facts, sample.x),
      reason.empty() ? "" : ": ", reason);
}

// One screening of the expansion. What refutes it is handed to the design.
Screened screen_once(const Context& context, const ScreenPlan& plan, double confidence,
                     Design& design, CollocationState& state, Evidence& evidence,
                     TestResult& result) {
  const Index look = state.looks;
  const bool solvable = context.oracle.has_value();
  Screening screening = screen(context, state, look, plan);
  state.run.test_gradients += screening.evaluations;
  if (solvable && (settle_remarks(context, look, screening, state) == Verdict::stop ||
                   look_for_minima(context, look, screening, state) == Verdict::stop))
    return Screened::stopped;
  see_low_curvature(context, look, screening, state);
  double probability = 0;
  const std::string outside = describe_outside(context, look, screening, state, probability);
  const bool often_outside = probability > context.tuning.outside_share;
  state.outside = often_outside ? outside : "";
  const auto judged = [&] {
    return judge_test(screening.squares, state.error.rest(), target(context, state), confidence);
  };
  if (solvable && settle_steps(context, look, screening, state) == Verdict::stop)
    return Screened::stopped;
  result = judged();
  if (solvable && result.outcome != TestResult::Outcome::passed) {
    if (settle_worst(context, look, screening, state) == Verdict::stop) return Screened::stopped;
    result = judged();
  }
  if (result.outcome != TestResult::Outcome::failed && !often_outside) {
    if (context.constraints)
      state.multiplier_errors = (screening.weights.transpose() * screening.multiplier_squares /
                                 static_cast<double>(screening.samples))
                                    .cwiseSqrt()
                                    .transpose();
    evidence = {.errors = std::move(screening.squares),
                .gradients = std::move(screening.gradients),
                .from_measure = screening.from_measure(),
                .note = outside};
    return result.outcome == TestResult::Outcome::passed ? Screened::passed : Screened::undecided;
  }
  const double said = state.error.squares.mean();
  if (result.squared > context.tuning.contradiction * said || often_outside)
    adopt_worst(context, look, screening, design, state);
  state.error.squared = std::max(state.error.squared, result.squared);
  return Screened::refuted;
}

}  // namespace

Screened screen_expansion(const Context& context, ScreenPlan plan, double& confidence,
                          Design& design, CollocationState& state, Evidence& evidence,
                          TestResult& result) {
  Screened found = screen_once(context, plan, confidence, design, state, evidence, result);
  if (found != Screened::undecided) return found;
  confidence = confidence_of_look(++state.looks, context.options.confidence);
  plan.samples *= 4;
  return screen_once(context, plan, confidence, design, state, evidence, result);
}

}  // namespace chaosgrad::internal::collocation
