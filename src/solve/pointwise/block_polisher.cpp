#include "solve/pointwise/block_polisher.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/pointwise/constrained_step.h"

namespace chaosgrad::internal {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

BlockPolisher::BlockPolisher(const PointGradient& gradient, const InverseHessian* inverse,
                             const PointOptions& options, const std::vector<Index>& numbers,
                             Points& points)
    : gradient_(gradient),
      inverse_(inverse),
      options_(options),
      tuning_(options.tuning),
      numbers_(numbers),
      points_(points) {
  for (Index i = 0; i < points.size(); ++i) moving_.push_back(i);
  lengths_.assign(moving_.size(), 0.0);
}

PointReport BlockPolisher::evaluate() {
  evaluate_missing();
  return std::move(report_);
}

PointReport BlockPolisher::polish() {
  evaluate_missing();
  for (const Index i : moving_)
    runaway_norms_.push_back(options_.runaway_norm + tuning_.runaway * points_.x.row(i).norm());
  const double budget = options_.budget * static_cast<double>(moving_.size());
  for (Index k = 0; k < options_.most_steps && !moving_.empty(); ++k) {
    keep_moving(options_.constraints ? constrained_directions() : directions(), k);
    const auto price = static_cast<Index>(moving_.size()) * gradient_.draws;
    report_.out_of_budget = static_cast<double>(report_.gradients + price) > budget;
    if (report_.out_of_budget) break;
    if (!moving_.empty()) take_steps();
  }
  report_.unsolved = static_cast<Index>(moving_.size());
  for (const Index i : moving_) {  // no step to be trusted
    points_.value.row(i) = points_.x.row(i);
    if (!report_.out_of_budget) points_.trouble[at(i)] = Trouble::unsolved;
  }
  return std::move(report_);
}

std::vector<Index> BlockPolisher::unfinished() const {
  std::vector<Index> numbers;
  for (const Index i : moving_) numbers.push_back(numbers_[at(i)]);
  return numbers;
}

void BlockPolisher::evaluate_missing() {
  std::vector<Index> missing;
  for (const Index i : moving_) {
    if (!points_.evaluated[at(i)]) missing.push_back(i);
  }
  if (missing.empty()) return;
  for (const Index i : missing) points_.x.row(i) = points_.value.row(i);
  const Matrix x = points_.x(missing, Eigen::all), theta = points_.theta(missing, Eigen::all);
  Matrix g(x.rows(), x.cols());
  gradient_.call(x, theta, g);
  report_.gradients += x.rows() * gradient_.draws;
  for (Index n = 0; n < x.rows(); ++n) {
    const Index i = missing[at(n)];
    if (!g.row(n).allFinite()) {
      note_nonfinite(i, x.row(n).transpose());
      continue;
    }
    points_.g.row(i) = g.row(n);
    points_.evaluated[at(i)] = 1;
  }
  drop_troubled();
}

void BlockPolisher::note_nonfinite(Index point, const Vector& x) {
  points_.trouble[at(point)] = Trouble::not_finite;
  if (report_.nonfinite_theta) return;
  report_.nonfinite_theta = points_.theta.row(point).transpose();
  report_.nonfinite_x = x;
}

// Points without a gradient, on their way to infinity, or without a feasible x do not move any
// more.
void BlockPolisher::drop_troubled() {
  std::size_t kept = 0;
  for (std::size_t n = 0; n < moving_.size(); ++n) {
    const Trouble trouble = points_.trouble[at(moving_[n])];
    if (trouble == Trouble::not_finite || trouble == Trouble::runaway ||
        trouble == Trouble::infeasible || trouble == Trouble::unsolved)
      continue;
    moving_[kept] = moving_[n];
    lengths_[kept] = lengths_[n];
    if (n < runaway_norms_.size()) runaway_norms_[kept] = runaway_norms_[n];
    ++kept;
  }
  moving_.resize(kept);
  lengths_.resize(kept);
  if (!runaway_norms_.empty()) runaway_norms_.resize(kept);
}

// −B g by the two-loop recursion, the common inverse in its middle (Nocedal and Wright,
// Algorithm 7.4).
Matrix BlockPolisher::directions() const {
  const auto n = static_cast<Index>(moving_.size());
  Matrix g = points_.g(moving_, Eigen::all), r(n, g.cols());
  std::vector<std::vector<double>> alphas(moving_.size());
  for (Index i = 0; i < n; ++i) {
    const std::vector<Secant>& pairs = points_.secants[at(moving_[at(i)])];
    for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) {
      const double alpha = g.row(i).dot(pair->s) / pair->s.dot(pair->y);
      g.row(i) -= alpha * pair->y.transpose();
      alphas[at(i)].push_back(alpha);
    }
  }
  inverse_->apply(points_.eta(moving_, Eigen::all), g, r);
  const Vector scales = inverse_scales();
  for (Index i = 0; i < n; ++i) {
    r.row(i) *= scales(i);
    const std::vector<Secant>& pairs = points_.secants[at(moving_[at(i)])];
    std::size_t back = alphas[at(i)].size();
    for (const Secant& pair : pairs) {
      const double beta = r.row(i).dot(pair.y) / pair.s.dot(pair.y);
      r.row(i) += (alphas[at(i)][--back] - beta) * pair.s.transpose();
    }
  }
  return -r;
}

