#include "solve/pointwise/pointwise.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace chaosgrad::internal {
namespace {

constexpr std::size_t memory = 12;  // secant pairs per point
constexpr double far_scale = 4;
constexpr double wild_overshoot = 1e4;  // not what a Hessian of the right kind could do
constexpr double runaway = 1e3;         // times the size of the start

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The steps of one block of points, all of which still move.
class BlockPolisher {
 public:
  BlockPolisher(const PointGradient& gradient, const InverseHessian* inverse,
                const PointOptions& options, Points& points, Index first, Index count)
      : gradient_(gradient), inverse_(inverse), options_(options), points_(points) {
    for (Index i = first; i < first + count; ++i) rows_.push_back(i);
    lengths_.assign(at(count), 0.0);
  }

  PointReport evaluate() {
    evaluate_missing();
    return std::move(report_);
  }

  PointReport polish() {
    evaluate_missing();
    for (const Index i : rows_) limits_.push_back(options_.far + runaway * points_.x.row(i).norm());
    const double budget = options_.budget * static_cast<double>(rows_.size());
    for (int k = 0; k < options_.most_steps && !rows_.empty(); ++k) {
      const Matrix steps = directions();
      keep_moving(steps, k);
      const auto price = static_cast<Index>(rows_.size()) * gradient_.draws;
      report_.out_of_budget = static_cast<double>(report_.gradients + price) > budget;
      if (report_.out_of_budget) break;
      if (!rows_.empty()) take_steps();
    }
    report_.unsolved = static_cast<Index>(rows_.size());
    for (const Index i : rows_) points_.value.row(i) = points_.x.row(i);  // no step to be trusted
    return std::move(report_);
  }

 private:
  void evaluate_missing() {
    std::vector<Index> missing;
    for (const Index i : rows_) {
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
        bad(i, x.row(n).transpose());
        continue;
      }
      points_.g.row(i) = g.row(n);
      points_.evaluated[at(i)] = 1;
    }
  }

  // A gradient that is not finite ends the work on the block.
  void bad(Index i, const Vector& x) {
    report_.bad_theta = points_.theta.row(i).transpose();
    report_.bad_x = x;
    rows_.clear();
  }

