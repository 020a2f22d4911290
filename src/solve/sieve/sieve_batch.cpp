#include "solve/sieve/sieve_batch.h"

#include <algorithm>

#include "basis/kernels.h"
#include "random/random.h"

namespace chaosgrad::internal {
namespace {

struct BatchSums {
  std::array<Coefficients, sieve_groups> groups;  // over the basis, the functions beyond, the probe
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
  sums.beyond += projection.bottomRows(total - m);
  const Vector squares = r.rowwise().squaredNorm();
  const Matrix waves = probe.evaluate(block.eta);
  const Coefficients probed = waves.transpose() * r;
  sums.probed += probed;
  sums.groups[group].resize(total + probed.rows(), q);
  sums.groups[group] << projection, probed;
  sums.probe_noise += waves.cwiseAbs2().transpose() * squares;
  for (Index j = 0; j < total; ++j) {
    for (Index i = 0; i < block_size; ++i) sums.noise(j) += squares(i) * psi(i, j) * psi(i, j);
  }
}

// The variance of means over Sobol' points relative to that of independent samples, over rows first,
// …, first + count − 1 together: the scatter of the groups over what `noise` says.
double variance_ratio(const std::array<Coefficients, sieve_groups>& groups, Index first,
                      Index count, const Eigen::Ref<const Vector>& noise) {
  if (count == 0 || !(noise.sum() > 0)) return 1;
  Coefficients mean = Coefficients::Zero(count, groups[0].cols());
  for (const Coefficients& group : groups) mean += group.middleRows(first, count) / sieve_groups;
  double scatter = 0;
  for (const Coefficients& group : groups)
    scatter += (group.middleRows(first, count) - mean).squaredNorm();
  scatter /= static_cast<double>(sieve_groups * (sieve_groups - 1));
  constexpr double least = 1e-6, most = 2;
  return std::clamp(scatter / noise.sum(), least, most);
}

}  // namespace

Coefficients SieveBatch::mean() const {
  Coefficients sum = groups[0];
  for (std::size_t g = 1; g < groups.size(); ++g) sum += groups[g];
  return sum / static_cast<double>(sieve_groups);
}

SieveBatch sample_batch(const Oracle& oracle, const Basis& wide, const Coefficients& u,
                        const LocalMetric& metric, const Probe& probe, std::uint64_t seed,
                        Index stage, Index samples, Executor& executor) {
  const Index m = u.rows(), total = wide.size();
  const BatchSource source(oracle, seed, stage, sieve_groups);
  BatchSums sums = executor.reduce(
      samples / sieve_chunk,
      [&](Index chunk) {
        BatchSums part;
        part.noise = Vector::Zero(total);
        part.beyond = Coefficients::Zero(total - m, u.cols());
        part.probed = Coefficients::Zero(probe.size(), u.cols());
        part.probe_noise = Vector::Zero(probe.size());
        for (Index group = 0; group < sieve_groups; ++group) {
          const SieveSamples block = source.block(wide, m, chunk, group);
          add_block(oracle, wide, u, metric, probe, block, static_cast<std::size_t>(group), part);
        }
        return part;
      },
      [](BatchSums& left, BatchSums&& right) { add(left, std::move(right)); });

  const auto n = static_cast<double>(samples);
  for (Coefficients& group : sums.groups) group *= static_cast<double>(sieve_groups) / n;
  SieveBatch batch{.samples = samples,
                   .effective = n,
                   .groups = {},
                   .beyond = sums.beyond / n,
                   .noise = {},
                   .probed = sums.probed / n,
                   .probe_noise = {},
                   .outside = std::move(sums.outside)};
  for (std::size_t g = 0; g < sums.groups.size(); ++g) batch.groups[g] = sums.groups[g].topRows(m);
  // Variance of a mean: mean square less squared mean, over n.
  const Coefficients mean = batch.mean();
  Vector squared_means(total);
  squared_means << mean.rowwise().squaredNorm(), batch.beyond.rowwise().squaredNorm();
  batch.noise = (sums.noise / n - squared_means).cwiseMax(0) / n;
  batch.probe_noise = (sums.probe_noise / n - batch.probed.rowwise().squaredNorm()).cwiseMax(0) / n;
  if (!source.is_sobol()) return batch;
  const Index beyond = total - m;
  const double inside = variance_ratio(sums.groups, 0, m, batch.noise.head(m));
  batch.effective = n / inside;
  batch.noise.head(m) *= inside;
  batch.noise.tail(beyond) *= variance_ratio(sums.groups, m, beyond, batch.noise.tail(beyond));
  batch.probe_noise *= variance_ratio(sums.groups, total, probe.size(), batch.probe_noise);
  return batch;
}

}  // namespace chaosgrad::internal