// To the minimum of the quadratic model over C(θ), and what binds there. Points without a feasible
// x are dropped.
Matrix BlockPolisher::constrained_directions() {
  const PointConstraints& constraints = *options_.constraints;
  const std::vector<Matrix> factors = constraints.factors(points_.eta(moving_, Eigen::all));
  std::vector<Vector> ends;
  for (std::size_t n = 0; n < moving_.size(); ++n) {
    const Index i = moving_[n];
    const Vector theta = points_.theta.row(i).transpose();
    Projection end = constrained_step(constraints.set, theta, factors[factors.size() == 1 ? 0 : n],
                                      tuning_.rescale_from, points_.x.row(i).transpose(),
                                      points_.g.row(i).transpose(), points_.secants[at(i)]);
    if (end.outcome == QuadraticSolution::Outcome::solved) {
      points_.force.row(i) = end.force.transpose();
      ends.push_back(std::move(end.x));
      continue;
    }
    const bool infeasible = end.outcome == QuadraticSolution::Outcome::infeasible;
    points_.trouble[at(i)] = infeasible ? Trouble::infeasible : Trouble::unsolved;
    if (infeasible && !report_.infeasible_theta) report_.infeasible_theta = theta;
  }
  drop_troubled();
  Matrix steps(static_cast<Index>(ends.size()), points_.x.cols());
  for (std::size_t n = 0; n < ends.size(); ++n)
    steps.row(static_cast<Index>(n)) = ends[n].transpose() - points_.x.row(moving_[n]);
  return steps;
}

// The factor by which the common inverse B fits the last pair of each point, sᵀy/yᵀBy, where it
// is not near 1: nearer, one direction says little about the others.
Vector BlockPolisher::inverse_scales() const {
  const auto n = static_cast<Index>(moving_.size());
  Matrix y = Matrix::Zero(n, points_.g.cols()), z(n, points_.g.cols());
  for (Index i = 0; i < n; ++i) {
    const std::vector<Secant>& pairs = points_.secants[at(moving_[at(i)])];
    if (!pairs.empty()) y.row(i) = pairs.back().y.transpose();
  }
  inverse_->apply(points_.eta(moving_, Eigen::all), y, z);
  Vector scales = Vector::Ones(n);
  for (Index i = 0; i < n; ++i) {
    const double by = y.row(i).dot(z.row(i));
    if (!(by > 0)) continue;
    const double scale = points_.secants[at(moving_[at(i)])].back().s.dot(y.row(i)) / by;
    if (scale > tuning_.rescale_from || scale < 1 / tuning_.rescale_from) scales(i) = scale;
  }
  return scales;
}

// Applies the steps to `value`, and keeps the points that are not done.
void BlockPolisher::keep_moving(const Matrix& steps, Index step_number) {
  std::size_t kept = 0;
  steps_.resize(moving_.size());
  for (std::size_t n = 0; n < moving_.size(); ++n) {
    const Index i = moving_[n];
    Vector step = steps.row(static_cast<Index>(n)).transpose();
    if (!options_.constraints && !(points_.g.row(i).dot(step) <= 0)) step = steepest_descent(i);
    const double length = step.norm();
    if (lengths_[n] > 0) note_ratio(i, length / lengths_[n], step_number);
    points_.value.row(i) = points_.x.row(i) + step.transpose();
    const double remaining = remaining_error(i, length);
    if (remaining <= options_.tolerance) {
      report_.remaining_squares += remaining * remaining;
      continue;
    }
    moving_[kept] = i;
    lengths_[kept] = length;
    runaway_norms_[kept] = runaway_norms_[n];
    steps_[kept++] = std::move(step);
  }
  moving_.resize(kept);
  lengths_.resize(kept);
  runaway_norms_.resize(kept);
  steps_.resize(kept);
}

void BlockPolisher::note_ratio(Index point, double ratio, Index step_number) {
  double& own = points_.ratios[at(point)];
  if (step_number == 1 && own <= 0) {
    report_.ratio_squares += ratio * ratio;
    ++report_.ratios;
  }
  own = std::max(ratio, Points::least_ratio);
}

// What is left of the distance to the optimum after a step of this length.
double BlockPolisher::remaining_error(Index point, double length) const {
  double ratio = points_.ratios[at(point)];
  if (ratio <= 0 && length <= tuning_.negligible_step * options_.tolerance) return length;
  if (ratio == Points::doubted) return infinity;
  if (ratio == 0) {
    if (!options_.contraction || numbers_[at(point)] % options_.probe_every == 0) return infinity;
    ratio = *options_.contraction;
  }
  return ratio < 1 ? ratio / (1 - ratio) * length : infinity;
}