  // −B g by the two-loop recursion, the common inverse in its middle (Nocedal and Wright,
  // Algorithm 7.4).
  [[nodiscard]] Matrix directions() const {
    if (rows_.empty()) return {};
    const auto n = static_cast<Index>(rows_.size());
    Matrix g = points_.g(rows_, Eigen::all), r(n, g.cols());
    std::vector<std::vector<double>> alphas(rows_.size());
    for (Index i = 0; i < n; ++i) {
      const std::vector<Secant>& pairs = points_.secants[at(rows_[at(i)])];
      for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) {
        const double alpha = g.row(i).dot(pair->s) / pair->s.dot(pair->y);
        g.row(i) -= alpha * pair->y.transpose();
        alphas[at(i)].push_back(alpha);
      }
    }
    inverse_->apply(points_.eta(rows_, Eigen::all), g, r);
    const Vector scales = fitting_scales();
    for (Index i = 0; i < n; ++i) {
      r.row(i) *= scales(i);
      const std::vector<Secant>& pairs = points_.secants[at(rows_[at(i)])];
      std::size_t back = alphas[at(i)].size();
      for (const Secant& pair : pairs) {
        const double beta = r.row(i).dot(pair.y) / pair.s.dot(pair.y);
        r.row(i) += (alphas[at(i)][--back] - beta) * pair.s.transpose();
      }
    }
    return -r;
  }

  // The factor by which the common inverse B fits the last pair of each point, sᵀy/yᵀBy, where it
  // is far from 1: nearer, one direction says little about the others.
  [[nodiscard]] Vector fitting_scales() const {
    const auto n = static_cast<Index>(rows_.size());
    Matrix y = Matrix::Zero(n, points_.g.cols()), z(n, points_.g.cols());
    for (Index i = 0; i < n; ++i) {
      const std::vector<Secant>& pairs = points_.secants[at(rows_[at(i)])];
      if (!pairs.empty()) y.row(i) = pairs.back().y.transpose();
    }
    inverse_->apply(points_.eta(rows_, Eigen::all), y, z);
    Vector scales = Vector::Ones(n);
    for (Index i = 0; i < n; ++i) {
      const double by = y.row(i).dot(z.row(i));
      if (!(by > 0)) continue;
      const double scale = points_.secants[at(rows_[at(i)])].back().s.dot(y.row(i)) / by;
      if (scale > far_scale || scale < 1 / far_scale) scales(i) = scale;
    }
    return scales;
  }

  // Applies the steps to `value`, and leaves in rows_ and steps_ the points that are not done.
  void keep_moving(const Matrix& steps, int k) {
    std::vector<Index> moving;
    std::vector<double> lengths, limits;
    std::vector<Vector> kept;
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      const Index i = rows_[n];
      Vector step = steps.row(static_cast<Index>(n)).transpose();
      if (!(points_.g.row(i).dot(step) <= 0)) step = steepest(i);
      const double length = step.norm();
      if (lengths_[n] > 0) note_ratio(i, length / lengths_[n], k);
      points_.value.row(i) = points_.x.row(i) + step.transpose();
      const double remaining = remaining_error(i, length);
      if (remaining <= options_.tolerance) {
        report_.remaining_squares += remaining * remaining;
        continue;
      }
      moving.push_back(i);
      lengths.push_back(length);
      limits.push_back(limits_[n]);
      kept.push_back(std::move(step));
    }
    rows_ = std::move(moving);
    lengths_ = std::move(lengths);
    limits_ = std::move(limits);
    steps_ = std::move(kept);
  }

  void note_ratio(Index i, double ratio, int k) {
    double& own = points_.ratios[at(i)];
    if (k == 1 && own <= 0) {
      report_.worst_ratio = std::max(report_.worst_ratio, ratio);
      ++report_.ratios;
    }
    own = std::max(ratio, 1e-12);
  }

  // What is left of the distance to the optimum after a step of this length.
  [[nodiscard]] double remaining_error(Index i, double length) const {
    double ratio = points_.ratios[at(i)];
    if (ratio <= 0 && length <= 1e-6 * options_.tolerance) return length;
    if (ratio == Points::doubted) return infinity;
    if (ratio == 0) {
      if (!options_.contraction || i % options_.probe_every == 0) return infinity;
      ratio = *options_.contraction;
    }
    return ratio < 1 ? ratio / (1 - ratio) * length : infinity;
  }

  // Where the secant pairs do not give a descent direction: along −g, as long as the last pair
  // says.
  Vector steepest(Index i) {
    std::vector<Secant>& pairs = points_.secants[at(i)];
    const Vector g = points_.g.row(i).transpose();
    const double curvature =
        pairs.empty() ? 1 : pairs.back().y.squaredNorm() / pairs.back().s.dot(pairs.back().y);
    pairs.clear();
    return -g / curvature;
  }

  void take_steps() {
    const auto n = static_cast<Index>(rows_.size());
    Matrix x(n, points_.x.cols()), g(n, points_.x.cols());
    for (Index i = 0; i < n; ++i)
      x.row(i) = points_.x.row(rows_[at(i)]) + steps_[at(i)].transpose();
    gradient_.call(x, points_.theta(rows_, Eigen::all), g);
    report_.gradients += n * gradient_.draws;
    for (Index i = 0; i < n; ++i) {
      const Index row = rows_[at(i)];
      if (!g.row(i).allFinite()) {
        if (steps_[at(i)].norm() <= 1e-12 * (1 + points_.x.row(row).norm()))
          return bad(row, x.row(i).transpose());
        shorten(row, steps_[at(i)]);
        stayed(i);
        continue;
      }
      if (!accept(row, x.row(i).transpose(), g.row(i).transpose(), steps_[at(i)])) stayed(i);
      if (points_.x.row(row).norm() > limits_[at(i)]) {
        report_.far_theta = points_.theta.row(row).transpose();
        rows_.clear();
        return;
      }
    }
  }

  // ∇f is not finite at x + step, or beyond all measure: a pair of ten times the curvature along
  // the step keeps the next one away from there.
  void shorten(Index row, const Vector& step) {
    remember(row, {step, -10 * points_.g.row(row).transpose()});
  }

  // The next step starts where the last one did: their ratio says nothing.
  void stayed(Index i) {
    lengths_[at(i)] = 0;
    points_.ratios[at(rows_[at(i)])] = 1;
  }

  // Whether the point moves to x.
  bool accept(Index row, const Vector& x, const Vector& g, const Vector& step) {
    const Vector before = points_.g.row(row).transpose(), y = g - before;
    const double sy = step.dot(y), ss = step.squaredNorm(), yy = y.squaredNorm();
    // A step so short that rounding makes up the difference says nothing about curvature.
    const bool telling = std::sqrt(yy) > 1e-7 * (before.norm() + g.norm()) &&
                         std::sqrt(ss) > 1e-7 * points_.x.row(row).norm();
    if (telling) observe(row, sy / ss, sy > 0 ? yy / sy : 0);
    if (step.dot(g) > wild_overshoot * std::abs(step.dot(before))) {  // its pair would be a brake
      shorten(row, step);
      return false;
    }
    if (sy > 1e-14 * std::sqrt(ss * yy)) remember(row, {step, y});
    // Past the minimum along the step by more than its length: stay, the pair will shorten the
    // next.
    if (step.dot(g) > 0.9 * std::abs(step.dot(before))) return false;
    points_.x.row(row) = x.transpose();
    points_.g.row(row) = g.transpose();
    return true;
  }

  void observe(Index row, double low, double high) {
    if (low < report_.lowest_curvature) {
      report_.lowest_curvature = low;
      report_.lowest_theta = points_.theta.row(row).transpose();
    }
    if (high > report_.highest_curvature) {
      report_.highest_curvature = high;
      report_.highest_theta = points_.theta.row(row).transpose();
    }
  }

  void remember(Index row, Secant pair) {
    std::vector<Secant>& pairs = points_.secants[at(row)];
    if (pairs.size() == memory) pairs.erase(pairs.begin());
    pairs.push_back(std::move(pair));
  }

  const PointGradient& gradient_;
  const InverseHessian* inverse_;
  const PointOptions& options_;
  Points& points_;
  std::vector<Index> rows_;      // the points that still move
  std::vector<double> lengths_;  // of their last steps
  std::vector<double> limits_;   // |x| beyond them is a runaway
  std::vector<Vector> steps_;
  PointReport report_;
};

}  // namespace

