#include "estimate/gradient_estimator.h"

#include <algorithm>

#include "basis/kernels.h"

namespace chaosgrad::internal {
namespace {

// Samples are summed in chunks of this many, the leaves of the reduction tree.
constexpr Index chunk_size = 4 * block_size;

}  // namespace

void GradientEstimator::evaluate_block(const SampleSource& source, const Coefficients& u,
                                       Index first, Index n, Scratch& scratch) const {
  const Index q = oracle_.dimension();
  if (scratch.x.rows() == 0) {
    scratch.samples.resize(oracle_.parameters().dimension(), oracle_.noise_dimension());
    scratch.x.resize(block_size, q);
    scratch.g.resize(block_size, q);
    scratch.known.resize(block_size, static_cast<Index>(oracle_.facts().known.size()));
  }
  SampleBlock& samples = scratch.samples;
  const Index group = oracle_.facts().row_group, rows = (n + group - 1) & -group;
  samples.count = rows;
  source.fill(first, samples);
  basis_.evaluate(samples.eta.topRows(rows), u.rows(), scratch.psi);
  expand(scratch.psi, u, scratch.x.topRows(rows));
  if (read_known(scratch)) {
    oracle_.gradient(scratch.x.topRows(rows), samples.theta.topRows(rows),
                     samples.noise.topRows(rows), scratch.known.topRows(rows),
                     scratch.g.topRows(rows));
  } else {
    oracle_.gradient(scratch.x.topRows(rows), samples.theta.topRows(rows),
                     samples.noise.topRows(rows), scratch.g.topRows(rows));
  }
  if (n < rows) scratch.g.middleRows(n, rows - n).setZero();
}

bool GradientEstimator::read_known(Scratch& scratch) const {
  const std::vector<BasisFunction>& known = oracle_.facts().known;
  for (std::size_t j = 0; j < known.size(); ++j) {
    const Index column = scratch.psi.column_of(known[j].parameter, known[j].degree);
    if (column < 0) return false;
    read_column(scratch.psi, column, known[j].factor,
                scratch.known.col(static_cast<Index>(j)).data());
  }
  return !known.empty();
}

void GradientEstimator::sum_chunk(const SampleSource& source, const Coefficients& u, Index chunk,
                                  Coefficients& sums) const {
  Scratch& scratch = scratch_.local();
  sums.setZero(u.rows(), u.cols());
  const Index end = std::min((chunk + 1) * chunk_size, source.size());
  for (Index first = chunk * chunk_size; first < end; first += block_size) {
    const Index n = std::min(block_size, end - first);
    evaluate_block(source, u, first, n, scratch);
    project(scratch.psi, scratch.g.topRows(scratch.samples.count), scratch.samples.weights.data(),
            sums);
  }
}

Coefficients GradientEstimator::estimate(const SampleSource& source, const Coefficients& u) const {
  Coefficients D;
  estimate(source, u, D);
  return D;
}

void GradientEstimator::estimate(const SampleSource& source, const Coefficients& u,
                                 Coefficients& D) const {
  const Index chunks = (source.size() + chunk_size - 1) / chunk_size;
  if (chunks == 1) return sum_chunk(source, u, 0, D);
  D = executor_.reduce(
      chunks,
      [&](Index chunk) {
        Coefficients sums;
        sum_chunk(source, u, chunk, sums);
        return sums;
      },
      [](Coefficients& left, Coefficients&& right) { left += right; });
}

std::optional<GradientEstimator::BadSample> GradientEstimator::find_bad_sample(
    const SampleSource& source, const Coefficients& u) const {
  Scratch& scratch = scratch_.local();
  for (Index first = 0; first < source.size(); first += block_size) {
    const Index n = std::min(block_size, source.size() - first);
    evaluate_block(source, u, first, n, scratch);
    for (Index i = 0; i < n; ++i) {
      if (!scratch.g.row(i).allFinite()) {
        return BadSample{scratch.samples.theta.row(i).transpose(), scratch.x.row(i).transpose(),
                         scratch.samples.noise.row(i).transpose()};
      }
    }
  }
  return std::nullopt;
}

}  // namespace chaosgrad::internal
