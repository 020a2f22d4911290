#include "solve/sieve/local_metric.h"

#include <algorithm>

#include "basis/kernels.h"
#include "random/random.h"
#include "solve/common/saved_state.h"
#include "solve/sieve/sieve_batch.h"

namespace chaosgrad::internal {
namespace {

constexpr Index most_blocks = 64;

// x_u at the samples.
Matrix expansion_values(const Basis& basis, const Coefficients& u, const Matrix& eta) {
  BasisBlock psi;
  basis.evaluate(eta, u.rows(), psi);
  Matrix x(eta.rows(), u.cols());
  expand(psi, u, x);
  return x;
}

// For large q: the mean gradient of a few blocks, and Lanczos on its differences.
LocalMetric measure_mean(const Oracle& oracle, const Basis& basis, const Coefficients& u,
                         std::uint64_t seed, Index stage, Index blocks) {
  const Index q = u.cols();
  std::vector<SieveSamples> samples;
  std::vector<Matrix> offsets;  // x_u(θ) less its mean coefficient
  for (Index b = 0; b < blocks; ++b) {
    samples.push_back(sieve_samples(oracle, basis, u.rows(), seed, metric_stage(stage), b));
    offsets.push_back(expansion_values(basis, u, samples.back().eta).rowwise() - u.row(0));
  }
  const auto gradient = [&](const Vector& x) -> Vector {
    Vector sum = Vector::Zero(q);
    Matrix g(block_size, q);
    for (std::size_t b = 0; b < samples.size(); ++b) {
      oracle.gradient(offsets[b].rowwise() + x.transpose(), samples[b].theta, samples[b].noise, g);
      sum += g.transpose() * samples[b].weights;
    }
    return sum / static_cast<double>(blocks * block_size);
  };
  return LocalMetric(
      measure_curvature(gradient, u.row(0).transpose(), true, make_stream(seed, Purpose::krylov)));
}

}  // namespace

Index metric_blocks(Index d, Index q, std::int64_t gradients) {
  const Index least = q > dense_limit ? 2 : 16 * metric_functions(d, q) * q / block_size;
  const auto affordable = static_cast<Index>(gradients / 20 / metric_cost(q, 1));
  return std::clamp<Index>(std::max(least, affordable), 2, most_blocks);
}

std::int64_t metric_cost(Index q, Index blocks) {
  const Index directions = q > dense_limit ? krylov_dimension : q;
  return blocks * block_size * (directions + 1);
}

LocalMetric measure_metric(const Oracle& oracle, const Basis& basis, const Coefficients& u,
                           std::uint64_t seed, Index stage, Index blocks, Executor& executor) {
  const Index count = blocks * block_size;
  if (u.cols() > dense_limit) return measure_mean(oracle, basis, u, seed, stage, blocks);
  HessianSamples all{Matrix(count, basis.dimension()), Vector(count),
                     std::vector<Matrix>(static_cast<std::size_t>(count))};
  executor.for_each(blocks, [&](Index b) {
    const SieveSamples block = sieve_samples(oracle, basis, u.rows(), seed, metric_stage(stage), b);
    // Steps as with noise: the sieve is for problems that have it.
    std::vector<Matrix> hessians =
        sample_hessians(oracle, expansion_values(basis, u, block.eta), block.theta, block.noise,
                        Difference::forward, true);
    all.eta.middleRows(b * block_size, block_size) = block.eta;
    all.weights.segment(b * block_size, block_size) = block.weights;
    std::move(hessians.begin(), hessians.end(), all.hessians.begin() + b * block_size);
  });
  return fit_metric(all, basis.families(), oracle.facts().strong_convexity);
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
