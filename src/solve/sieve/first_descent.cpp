#include "solve/sieve/first_descent.h"

#include <algorithm>
#include <cmath>

#include "curvature/hessian_noise.h"
#include "solve/sieve/samples.h"

namespace chaosgrad::internal {
namespace {

// The mean of ∇F over the same draws of (θ, v) at every constant x.
class MeanObjective {
 public:
  MeanObjective(const SieveContext& context, const Basis& basis)
      : context_(context), blocks_(context.tuning.descent_blocks) {
    for (Index b = 0; b < blocks_; ++b)
      samples_.push_back(
          sieve_samples(context.oracle, basis, 1, context.options.seed, metric_stage(0), b));
  }

  struct Gradient {
    Vector mean, errors;  // standard errors of its components
    std::optional<OutsidePoint> outside = {};
  };
  [[nodiscard]] Gradient gradient(const Vector& x) {
    const Index q = x.size(), n = blocks_ * block_size;
    Matrix all(n, q);
    struct Part {
      Matrix g;
      std::optional<OutsidePoint> outside;
      auto members() { return std::tie(g, outside); }
    };
    std::vector<Part> parts = context_.executor.map(blocks_, [&](Index b) {
      const SieveSamples& block = samples_[static_cast<std::size_t>(b)];
      Part part{Matrix(block_size, q), {}};
      const Matrix at = x.transpose().replicate(block_size, 1);
      context_.oracle.gradient(at, block.theta, block.noise, part.g);
      if (!part.g.allFinite()) part.outside = outside_point(at, block.theta, block.noise, part.g);
      return part;
    });
    for (Index b = 0; b < blocks_; ++b)
      all.middleRows(b * block_size, block_size) = parts[static_cast<std::size_t>(b)].g;
    gradients_ += n;
    Gradient result{all.colwise().mean().transpose(), Vector::Zero(q)};
    const auto size = static_cast<double>(n);
    result.errors = ((all.rowwise() - result.mean.transpose()).colwise().squaredNorm().transpose() /
                     (size * (size - 1)))
                        .cwiseSqrt();
    for (Part& part : parts) {
      if (part.outside && !result.outside) result.outside = std::move(part.outside);
    }
    return result;
  }

  // Hessians of the single draws. Those that are not finite have the weight 0.
  [[nodiscard]] HessianSamples hessians(const Vector& x) {
    const Index n = blocks_ * block_size;
    HessianSamples all{Matrix(0, 0), Vector::Ones(n),
                       std::vector<Matrix>(static_cast<std::size_t>(n))};
    std::vector<std::vector<Matrix>> parts = context_.executor.map(blocks_, [&](Index b) {
      const SieveSamples& block = samples_[static_cast<std::size_t>(b)];
      return sample_hessians(context_.oracle, x.transpose().replicate(block_size, 1), block.theta,
                             block.noise, Difference::forward, true);
    });
    for (Index i = 0; i < n; ++i) {
      Matrix& H =
          parts[static_cast<std::size_t>(i / block_size)][static_cast<std::size_t>(i % block_size)];
      if (!H.allFinite()) all.weights(i) = 0;
      all.hessians[static_cast<std::size_t>(i)] = std::move(H);
    }
    gradients_ += n * (x.size() + 1);
    return all;
  }

  // Of a step: a gradient, and a Hessian by differences.
  [[nodiscard]] std::int64_t cost() const {
    return blocks_ * block_size * (context_.oracle.dimension() + 2);
  }
  [[nodiscard]] std::int64_t gradients() const { return gradients_; }

