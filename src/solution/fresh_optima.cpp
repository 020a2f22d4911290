#include "solution/fresh_optima.h"

#include <algorithm>
#include <cmath>

#include "constraint/metric_factor.h"
#include "curvature/curvature.h"
#include "random/random.h"
#include "samples/parameters.h"
#include "solution/averaged_function.h"
#include "solve/pointwise/constrained_descent.h"

namespace chaosgrad::internal {
namespace {

constexpr double point_tolerance = 1e-9;   // relative to the size of x
constexpr double least_eigenvalue = 1e-8;  // of the model of the Hessian, relative to the largest
constexpr Index curvature_points = 32, curvature_draws = 64;
constexpr Index most_steps = 200;
constexpr double runaway = 1e9;  // |x| beyond this, relative to its size: f has no minimum

Points points_of(const Expansion& expansion, const VerifyOptions& options) {
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

bool is_clean(const PointReport& report) {
  return report.unsolved == 0 && !report.nonfinite_theta && !report.runaway_theta &&
         !report.infeasible_theta;
}

}  // namespace

FreshPoints::FreshPoints(const Oracle& oracle, const Expansion& expansion,
                         const VerifyOptions& options)
    : oracle_(oracle), options_(options), points_(points_of(expansion, options)) {
  if (oracle.facts().may_fail && oracle.noise_dimension() == 0) skip_failures();
  if (points_.size() == 0) return;
  size_ = std::sqrt(points_.value.squaredNorm() / static_cast<double>(points_.size()));
  tolerance_ = point_tolerance * std::max(size_, 1e-3);
  measure_curvature();
}

void FreshPoints::skip_failures() {
  Matrix g(points_.size(), oracle_.dimension());
  Executor executor(options_.threads);
  const Index blocks = (points_.size() + block_size - 1) / block_size;
  executor.for_each(blocks, [&](Index block) {
    const Index first = block * block_size, rows = std::min(block_size, points_.size() - first);
    oracle_.gradient(points_.value.middleRows(first, rows), points_.theta.middleRows(first, rows),
                     Matrix(rows, 0), g.middleRows(first, rows));
  });
  curvature_gradients_ += points_.size() * oracle_.facts().draws;
  std::vector<Index> failed;
  for (Index i = 0; i < g.rows(); ++i) {
    if (!g.row(i).allFinite()) failed.push_back(i);
  }
  points_.remove(failed);
  skipped_ = static_cast<Index>(failed.size());
}

// Noise numbers of their own for each θ and half: Sobol' points under a shift, as far as they
// exist; one row of none where there is no noise.
Matrix FreshPoints::noise(Index point, Index half, Index draws) const {
  const Index r = oracle_.noise_dimension();
  const Stream stream = make_stream(options_.seed, Purpose::verify_noise,
                                    static_cast<std::uint64_t>(2 * point + half));
  if (r == 0) return Matrix(1, 0);
  if (r > SobolSequence::max_dimension()) return draw_noise(r, stream, 0, draws);
  Matrix numbers(draws, r);
  SobolSequence(r, stream).fill(0, numbers);
  return numbers;
}

AverageGradient FreshPoints::average(Index point, Index half, Index draws) const {
  return {oracle_, theta(point), noise(point, half, draws)};
}

// The Hessian in the middle of things, which the quick optimisations start from.
void FreshPoints::measure_curvature() {
  const Index count = std::min(curvature_points, points_.size());
  std::vector<AverageGradient> at;
  for (Index i = 0; i < count; ++i) at.push_back(average(i, 0, curvature_draws));
  const MeanGradient gradient = [&](const Vector& x) -> Vector {
    Vector sum = Vector::Zero(x.size());
    for (AverageGradient& one : at) sum += one(x) / static_cast<double>(count);
    return sum;
  };
  const Vector middle = points_.value.topRows(count).colwise().mean().transpose();
  Curvature curvature =
      internal::measure_curvature(gradient, middle, oracle_.noise_dimension() > 0,
                                  make_stream(options_.seed, Purpose::verify_krylov));
  for (const AverageGradient& one : at) curvature_gradients_ += one.count() * oracle_.facts().draws;
  lowest_curvature_ = curvature.lowest();
  if (!(lowest_curvature_ > 0)) return;
  if (const auto& set = oracle_.facts().constraints) {
    const Matrix factor = positive_factor(
        with_equalities(curvature.matrix(), *set, middle, points_.theta.row(0).transpose()),
        least_eigenvalue);
    constraints_.emplace(*set, [factor](Block) { return std::vector<Matrix>{factor}; });
  }
  inverse_ = std::make_shared<const MeanInverse>(std::move(curvature));
}

PointOptions FreshPoints::polishing() const {
  return {.tolerance = tolerance_,
          .contraction = 1,
          .most_steps = most_steps,
          .runaway_norm = runaway * (1 + size_),
          .constraints = constraints_ ? &*constraints_ : nullptr};
}

PointFunction FreshPoints::function(Index i, Index half) const {
  return averaged_function(oracle_, theta(i), noise(i, half, options_.draws / 2));
}

PointFunction FreshPoints::objective(Index i, Index half) const {
  PointFunction f = function(i, half);
  const Constraints* set = oracle_.facts().constraints.get();
  if (!set || !set->has_kinks()) return f;
  f.value = [value = f.value, set, theta = theta(i)](const Vector& x) {
    return value(x) + state_at(*set, theta, x).kinks;
  };
  return f;
}

std::string FreshPoints::explain(Index i, const Vector& x) const {
  const Matrix draws = noise(i, 0, options_.draws / 2);
  for (Index k = 0; k < draws.rows(); ++k) {
    std::string reason = oracle_.explain(x.transpose(), points_.theta.row(i), draws.row(k));
    if (!reason.empty()) return reason;
  }
  return {};
}

// All points of a problem without noise, a block at a time. False if one did not arrive.
bool FreshPoints::polish_together(const Matrix& start, Optima& result) const {
  const PointGradient gradient{
      [&](Block x, Block theta, BlockOut g) { oracle_.gradient(x, theta, Matrix(x.rows(), 0), g); },
      oracle_.facts().draws, oracle_.facts().batch, oracle_.facts().calls};
  Executor executor(options_.threads);
  Points points;
  points.append(points_.eta, points_.theta, start);
  const PointReport report =
      polish(gradient, *inverse_, polishing(), {0, points.size()}, points, executor);
  result.gradients += report.gradients;
  if (!is_clean(report)) return false;
  result.x = points.value;
  return true;
}

Found FreshPoints::polish_alone(Index i, Index half, const Vector& start, Vector& x,
                                std::int64_t& gradients) const {
  AverageGradient average = this->average(i, half, options_.draws / 2);
  const Index draws = oracle_.noise_dimension() > 0 ? options_.draws / 2 : oracle_.facts().draws;
  const PointGradient gradient{[&](Block at, Block, BlockOut g) {
                                 for (Index j = 0; j < at.rows(); ++j)
                                   g.row(j) = average(at.row(j).transpose()).transpose();
                               },
                               draws};
  Executor alone(1);
  Points one;
  one.append(points_.eta.row(i), points_.theta.row(i), start.transpose());
  const PointReport report = polish(gradient, *inverse_, polishing(), {0, 1}, one, alone);
  gradients += report.gradients;
  x = one.value.row(0).transpose();
  if (report.infeasible_theta) return Found::infeasible;
  if (report.nonfinite_theta) return Found::undefined;
  if (report.runaway_theta) return Found::unbounded;
  return report.unsolved > 0 ? Found::unfinished : Found::minimum;
}

Found FreshPoints::minimise_alone(Index i, Index half, const Vector& start, Vector& x,
                                  std::int64_t& gradients) const {
  const PointFunction f = function(i, half);
  const TrustRegionOptions goal{
      .tolerance = tolerance_, .most_steps = most_steps, .runaway_norm = runaway * (1 + size_)};
  // Here, and nowhere else, the optimum at one θ is found.
  const Constraints* set = oracle_.facts().constraints.get();
  const auto from = [&](const Vector& x0) {
    return set ? minimise(f, *set, theta(i), x0, goal) : minimise(f, x0, goal);
  };
  Minimum found = from(start);
  gradients += found.gradients;
  // The expansion may lead out of the domain; the problem's own start does not.
  if (found.outcome == Minimum::Outcome::outside_domain && start != oracle_.facts().start) {
    found = from(oracle_.facts().start);
    gradients += found.gradients;
  }
  x = found.x;
  switch (found.outcome) {
    case Minimum::Outcome::found:
      return Found::minimum;
    case Minimum::Outcome::unbounded:
      return Found::unbounded;
    case Minimum::Outcome::outside_domain:
      return Found::undefined;
    case Minimum::Outcome::infeasible:
      return Found::infeasible;
    default:
      return Found::unfinished;
  }
}

Optima FreshPoints::optima(const Matrix& start, Index half, bool thorough) const {
  const Index n = points_.size();
  const bool quick = inverse_ && !(thorough && oracle_.has_value());
  Optima result{start, std::vector<Found>(static_cast<std::size_t>(n), Found::minimum)};
  if (quick && oracle_.noise_dimension() == 0 && polish_together(start, result)) return result;
  struct Solved {
    Vector x;
    Found found = Found::unfinished;
    std::int64_t gradients = 0;
    auto members() { return std::tie(x, found, gradients); }
  };
  Executor executor(options_.threads);
  const std::vector<Solved> all = executor.map(
      n,
      [&](Index i) {
        Solved one{start.row(i).transpose()};
        if (quick)
          one.found = polish_alone(i, half, start.row(i).transpose(), one.x, one.gradients);
        if (one.found != Found::minimum && oracle_.has_value())
          one.found = minimise_alone(i, half, start.row(i).transpose(), one.x, one.gradients);
        return one;
      },
      oracle_.facts().calls);
  for (Index i = 0; i < n; ++i) {
    const Solved& one = all[static_cast<std::size_t>(i)];
    result.x.row(i) = one.x.transpose();
    result.found[static_cast<std::size_t>(i)] = one.found;
    result.gradients += one.gradients;
  }
  return result;
}

}  // namespace chaosgrad::internal
