#include "chaosgrad/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chaosgrad/error.h"
#include "curvature/curvature.h"
#include "curvature/metric.h"
#include "estimate/average_gradient.h"
#include "problem/averaged_problem.h"
#include "random/random.h"
#include "samples/parameters.h"
#include "solution/statistics/bars.h"
#include "solve/common/goal.h"
#include "solve/pointwise/pointwise.h"

namespace chaosgrad {
using namespace internal;
namespace {

constexpr double point_tolerance = 1e-9;  // relative to the size of x
constexpr Index curvature_points = 32, curvature_draws = 64;

// Fresh θ with the values of the expansion.
Points fresh_points(const Expansion& expansion, const VerifyOptions& options) {
  const ParameterSamples at =
      draw_parameters(expansion.measure(), make_stream(options.seed, Purpose::verify_parameters), 0,
                      options.points);
  Matrix x(options.points, expansion.coefficients().cols());
  for (Index first = 0; first < options.points; first += block_size) {
    const Index rows = std::min(block_size, options.points - first);
    x.middleRows(first, rows) = expansion.evaluate_germ(at.eta.middleRows(first, rows));
  }
  Points points;
  points.append(at.eta, at.theta, x);
  return points;
}

// Noise numbers of their own for each θ and half: Sobol' points under a shift, as far as they
// exist; one row of none where there is no noise.
Matrix noise_of(const Oracle& oracle, const VerifyOptions& options, Index point, Index half,
                Index draws) {
  const Index r = oracle.noise_dimension();
  const Stream stream = make_stream(options.seed, Purpose::verify_noise,
                                    static_cast<std::uint64_t>(2 * point + half));
  if (r == 0) return Matrix(1, 0);
  if (r > SobolSequence::max_dimension()) return draw_noise(r, stream, 0, draws);
  Matrix noise(draws, r);
  SobolSequence(r, stream).fill(0, noise);
  return noise;
}

AverageGradient average_at(const Oracle& oracle, const VerifyOptions& options, const Points& points,
                           Index point, Index half, Index draws) {
  return {oracle, points.theta.row(point).transpose(),
          noise_of(oracle, options, point, half, draws)};
}

// The Hessian in the middle of things, which all optimisations start from.
Curvature common_curvature(const Oracle& oracle, const Points& points, const VerifyOptions& options,
                           std::int64_t& gradients) {
  const Index count = std::min(curvature_points, points.size());
  std::vector<AverageGradient> at;
  for (Index i = 0; i < count; ++i)
    at.push_back(average_at(oracle, options, points, i, 0, curvature_draws));
  const MeanGradient gradient = [&](const Vector& x) -> Vector {
    Vector sum = Vector::Zero(x.size());
    for (AverageGradient& one : at) sum += one(x) / static_cast<double>(count);
    return sum;
  };
  const Vector middle = points.value.topRows(count).colwise().mean().transpose();
  Curvature curvature = measure_curvature(gradient, middle, oracle.noise_dimension() > 0,
                                          make_stream(options.seed, Purpose::verify_krylov));
  for (const AverageGradient& one : at) gradients += one.count() * oracle.facts().draws;
  return curvature;
}

PointOptions point_options(const Points& points) {
  const double size = std::sqrt(points.value.squaredNorm() / static_cast<double>(points.size()));
  return {.tolerance = point_tolerance * std::max(size, 1e-3),
          .contraction = 1,
          .most_steps = 200,
          .runaway_norm = 1e9 * (1 + size)};
}

std::string failure_of(const ProblemFacts& facts, const PointReport& report) {
  if (report.nonfinite_theta)
    return fmt::format("the gradient is not finite at {}", place(facts, *report.nonfinite_theta));
  if (report.runaway_theta)
    return fmt::format("the objective has no minimum at {}", place(facts, *report.runaway_theta));
  return {};
}

// x* at every point: of f, or of the average over one half of the draws.
Matrix optima(const Oracle& oracle, const InverseHessian& inverse, const VerifyOptions& options,
              const Points& start, Index half, PointReport& report) {
  Executor executor(options.threads);
  const PointOptions goal = point_options(start);
  Points points = start;
  if (oracle.noise_dimension() == 0) {
    const PointGradient gradient{[&](Block x, Block theta, BlockOut g) {
                                   oracle.gradient(x, theta, Matrix(x.rows(), 0), g);
                                 },
                                 oracle.facts().draws};
    report.add(polish(gradient, inverse, goal, {0, points.size()}, points, executor));
    return points.value;
  }
  const Index draws = options.draws / 2;
  report.add(executor.reduce(
      points.size(),
      [&](Index i) {
        AverageGradient average = average_at(oracle, options, start, i, half, draws);
        const PointGradient gradient{
            [&](Block x, Block, BlockOut g) { g = average(x.row(0).transpose()).transpose(); },
            draws};
        Executor alone(1);
        Points one;
        one.append(start.eta.row(i), start.theta.row(i), start.value.row(i));
        PointReport single = polish(gradient, inverse, goal, {0, 1}, one, alone);
        points.value.row(i) = one.value.row(0);
        return single;
      },
      [](PointReport& left, PointReport&& right) { left.add(std::move(right)); }));
  return points.value;
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
  Verification result;
  const Points points = fresh_points(expansion, options);
  Curvature curvature = common_curvature(oracle, points, options, result.gradients);
  if (!(curvature.lowest() > 0)) {
    result.failure = fmt::format(
        "the objective is not strongly convex: its mean Hessian has the "
        "eigenvalue {:.3g}",
        curvature.lowest());
    return result;
  }
  const MeanInverse inverse(std::move(curvature));
  PointReport report;
  const Matrix first = optima(oracle, inverse, options, points, 0, report);
  const bool noisy = oracle.noise_dimension() > 0;
  const Matrix second = noisy ? optima(oracle, inverse, options, points, 1, report) : first;
  result.gradients += report.gradients;
  result.unsolved = report.unsolved;
  result.failure = failure_of(oracle.facts(), report);
  if (!result.failure.empty()) return result;
  summarise(points.value - first, points.value - second, points, options.confidence, result);
  return result;
}

Verdict judge_estimate(double estimate, const Verification& verification) {
  if (estimate < 0.5 * verification.lower) return Verdict::too_small;
  return estimate > 2 * verification.upper ? Verdict::too_large : Verdict::agrees;
}

}  // namespace chaosgrad