 private:
  const SieveContext& context_;
  Index blocks_;
  std::vector<SieveSamples> samples_;
  std::int64_t gradients_ = 0;
};

// In units of 1 + |x_a|, in which a step of 1 is large.
Vector scales_of(const Vector& x) { return (1 + x.array().abs()).matrix(); }

// What is known at the iterate, in these units.
struct Place {
  Vector x, scales;
  MeanObjective::Gradient g;
  Curvature curvature;  // damped
  Vector errors;
  bool clear = false;  // no eigenvalue had to be raised
};

Place look(MeanObjective& objective, const Vector& x, MeanObjective::Gradient g,
           const SieveTuning& tuning, FirstDescent& result) {
  Place at{.x = x, .scales = scales_of(x), .g = std::move(g), .curvature = {}, .errors = {}};
  HessianSamples samples = objective.hessians(x);
  if (!(samples.weights.sum() > 0)) {  // not finite on either side: nothing is known
    samples.weights.setOnes();
    for (Matrix& hessian : samples.hessians) hessian.setZero(x.size(), x.size());
  }
  const Matrix mean = mean_hessian(samples);
  result.curvature = decompose(mean);
  result.errors = quotient_errors(samples, mean, result.curvature.vectors);
  const auto S = at.scales.asDiagonal();
  for (Matrix& hessian : samples.hessians) hessian = (S * hessian * S).eval();
  const Matrix scaled = S * mean * S;
  const Curvature raw = decompose(scaled);
  at.errors = quotient_errors(samples, scaled, raw.vectors);
  at.clear = (raw.eigenvalues.array() > tuning.curvature_floor * at.errors.array()).all();
  at.curvature = damped(raw, at.errors, tuning.curvature_floor);
  return at;
}

bool is_noise(const MeanObjective::Gradient& g, double signal) {
  return (g.mean.array().abs() <= signal * g.errors.array()).all();
}

}  // namespace

Vector bounded_step(const Matrix& vectors, const Vector& eigenvalues, const Vector& g,
                    double radius) {
  const Vector along = vectors.transpose() * g;
  const auto step = [&](double shift) -> Vector {
    return -along.cwiseQuotient((eigenvalues.array() + shift).matrix().cwiseMax(1e-300));
  };
  double high = along.norm() / radius;  // |step(high)| ≤ radius
  if (step(0).norm() <= radius) return vectors * step(0);
  double low = 0;
  for (int k = 0; k < 100 && high - low > 1e-6 * high; ++k) {
    const double middle = 0.5 * (low + high);
    (step(middle).norm() > radius ? low : high) = middle;
  }
  return vectors * step(high);
}

FirstDescent first_descent(const SieveContext& context, const Basis& basis, const Vector& start,
                           const std::function<bool(std::int64_t)>& may_continue) {
  const SieveTuning& tuning = context.tuning;
  MeanObjective objective(context, basis);
  FirstDescent result;
  result.x = start;
  const auto end = [&](FirstDescent::Outcome outcome) {
    result.outcome = outcome;
    result.gradients = objective.gradients();
    return result;
  };
  MeanObjective::Gradient g = objective.gradient(start);
  if (g.outside) {
    result.outside = std::move(g.outside);
    return end(FirstDescent::Outcome::outside_domain);
  }
  Place at = look(objective, start, std::move(g), tuning, result);
  const Vector units = scales_of(start);
  double radius = infinity;
  bool moved = false;
  for (Index k = 0; k < tuning.descent_steps; ++k) {
    result.x = at.x;
    if (k > 0 && !may_continue(objective.gradients() + objective.cost()))
      return end(FirstDescent::Outcome::stopped);
    const auto arrived = moved ? FirstDescent::Outcome::moved : FirstDescent::Outcome::good_start;
    if (is_noise(at.g, tuning.descent_noise)) return end(arrived);
    if (!(radius < infinity) && !at.clear) radius = 1;
    const Vector slope = at.scales.cwiseProduct(at.g.mean);
    const Vector p = bounded_step(at.curvature.vectors, at.curvature.eigenvalues, slope, radius);
    const double length = p.norm();
    const Vector x = at.x + at.scales.cwiseProduct(p);
    result.direction = at.scales.cwiseProduct(p).normalized();
    if (!(x.cwiseQuotient(units).norm() < tuning.runaway))
      return end(FirstDescent::Outcome::unbounded);
    g = objective.gradient(x);
    if (g.outside) {
      radius = 0.25 * length;
      continue;
    }
    // Of a convex function: how far the step went, in steps to the minimum along it.
    const double before = -slope.dot(p), after = at.scales.cwiseProduct(g.mean).dot(p);
    const bool whole = length < 0.999 * radius;  // Newton's step, not the radius
    if (at.clear && whole && std::abs(after) <= tuning.descent_gain * before) return end(arrived);
    if (after > tuning.descent_gain * before) {
      radius = length * std::clamp(before / (before + after), 0.1, 0.5);
      continue;
    }
    if (after < -tuning.descent_gain * before) radius = 4 * std::min(radius, length);
    moved = true;
    at = look(objective, x, std::move(g), tuning, result);
  }
  result.x = at.x;
  return end(FirstDescent::Outcome::unfinished);
}

}  // namespace chaosgrad::internal
