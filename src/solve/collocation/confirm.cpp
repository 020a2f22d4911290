#include "solve/collocation/confirm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "estimate/mean_limit.h"
#include "numeric/decompositions.h"
#include "samples/basis_table.h"
#include "solve/collocation/judge.h"
#include "solve/collocation/lifted.h"
#include "solve/collocation/polishing.h"
#include "solve/collocation/rescue.h"
#include "solve/collocation/screened_test.h"

namespace chaosgrad::internal::collocation {
namespace {

constexpr Index evaluations_per_sample = 2;  // at the expansion, and after one step

void extend(Vector& all, const Vector& more) {
  const Index before = all.size();
  all.conservativeResize(before + more.size());
  all.tail(more.size()) = more;
}

// The rows of `samples` whose points, from number `first` on, are still there.
std::vector<Index> surviving(const DefensiveSamples& samples, const Points& points, Index first) {
  std::vector<Index> rows;
  Index point = first;
  for (Index i = 0; i < samples.eta.rows() && point < points.size(); ++i) {
    if (samples.eta.row(i) != points.eta.row(point)) continue;
    rows.push_back(i);
    ++point;
  }
  return rows;
}

// One round with fresh samples. A gradient at the expansion that is not finite is an error without
// bound.
Verdict test_round(const Context& context, const DefensiveSamples& samples, CollocationState& state,
                   Evidence& evidence) {
  const Index first = state.points.size();
  const bool may_fail = context.oracle.facts().may_fail;
  const Predicted predicted = append_at_expansion(context, samples.eta, state);
  if (check_feasibility(context, state) == Verdict::stop) return Verdict::stop;
  const PointReport at_expansion =
      evaluate(context.gradient, first, state.points, context.executor);
  if (note_report(context, at_expansion, state) == Verdict::stop) return Verdict::stop;
  Vector gradients = Vector::Constant(samples.eta.rows(), infinity);  // squares, at the expansion
  Index point = first;
  for (const Index i : surviving(samples, state.points, first)) {
    if (state.points.evaluated[static_cast<std::size_t>(point)]) {
      gradients(i) = (state.points.g.row(point) + predicted.force.row(i)).squaredNorm();
    } else if (!may_fail) {
      evidence.outside += samples.weights(i);
    }
    ++point;
  }
  if (replace_bad_starts(context, first, state) == Verdict::stop) return Verdict::stop;
  const double tolerance = context.tuning.accuracy * target(context, state);
  PointReport report;
  const Index n = state.points.size() - first;
  if (polish_range(context, {first, n}, tolerance, context.tuning.probe_every, state, report) ==
      Verdict::stop)
    return Verdict::stop;
  const std::vector<Index> rows = surviving(samples, state.points, first);
  const Vector weights = samples.weights(rows);
  const Vector errors =
      (state.points.value.bottomRows(state.points.size() - first) - predicted.x(rows, Eigen::all))
          .rowwise()
          .squaredNorm();
  extend(evidence.gradients, weights.cwiseProduct(Vector(gradients(rows))));
  extend(evidence.errors, weights.cwiseProduct(errors));
  for (const Index i : rows)
    evidence.from_measure += samples.induced[static_cast<std::size_t>(i)] == -1 ? 1 : 0;
  return Verdict::go_on;
}

// What a gradient that is known up to `change` means for x, at rows of germs, parameters and x_u: by
// the Hessian there, or what stands for it. No farther than optima are from each other, where f is
// not convex.
Matrix moves(const Context& context, const CollocationState& state, const DefensiveSamples& samples,
             const Matrix& theta, const Matrix& x, const Matrix& change) {
  const Index n = change.rows(), q = change.cols();
  const double reach =
      context.tuning.largest_prediction * state.points.value.rowwise().norm().maxCoeff();
  Matrix moved(n, q);
  std::vector<Matrix> factors;
  if (state.metric) factors = state.metric->factors(samples.eta);
  const bool exact = !state.metric && context.oracle.has_hessian();
  if (!state.metric && !exact) state.model.apply(samples.eta, change, moved);
  Matrix hessians(exact ? n : 0, q * q);
  if (exact) {
    const std::vector<Matrix> rows = context.executor.map(n, [&](Index i) {
      Matrix h(1, q * q);
      context.oracle.hessian(x.row(i), theta.row(i), Matrix(1, 0), h);
      return h;
    });
    for (Index i = 0; i < n; ++i) hessians.row(i) = rows[static_cast<std::size_t>(i)];
  }
  for (Index i = 0; i < n; ++i) {
    Matrix factor;
    if (state.metric) factor = factors[factors.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    if (exact && hessians.row(i).allFinite())
      factor = cholesky_factor(hessians.row(i).reshaped(q, q));
    if (factor.size() > 0)
      moved.row(i) = solve_cholesky(factor, Vector(change.row(i).transpose())).transpose();
    const double farthest = x.row(i).norm() + reach, length = moved.row(i).norm();
    const bool known = factor.size() > 0 || !(exact || state.metric);
    if (!known || !(length <= farthest)) moved.row(i).setConstant(farthest / std::sqrt(q));
  }
  return moved;
}

// The error of x that comes from a rule for the noise: how a finer one differs at fresh samples.
// Ends the run where the rule is too coarse for any expansion to be within the tolerance.
Verdict measure_integration(const Context& context, double confidence, const Design& design,
                            CollocationState& state) {
  const ProblemFacts& facts = context.oracle.facts();
  if (!facts.finer_gradient) return Verdict::go_on;
  const CollocationTuning& tuning = context.tuning;
  const Index n = facts.finer_draws <= tuning.few_draws ? tuning.most_test : tuning.first_alone;
  const Index q = context.oracle.dimension();
  const DefensiveSamples samples = design.test_samples(0, n, state.run.basis);
  Matrix theta(n, samples.eta.cols()), g(n, q), finer(n, q);
  context.oracle.parameters().parameters_from_germ(samples.eta, theta);
  const Matrix x = predict(context, samples.eta, theta, state).x;
  const std::vector<std::array<Matrix, 2>> rows = context.executor.map(n, [&](Index i) {
    std::array<Matrix, 2> both{Matrix(1, q), Matrix(1, q)};
    context.gradient.call(x.row(i), theta.row(i), both[0]);
    facts.finer_gradient(x.row(i), theta.row(i), both[1]);
    return both;
  });
  for (Index i = 0; i < n; ++i) {
    g.row(i) = rows[static_cast<std::size_t>(i)][0];
    finer.row(i) = rows[static_cast<std::size_t>(i)][1];
  }
  state.run.test_gradients += n * (context.gradient.draws * (1 + q) + facts.finer_draws);
  Matrix change = g - finer;
  for (Index i = 0; i < n; ++i) {
    if (!change.row(i).allFinite()) change.row(i).setZero();  // another test sees the domain
  }
  const Vector squares = samples.weights.cwiseProduct(
      moves(context, state, samples, theta, x, change).rowwise().squaredNorm());
  state.error.integration = std::sqrt(mean_limit(squares, confidence));
  state.error.integration_estimate = std::sqrt(squares.mean());
  state.error.sampling = std::hypot(state.error.sampling, state.error.integration_estimate);
  if (state.error.integration <= tuning.integration_share * target(context, state))
    return Verdict::go_on;
  state.run.state.set_integer("noise_is_coarse", 1);
  return stop(
      Status::stalled,
      fmt::format("the rule for the noise leaves an error of {:.3g}", state.error.integration),
      state);
}

// Two of the samples are solved from the start of the problem, too.
Verdict compare_starts(const Context& context, Index first, CollocationState& state) {
  if (!context.oracle.has_value()) return Verdict::go_on;
  const ProblemFacts& facts = context.oracle.facts();
  const Index count = std::min<Index>(2, state.points.size() - first);
  for (Index i = first; i < first + count; ++i) {
    const Vector theta = state.points.theta.row(i).transpose();
    const Minimum there = find_minimum(context, theta, {facts.start});
    const Minimum here = find_minimum(context, theta, {state.points.value.row(i).transpose()});
    state.run.test_gradients += here.gradients + there.gradients;
    if (!differ(context, theta, here, there, state)) continue;
    return stop_at(
        context, Status::several_minima, theta,
        fmt::format("the objective has several local minima at {}: {} and, from the "
                    "problem's own start, {}; x*(theta) is not one function",
                    place(facts, theta), describe(facts, here.x), describe(facts, there.x)),
        state);
  }
  return Verdict::go_on;
}

void converge(const Context& context, TestResult result, const Evidence& evidence,
              double confidence, Index solved, CollocationState& state) {
  // The test was judged with the limit of the integration error; the estimate has its estimate.
  result.squared +=
      std::pow(state.error.integration_estimate, 2) - std::pow(state.error.integration, 2);
  state.error.squared = result.squared;
  state.error.upper = result.upper;
  const double limit = mean_limit(evidence.gradients, confidence);
  if (std::isfinite(limit)) state.error.gradient_limit = std::sqrt(limit);
  state.run.unseen = 3.0 / static_cast<double>(evidence.from_measure);
  if (!evidence.note.empty()) state.run.notes.push_back(evidence.note);
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

Confirmation confirm(const Context& context, Design& design, CollocationState& state) {
  using Outcome = TestResult::Outcome;
  const CollocationTuning& tuning = context.tuning;
  const Index before = state.points.size();
  const ScreenPlan plan = plan_screening(context, state);
  const Index screened = plan.samples;
  double confidence = confidence_of_look(++state.looks, context.options.confidence);
  if (measure_integration(context, confidence, design, state) == Verdict::stop)
    return Confirmation::stopped;
  Evidence evidence;
  TestResult result;
  if (screened > 0) {
    const Screened found =
        screen_expansion(context, plan, confidence, design, state, evidence, result);
    if (found == Screened::stopped) return Confirmation::stopped;
    if (found != Screened::passed) return Confirmation::refuted;
  }
  const Index first = screened > 0 ? tuning.first_test : tuning.first_alone;
  const Index most = screened > 0 ? first : tuning.most_test;
  Evidence solved;
  std::vector<Index> induced;
  const std::int64_t spent = state.run.gradients;
  const auto refuted = [&] {
    design.adopt_test(induced);
    return Confirmation::refuted;
  };
  for (Index n = first; solved.errors.size() < most;
       n = std::min(solved.errors.size(), most - solved.errors.size())) {
    if (may_evaluate(context, evaluations_per_sample * n, state) == Verdict::stop)
      return Confirmation::stopped;
    const DefensiveSamples samples =
        design.test_samples(static_cast<Index>(induced.size()), n, state.run.basis);
    induced.insert(induced.end(), samples.induced.begin(), samples.induced.end());
    if (test_round(context, samples, state, solved) == Verdict::stop) return Confirmation::stopped;
    const TestResult round =
        judge_test(solved.errors, state.error.rest(), target(context, state), confidence);
    if (round.outcome == Outcome::failed ||
        solved.outside > tuning.outside_share * static_cast<double>(most))
      return refuted();
    if (screened == 0 && round.outcome == Outcome::undecided) {
      confidence = confidence_of_look(++state.looks, context.options.confidence);
      continue;
    }
    if (compare_starts(context, before, state) == Verdict::stop) return Confirmation::stopped;
    state.run.test_gradients += state.run.gradients - spent;  // no points: nothing rests on them
    state.run.gradients = spent;
    converge(context, screened > 0 ? result : round, screened > 0 ? evidence : solved, confidence,
             solved.errors.size(), state);
    return Confirmation::confirmed;
  }
  return refuted();
}

}  // namespace chaosgrad::internal::collocation