// Where the secant pairs do not give a descent direction: along −g, as long as the last pair says.
Vector BlockPolisher::steepest_descent(Index point) {
  std::vector<Secant>& pairs = points_.secants[at(point)];
  const Vector g = points_.g.row(point).transpose();
  const double curvature =
      pairs.empty() ? 1 : pairs.back().y.squaredNorm() / pairs.back().s.dot(pairs.back().y);
  pairs.clear();
  return -g / curvature;
}

void BlockPolisher::take_steps() {
  const auto n = static_cast<Index>(moving_.size());
  Matrix x(n, points_.x.cols()), g(n, points_.x.cols());
  for (Index i = 0; i < n; ++i)
    x.row(i) = points_.x.row(moving_[at(i)]) + steps_[at(i)].transpose();
  gradient_.call(x, points_.theta(moving_, Eigen::all), g);
  report_.gradients += n * gradient_.draws;
  for (Index i = 0; i < n; ++i) {
    const Index point = moving_[at(i)];
    const Vector& step = steps_[at(i)];
    if (!g.row(i).allFinite()) {
      if (step.norm() <= tuning_.shortest_step * (1 + points_.x.row(point).norm()))
        note_nonfinite(point, x.row(i).transpose());
      shorten_next(point, step);
      forget_step(at(i));
      continue;
    }
    if (!accept(point, x.row(i).transpose(), g.row(i).transpose(), step)) forget_step(at(i));
    if (points_.x.row(point).norm() > runaway_norms_[at(i)]) {
      points_.trouble[at(point)] = Trouble::runaway;
      if (!report_.runaway_theta) report_.runaway_theta = points_.theta.row(point).transpose();
    }
  }
  drop_troubled();
}

// ∇f is not finite at x + step, or of another size: a pair with a large curvature along the step
// keeps the next one away from there.
void BlockPolisher::shorten_next(Index point, const Vector& step) {
  keep_pair(point, {step, -tuning_.brake * points_.g.row(point).transpose()});
}

// The next step of this row starts where the last one did: their ratio says nothing.
void BlockPolisher::forget_step(std::size_t row) {
  lengths_[row] = 0;
  points_.ratios[at(moving_[row])] = 1;
}

// Whether the point moves to x, where the gradient is g.
bool BlockPolisher::accept(Index point, const Vector& x, const Vector& g, const Vector& step) {
  const Vector before = points_.g.row(point).transpose();
  const double proximal = options_.constraints ? options_.constraints->proximal : 0;
  const Vector y = proximal > 0 ? Vector(g - before + proximal * step) : Vector(g - before);
  const double sy = step.dot(y), ss = step.squaredNorm(), yy = y.squaredNorm();
  // Along what binds at the end of the step f may still fall: that slope does not count.
  const Vector force = options_.constraints ? Vector(points_.force.row(point).transpose())
                                            : Vector::Zero(step.size());
  const double slope_before = std::abs(step.dot(before + force)), slope = step.dot(g + force);
  const bool above_rounding = std::sqrt(yy) > tuning_.rounding * (before.norm() + g.norm()) &&
                              std::sqrt(ss) > tuning_.rounding * points_.x.row(point).norm();
  if (above_rounding) note_curvature(point, sy / ss, yy / sy);
  // The pair of such a step would shorten all that follow to nothing.
  if (slope > tuning_.regime_change * slope_before) {
    shorten_next(point, step);
    return false;
  }
  if (sy > tuning_.least_cosine * std::sqrt(ss * yy)) keep_pair(point, {step, y});
  // Past the minimum along the step by about its length: stay, the pair will shorten the next.
  if (slope > tuning_.overshoot * slope_before) return false;
  points_.x.row(point) = x.transpose();
  points_.g.row(point) = g.transpose();
  return true;
}

void BlockPolisher::note_curvature(Index point, double low, double high) {
  if (!(low > 0)) {
    points_.trouble[at(point)] = Trouble::not_convex;
    if (low < report_.negative_curvature) {
      report_.negative_curvature = low;
      report_.negative_theta = points_.theta.row(point).transpose();
    }
    return;
  }
  if (low < report_.lowest_curvature) {
    report_.lowest_curvature = low;
    report_.lowest_theta = points_.theta.row(point).transpose();
  }
  if (high > report_.highest_curvature) {
    report_.highest_curvature = high;
    report_.highest_theta = points_.theta.row(point).transpose();
  }
}

void BlockPolisher::keep_pair(Index point, Secant pair) {
  std::vector<Secant>& pairs = points_.secants[at(point)];
  if (static_cast<Index>(pairs.size()) == tuning_.memory) pairs.erase(pairs.begin());
  pairs.push_back(std::move(pair));
}

}  // namespace chaosgrad::internal
