#include "solve/sieve/sieve_batch.h"

#include "basis/kernels.h"
#include "random/random.h"

namespace chaosgrad::internal {
namespace {

constexpr auto from_measure = static_cast<Index>(measure_share * block_size);

struct BatchSums {
  std::array<Coefficients, sieve_groups> groups;
  Coefficients beyond, probed;
  Vector noise, probe_noise;
  std::optional<OutsidePoint> outside = {};
  auto members() { return std::tie(groups, beyond, probed, noise, probe_noise, outside); }
};

void add(BatchSums& left, BatchSums&& right) {
  for (std::size_t g = 0; g < left.groups.size(); ++g) left.groups[g] += right.groups[g];
  left.beyond += right.beyond;
  left.noise += right.noise;
  left.probed += right.probed;
  left.probe_noise += right.probe_noise;
  if (!left.outside) left.outside = std::move(right.outside);
}

// The sums of one block: the means of w R ψ for its group, and of its squares for all.
void add_block(const Oracle& oracle, const Basis& wide, const Coefficients& u,
               const LocalMetric& metric, const Probe& probe, const SieveSamples& block,
               std::size_t group, BatchSums& sums) {
  const Index m = u.rows(), q = u.cols(), total = wide.size();
  BasisBlock psi;
  Matrix x(block_size, q), g(block_size, q);
  wide.evaluate(block.eta, m, psi);
  expand(psi, u, x);
  oracle.gradient(x, block.theta, block.noise, g);
  if (!g.allFinite()) {
    sums.outside = outside_point(x, block.theta, block.noise, g);
    g.setZero();
  }
  const Matrix r = block.weights.asDiagonal() * metric.steps(block.eta, g);
  Coefficients projection = Coefficients::Zero(total, q);
  if (total > m) wide.evaluate(block.eta, total, psi);
  project(psi, r, projection);
  sums.groups[group] = projection.topRows(m);
  sums.beyond += projection.bottomRows(total - m);
  const Vector squares = r.rowwise().squaredNorm();
  const Matrix waves = probe.evaluate(block.eta);
  sums.probed += waves.transpose() * r;
  sums.probe_noise += waves.cwiseAbs2().transpose() * squares;
  for (Index j = 0; j < total; ++j) {
    for (Index i = 0; i < block_size; ++i) sums.noise(j) += squares(i) * psi(i, j) * psi(i, j);
  }
}

}  // namespace

SieveSamples mixture_samples(const Oracle& oracle, const Basis& basis, Index m,
                             const Stream& stream, Index block) {
  const Index d = basis.dimension();
  Matrix u(block_size, d + 1);
  fill_uniform(stream, block * block_size, u);
  SieveSamples samples{Matrix(block_size, d), Matrix(block_size, d), Matrix(block_size, 0), {}};
  oracle.parameters().germ_from_uniform(u.topLeftCorner(from_measure, d),
                                        samples.eta.topRows(from_measure));
  basis.christoffel_sample(u.bottomRows(block_size - from_measure), m,
                           samples.eta.bottomRows(block_size - from_measure));
  oracle.parameters().parameters_from_germ(samples.eta, samples.theta);
  BasisBlock psi;
  basis.evaluate(samples.eta, m, psi);
  Vector squares(block_size);
  sum_of_squares(psi, squares.data());
  samples.weights = (0.25 + 0.75 * squares.array() / static_cast<double>(m)).inverse();
  return samples;
}

SieveSamples sieve_samples(const Oracle& oracle, const Basis& basis, Index m, std::uint64_t seed,
                           Index stage, Index block) {
  const auto step = static_cast<std::uint64_t>(stage);
  SieveSamples samples =
      mixture_samples(oracle, basis, m, make_stream(seed, Purpose::parameters, step), block);
  samples.noise.resize(block_size, oracle.noise_dimension());
  if (samples.noise.cols() > 0)
    fill_uniform(make_stream(seed, Purpose::noise, step), block * block_size, samples.noise);
  return samples;
}

OutsidePoint outside_point(const Matrix& x, const Matrix& theta, const Matrix& noise,
                           const Matrix& g) {
  Index row = 0;
  while (g.row(row).allFinite()) ++row;
  return {x.row(row).transpose(), theta.row(row).transpose(), noise.row(row).transpose()};
}

Coefficients SieveBatch::mean() const {
  Coefficients sum = groups[0];
  for (std::size_t g = 1; g < groups.size(); ++g) sum += groups[g];
  return sum / static_cast<double>(sieve_groups);
}

SieveBatch sample_batch(const Oracle& oracle, const Basis& wide, const Coefficients& u,
                        const LocalMetric& metric, const Probe& probe, std::uint64_t seed,
                        Index stage, Index samples, Executor& executor) {
  const Index m = u.rows(), total = wide.size();
  BatchSums sums = executor.reduce(
      samples / sieve_chunk,
      [&](Index chunk) {
        BatchSums part;
        part.noise = Vector::Zero(total);
        part.beyond = Coefficients::Zero(total - m, u.cols());
        part.probed = Coefficients::Zero(probe.size(), u.cols());
        part.probe_noise = Vector::Zero(probe.size());
        for (Index group = 0; group < sieve_groups; ++group) {
          const SieveSamples block =
              sieve_samples(oracle, wide, m, seed, stage, chunk * sieve_groups + group);
          add_block(oracle, wide, u, metric, probe, block, static_cast<std::size_t>(group), part);
        }
        return part;
      },
      [](BatchSums& left, BatchSums&& right) { add(left, std::move(right)); });

  const auto n = static_cast<double>(samples);
  SieveBatch batch{.samples = samples,
                   .groups = std::move(sums.groups),
                   .beyond = sums.beyond / n,
                   .noise = {},
                   .probed = sums.probed / n,
                   .probe_noise = {},
                   .outside = std::move(sums.outside)};
  for (Coefficients& group : batch.groups) group *= static_cast<double>(sieve_groups) / n;
  // Variance of a mean: mean square less squared mean, over n.
  const Coefficients mean = batch.mean();
  Vector squared_means(total);
  squared_means << mean.rowwise().squaredNorm(), batch.beyond.rowwise().squaredNorm();
  batch.noise = (sums.noise / n - squared_means).cwiseMax(0) / n;
  batch.probe_noise = (sums.probe_noise / n - batch.probed.rowwise().squaredNorm()).cwiseMax(0) / n;
  return batch;
}

}  // namespace chaosgrad::internal