void Points::append(const Matrix& new_eta, const Matrix& new_theta, const Matrix& start) {
  const Index before = size(), n = new_eta.rows();
  const auto extend = [&](Matrix& matrix, const Matrix& rows) {
    matrix.conservativeResize(before + n, rows.cols());
    matrix.bottomRows(n) = rows;
  };
  extend(eta, new_eta);
  extend(x, start);
  extend(g, Matrix::Zero(n, start.cols()));
  extend(value, start);
  extend(theta, new_theta);
  evaluated.resize(at(before + n), 0);
  ratios.resize(at(before + n), 0.0);
  doubts.resize(at(before + n), 0);
  secants.resize(at(before + n));
}

void PointReport::add(PointReport&& other) {
  gradients += other.gradients;
  worst_ratio = std::max(worst_ratio, other.worst_ratio);
  ratios += other.ratios;
  remaining_squares += other.remaining_squares;
  if (other.lowest_curvature < lowest_curvature) {
    lowest_curvature = other.lowest_curvature;
    lowest_theta = std::move(other.lowest_theta);
  }
  if (other.highest_curvature > highest_curvature) {
    highest_curvature = other.highest_curvature;
    highest_theta = std::move(other.highest_theta);
  }
  unsolved += other.unsolved;
  out_of_budget = out_of_budget || other.out_of_budget;
  if (!bad_theta && other.bad_theta) {
    bad_theta = std::move(other.bad_theta);
    bad_x = std::move(other.bad_x);
  }
  if (far_theta.size() == 0) far_theta = std::move(other.far_theta);
}

namespace {

// work(block polisher) over all blocks of points of the range.
template <class Work>
PointReport over_blocks(const PointGradient& gradient, const InverseHessian* inverse,
                        const PointOptions& options, PointRange range, Points& points,
                        Executor& executor, const Work& work) {
  if (range.count == 0) return {};
  const Index size = std::max<Index>(1, block_size / gradient.draws);
  return executor.reduce(
      (range.count + size - 1) / size,
      [&](Index block) {
        BlockPolisher polisher(gradient, inverse, options, points, range.first + block * size,
                               std::min(size, range.count - block * size));
        return work(polisher);
      },
      [](PointReport& left, PointReport&& right) { left.add(std::move(right)); });
}

}  // namespace

PointReport evaluate(const PointGradient& gradient, Index first, Points& points,
                     Executor& executor) {
  return over_blocks(gradient, nullptr, {}, {first, points.size() - first}, points, executor,
                     [](BlockPolisher& polisher) { return polisher.evaluate(); });
}

PointReport polish(const PointGradient& gradient, const InverseHessian& inverse,
                   const PointOptions& options, PointRange range, Points& points,
                   Executor& executor) {
  return over_blocks(gradient, &inverse, options, range, points, executor,
                     [](BlockPolisher& polisher) { return polisher.polish(); });
}

}  // namespace chaosgrad::internal
