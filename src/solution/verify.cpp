#include "chaosgrad/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "chaosgrad/error.h"
#include "constraint/infeasible.h"
#include "curvature/curvature.h"
#include "problem/averaged_problem.h"
#include "problem/expected_problem.h"
#include "problem/integrated_problem.h"
#include "problem/skipping_problem.h"
#include "solution/fresh_optima.h"
#include "solution/statistics/bars.h"
#include "solve/common/goal.h"

namespace chaosgrad {
using namespace internal;
namespace {

constexpr double rounding = 1e-9;       // of values of F, relative to their size
constexpr double different = 1e-4;      // minima farther apart, relative to |x|, may be two
constexpr double smallest_size = 1e-3;  // of a component, for that comparison

std::string at_theta(const ProblemFacts& facts, const FreshPoints& fresh, std::size_t i) {
  return place(facts, fresh.theta(static_cast<Index>(i)));
}

// Why there is nothing to compare with; empty if there is.
std::string failure_of(const Oracle& oracle, const FreshPoints& fresh, const Optima& optima) {
  for (std::size_t i = 0; i < optima.found.size(); ++i) {
    if (optima.found[i] == Found::unbounded)
      return fmt::format("the objective has no minimum at {}", at_theta(oracle.facts(), fresh, i));
    if (optima.found[i] == Found::infeasible) {
      return fmt::format(
          "{} at {}",
          why_infeasible(*oracle.facts().constraints, fresh.theta(static_cast<Index>(i))),
          at_theta(oracle.facts(), fresh, i));
    }
    if (optima.found[i] == Found::undefined) {
      return fmt::format(
          "the objective is not defined, or its gradient not finite, at the "
          "expansion and at the start, at {}",
          at_theta(oracle.facts(), fresh, i));
    }
  }
  return {};
}

// A minimum near the expansion and one from the problem's own start.
struct Pair {
  double here, there;  // F at the two
  bool apart;          // not the same
  bool lower, equal;   // the other is lower, or as low
};

Pair compare(const PointFunction& f, const Vector& x, const Vector& other, const Vector& start) {
  const double here = f.value(x), there = f.value(other), begin = f.value(start);
  double scale = std::isfinite(begin) ? std::abs(begin) : 0;
  for (const double value : {here, there}) {
    if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
  }
  const double size = x.norm() + smallest_size * std::sqrt(static_cast<double>(x.size()));
  const bool far = (x - other).norm() > different * size;
  return {here, there, far && rises_between(f, x, other, std::max(here, there) + rounding * scale),
          there < here - rounding * scale, std::abs(there - here) <= rounding * scale};
}

// The optima from the problem's own start, beside those that the expansion leads to: other minima
// that are as low or lower are counted, better values of the same minimum are taken.
void compare_with_start(const Oracle& oracle, const FreshPoints& fresh, Optima& near,
                        Verification& result) {
  const Vector& start = oracle.facts().start;
  const Optima own = fresh.optima(start.transpose().replicate(fresh.size(), 1), 0,
                                  oracle.dimension() <= pointwise_limit);
  result.gradients += own.gradients;
  OtherMinima& minima = result.minima;
  for (Index i = 0; i < fresh.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (own.found[k] == Found::undefined || own.found[k] == Found::infeasible) continue;
    const PointFunction f = fresh.objective(i, 0);
    const Vector x = near.x.row(i).transpose(), other = own.x.row(i).transpose();
    const Pair pair = compare(f, x, other, start);
    const bool solved = near.found[k] == Found::minimum;
    if (!(solved && pair.apart)) {
      if (!pair.lower && (solved || own.found[k] != Found::minimum)) continue;
      near.x.row(i) = other.transpose();
      near.found[k] = own.found[k];
      continue;
    }
    if (!pair.lower && !(pair.equal && own.found[k] == Found::minimum)) continue;
    const bool first = minima.count() == 0;
    ++(pair.lower ? minima.lower : minima.equal);
    if (!first && pair.here - pair.there <= minima.near_value - minima.other_value) continue;
    minima.theta = fresh.theta(i);
    minima.near = x;
    minima.other = other;
    minima.near_value = pair.here;
    minima.other_value = pair.there;
  }
}

// Where F is not defined at the expansion's own values.
void find_outside(const FreshPoints& fresh, Verification& result) {
  for (Index i = 0; i < fresh.size(); ++i) {
    const PointFunction f = fresh.function(i, 0);
    result.gradients += f.draws;
    const Vector x = fresh.expansion().row(i).transpose();
    if (std::isfinite(f.value(x))) continue;
    if (++result.outside > 1) continue;
    result.outside_theta = fresh.theta(i);
    result.outside_reason = fresh.explain(i, x);
  }
}

// A lower confidence limit of a mean of squares, whatever their distribution: the k-th largest of n is
// exceeded with a probability whose law is Beta(k, n − k + 1), and the mean is at least the product.
// For k = 1, 2, 4, …, which share the doubt. One large error among many small ones is enough.
double lower_mean(Vector squares, double doubt) {
  std::sort(squares.begin(), squares.end(), std::greater<>());
  const auto n = squares.size();
  const double each = doubt / std::ceil(std::log2(static_cast<double>(n)) + 1);
  double limit = 0;
  for (Index k = 1; k <= n; k *= 2) {
    const Distribution exceeded(Beta{static_cast<double>(k), static_cast<double>(n - k + 1), 0, 1});
    const double probability = exceeded.quantile(each);
    limit = std::max(limit, probability * squares(k - 1));
  }
  return limit;
}

// θ where rules for the noise are compared: all parameters at their median, low, and high.
Matrix few_parameters(const Measure& measure) {
  Matrix theta(3, measure.dimension());
  theta.row(0).setConstant(0.5);
  theta.row(1).setConstant(0.1);
  theta.row(2).setConstant(0.9);
  measure.germ_from_uniform(theta, theta);
  measure.parameters_from_germ(theta, theta);
  return theta;
}

// The finest Gauss rule for the noise that takes no more draws than were asked for, if there is one:
// with the innermost number for which it is nearest to the next coarser one.
std::optional<NoisePlan> finest_plan(const Oracle& oracle, const Expansion& expansion,
                                     const VerifyOptions& options) {
  if (oracle.noise_dimension() == 0 || !can_plan(oracle.facts(), {})) return {};
  const Matrix theta = few_parameters(oracle.parameters()), x = expansion.evaluate(theta);
  constexpr Index sufficient = 6, least = 3;  // levels: 16 and 6 nodes on each piece
  std::optional<NoisePlan> best;
  double smallest = infinity;
  for (Index innermost = 0; innermost < innermost_choices(oracle.facts()); ++innermost) {
    const auto rule = [&](Index level) {
      return IntegratedProblem(
          oracle, make_noise_plan(oracle.facts(), {.level = level, .innermost = innermost}), {});
    };
    for (Index level = sufficient; level >= least; --level) {
      const IntegratedProblem fine = rule(level), coarse = rule(level - 1);
      if (std::ranges::max(fine.draws_at(x, theta)) > options.draws) continue;
      Matrix g(theta.rows(), x.cols()), other = g;
      fine.gradient(x, theta, Matrix(theta.rows(), 0), g);
      coarse.gradient(x, theta, Matrix(theta.rows(), 0), other);
      const double difference = (g - other).norm();
      if (difference < smallest) {
        smallest = difference;
        best = fine.plan();
      }
      break;
    }
  }
  return best;
}

void summarise(const Matrix& a, const Matrix& b, const Points& points, double confidence,
               Verification& result) {
  const auto n = static_cast<double>(points.size());
  const Matrix products = a.cwiseProduct(b);
  const Vector squares = products.rowwise().sum();
  const double mean = squares.mean();
  const double sd = std::sqrt((squares.array() - mean).square().sum() / (n - 1));
  const double half_width = student_t(points.size() - 1, confidence) * sd / std::sqrt(n);
  const auto root = [](double square) { return std::sqrt(std::max(0.0, square)); };
  result.error = root(mean);
  result.lower = root(mean - half_width);
  const bool true_squares = a == b;  // no noise
  if (true_squares)
    result.lower = std::max(result.lower, root(lower_mean(squares, 0.5 * (1 - confidence))));
  // Squared errors are skewed: the upper limit takes account of that.
  result.upper = root(std::max(mean + half_width, upper_mean(squares, 0.5 * (1 + confidence))));
  result.components = products.colwise().mean().transpose().cwiseMax(0.0).cwiseSqrt();
  Index worst = 0;
  result.worst = (0.5 * (a + b)).rowwise().norm().maxCoeff(&worst);
  result.worst_theta = points.theta.row(worst).transpose();
  result.points = points.size();
}

}  // namespace

Verification verify(const Oracle& oracle, const Expansion& expansion,
                    const VerifyOptions& options) {
  if (options.points < 2)
    throw InputError("points", fmt::format("must be at least 2, found {}", options.points));
  if (options.draws < 2)
    throw InputError("draws", fmt::format("must be at least 2, found {}", options.draws));
  if (oracle.noise_dimension() > 0 &&
      exact_noise_draws(oracle.facts().noise_axes) <= static_cast<double>(options.draws)) {
    return verify(AveragedProblem(oracle), expansion, options);
  }
  if (oracle.noise_dimension() > 0 && oracle.facts().expectation)
    return verify(ExpectedProblem(oracle), expansion, options);
  if (const std::optional<NoisePlan> plan = finest_plan(oracle, expansion, options))
    return verify(IntegratedProblem(oracle, *plan, {}, options.draws), expansion, options);
  const bool may_fail = oracle.facts().may_fail;
  if (may_fail && oracle.noise_dimension() > 0) {
    const SkippingProblem skipping(oracle, nullptr);
    return verify(skipping, expansion, options);
  }
  Verification result;
  const FreshPoints fresh(oracle, expansion, options);
  result.gradients = fresh.curvature_gradients();
  result.skipped = fresh.skipped();
  if (fresh.size() < 2) {
    result.failure =
        fmt::format("the gradient fails at {} of {} fresh theta", result.skipped, options.points);
    return result;
  }
  result.unseen = std::min(1.0, 3 / static_cast<double>(fresh.size()));
  if (!(fresh.lowest_curvature() > 0) && !oracle.has_value()) {
    result.failure = fmt::format(
        "the objective is not strongly convex: its mean Hessian has the eigenvalue {:.3g}",
        fresh.lowest_curvature());
    return result;
  }
  if (oracle.has_value() && !may_fail) find_outside(fresh, result);
  Optima first = fresh.optima(fresh.expansion(), 0, false);
  result.gradients += first.gradients;
  if (oracle.has_value()) compare_with_start(oracle, fresh, first, result);
  result.failure = failure_of(oracle, fresh, first);
  if (!result.failure.empty()) return result;
  Optima second;
  if (oracle.noise_dimension() > 0) {
    second = fresh.optima(fresh.expansion(), 1, false);
    result.gradients += second.gradients;
    result.failure = failure_of(oracle, fresh, second);
    if (!result.failure.empty()) return result;
  }
  const Optima& other = oracle.noise_dimension() > 0 ? second : first;
  for (std::size_t i = 0; i < first.found.size(); ++i) {
    if (first.found[i] != Found::minimum || other.found[i] != Found::minimum) ++result.unsolved;
  }
  if (result.unsolved == fresh.size() && oracle.noise_dimension() == 0) {
    result.failure = fmt::format(
        "no optimisation arrived, that at {} for one: the objective may have no minimum, or one on "
        "the border of its domain",
        place(oracle.facts(), fresh.theta(0)));
    return result;
  }
  result.size = first.x.norm() / std::sqrt(static_cast<double>(fresh.size()));
  summarise(fresh.expansion() - first.x, fresh.expansion() - other.x, fresh.points(),
            options.confidence, result);
  return result;
}

bool leaves_domain(const Verification& verification, double confidence) {
  constexpr double allowed = 1e-3;
  double term = std::pow(1 - allowed, static_cast<double>(verification.points)), below = 0;
  for (Index k = 0; k < verification.outside; ++k) {  // P(fewer than `outside` of the points)
    below += term;
    term *= static_cast<double>(verification.points - k) / static_cast<double>(k + 1) * allowed /
            (1 - allowed);
  }
  return below > confidence;
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::too_small:
      return "too small";
    case Verdict::too_large:
      return "too large";
    case Verdict::rounding:
      return "both are rounding";
  }
  return "";
}

Verdict judge_estimate(double estimate, const Verification& verification) {
  // 5000 times the rounding of numbers: what Newton steps and sums of many terms leave.
  constexpr double rounding_of_x = 1e-12;
  if (std::max(estimate, verification.upper) <= rounding_of_x * verification.size)
    return Verdict::rounding;
  if (estimate < 0.5 * verification.lower) return Verdict::too_small;
  return estimate > 2 * verification.upper ? Verdict::too_large : Verdict::agrees;
}

}  // namespace chaosgrad
