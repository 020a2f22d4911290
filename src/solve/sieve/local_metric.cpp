#include "solve/sieve/local_metric.h"

#include <algorithm>
#include <iterator>

#include "basis/kernels.h"
#include "random/random.h"
#include "solve/common/saved_state.h"

namespace chaosgrad::internal {
namespace {

// Blocks of Hessians: so many, or as many as take this many doubles.
constexpr Index most_blocks = 64;
constexpr Index most_entries = 4'000'000;

// x_u at the samples.
Matrix expansion_values(const Basis& basis, const Coefficients& u, const Matrix& eta) {
  BasisBlock psi;
  basis.evaluate(eta, u.rows(), psi);
  Matrix x(eta.rows(), u.cols());
  expand(psi, u, x);
  return x;
}

// For large q: the mean gradient of a few blocks, and Lanczos on its differences. Every block gives
// an estimate of its own of the extreme eigenvalues, along the vectors of the whole.
MeasuredMetric measure_mean(const Oracle& oracle, const Basis& basis, const Coefficients& u,
                            std::uint64_t seed, Index stage, Index blocks) {
  const Index q = u.cols();
  std::vector<SieveSamples> samples;
  std::vector<Matrix> offsets;  // x_u(θ) less its mean coefficient
  for (Index b = 0; b < blocks; ++b) {
    samples.push_back(sieve_samples(oracle, basis, u.rows(), seed, metric_stage(stage), b));
    offsets.push_back(expansion_values(basis, u, samples.back().eta).rowwise() - u.row(0));
  }
  MeasuredMetric result;
  const auto gradient = [&](const Vector& x) -> Vector {
    Vector sum = Vector::Zero(q);
    Matrix g(block_size, q);
    for (std::size_t b = 0; b < samples.size(); ++b) {
      const Matrix at = offsets[b].rowwise() + x.transpose();
      oracle.gradient(at, samples[b].theta, samples[b].noise, g);
      if (!g.allFinite() && !result.curvature.outside)
        result.curvature.outside = outside_point(at, samples[b].theta, samples[b].noise, g);
      sum += g.transpose() * samples[b].weights;
    }
    return sum / static_cast<double>(blocks * block_size);
  };
  result.curvature.mean =
      measure_curvature(gradient, u.row(0).transpose(), true, make_stream(seed, Purpose::krylov));
  const Curvature& mean = result.curvature.mean;
  result.curvature.errors = Vector::Zero(mean.eigenvalues.size());
  if (mean.eigenvalues.allFinite() && mean.lowest() > 0) result.metric = LocalMetric(mean);
  if (mean.lowest() < 0) {
    result.curvature.concavity =
        Concavity{.curvature = mean.lowest(), .error = 0, .direction = mean.vectors.col(0)};
  }
  return result;
}

// The distribution functions of the germs at the rows of eta.
Matrix germ_levels(const Measure& measure, const Matrix& eta) {
  Matrix levels(eta.rows(), eta.cols());
  for (Index k = 0; k < eta.cols(); ++k) {
    const Distribution& germ = measure.germs()[static_cast<std::size_t>(k)];
    for (Index i = 0; i < eta.rows(); ++i) levels(i, k) = germ.cdf(eta(i, k));
  }
  return levels;
}

// A block of Hessians; the weight is 0 where one is not finite.
struct HessianBlock {
  Matrix eta;
  Vector weights;
  std::vector<Matrix> hessians;
  std::optional<OutsidePoint> outside = {};
  auto members() { return std::tie(eta, weights, hessians, outside); }
};

HessianBlock hessian_block(const Oracle& oracle, const Basis& basis, const Coefficients& u,
                           const SieveSamples& block) {
  // Steps as with noise: the sieve is for problems that have it.
  const Matrix x = expansion_values(basis, u, block.eta);
  HessianBlock result{
      block.eta, block.weights,
      sample_hessians(oracle, x, block.theta, block.noise, Difference::forward, true)};
  for (Index i = 0; i < block_size; ++i) {
    if (result.hessians[static_cast<std::size_t>(i)].allFinite()) continue;
    result.weights(i) = 0;
    Matrix g(1, u.cols());
    oracle.gradient(x.row(i), block.theta.row(i), block.noise.row(i), g);
    if (!g.allFinite() && !result.outside)
      result.outside = outside_point(x.row(i), block.theta.row(i), block.noise.row(i), g);
  }
  return result;
}

}  // namespace

Index metric_blocks(Index d, Index q, std::int64_t gradients) {
  const Index least = q > dense_limit ? 2 : 16 * metric_functions(d, q) * q / block_size;
  const auto affordable = static_cast<Index>(gradients / 20 / metric_cost(q, 1));
  const Index most =
      q > dense_limit ? most_blocks : std::max(most_blocks, most_entries / (block_size * q * q));
  return std::clamp<Index>(std::max(least, affordable), 2, most);
}

std::int64_t metric_cost(Index q, Index blocks) {
  const Index directions = q > dense_limit ? krylov_dimension : q;
  return blocks * block_size * (directions + 1);
}

MeasuredMetric measure_metric(const Oracle& oracle, const Basis& basis, const Coefficients& u,
                              std::uint64_t seed, Index stage, Index blocks,
                              const SieveTuning& tuning, Executor& executor) {
  const Index count = blocks * block_size;
  if (u.cols() > dense_limit) return measure_mean(oracle, basis, u, seed, stage, blocks);
  HessianSamples all{Matrix(count, basis.dimension()), Vector(count), {}};
  std::vector<HessianBlock> parts = executor.map(blocks, [&](Index b) {
    return hessian_block(oracle, basis, u,
                         sieve_samples(oracle, basis, u.rows(), seed, metric_stage(stage), b));
  });
  MeasuredMetric result;
  for (Index b = 0; b < blocks; ++b) {
    HessianBlock& part = parts[static_cast<std::size_t>(b)];
    all.eta.middleRows(b * block_size, block_size) = part.eta;
    all.weights.segment(b * block_size, block_size) = part.weights;
    std::ranges::move(part.hessians, std::back_inserter(all.hessians));
    if (part.outside && !result.curvature.outside)
      result.curvature.outside = std::move(part.outside);
  }
  if (result.curvature.outside || !(all.weights.sum() > 0)) return result;
  MeasuredCurvature& seen = result.curvature;
  const Matrix mean = mean_hessian(all);
  seen.mean = decompose(mean);
  seen.errors = quotient_errors(all, mean, seen.mean.vectors);
  seen.asymmetry_signal = asymmetry_of(all, mean).signal;
  seen.concavity =
      find_concavity(all, germ_levels(oracle.parameters(), all.eta), tuning.false_alarm);
  const Curvature usable = damped(seen.mean, seen.errors, tuning.curvature_floor);
  if (usable.lowest() > 0)
    result.metric = fit_metric(all, usable, basis.families(), oracle.facts().strong_convexity);
  return result;
}

void save(const LocalMetric& metric, SolverState& state) {
  save(metric.mean(), state);
  state.set_number("metric_floor", metric.floor());
  const Index q = metric.mean().vectors.rows();
  Coefficients& stacked = state.arrays["metric_parts"];
  stacked.resize(static_cast<Index>(metric.parts().size()) * q, q);
  for (std::size_t n = 0; n < metric.parts().size(); ++n)
    stacked.middleRows(static_cast<Index>(n) * q, q) = metric.parts()[n];
}

LocalMetric restore_metric(const SolverState& state, const std::vector<Family>& families) {
  Curvature mean = restore_curvature(state);
  const Coefficients& stacked = state.array("metric_parts");
  if (stacked.rows() == 0) return LocalMetric(std::move(mean));
  const Index q = stacked.cols();
  std::vector<Matrix> parts;
  for (Index first = 0; first < stacked.rows(); first += q)
    parts.emplace_back(stacked.middleRows(first, q));
  return LocalMetric(std::move(mean), families, std::move(parts), state.number("metric_floor"));
}

}  // namespace chaosgrad::internal
