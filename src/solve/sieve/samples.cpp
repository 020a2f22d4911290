#include "solve/sieve/samples.h"

#include "basis/kernels.h"
#include "random/random.h"

namespace chaosgrad::internal {
namespace {

constexpr auto from_measure = static_cast<Index>(measure_share * block_size);

}  // namespace

namespace {

// θ and their weights from uniform numbers (block_size × (d + 1)).
SieveSamples samples_from(const Oracle& oracle, const Basis& basis, Index m, const Matrix& u) {
  const Index d = basis.dimension();
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

}  // namespace

SieveSamples mixture_samples(const Oracle& oracle, const Basis& basis, Index m,
                             const Stream& stream, Index block) {
  Matrix u(block_size, basis.dimension() + 1);
  fill_uniform(stream, block * block_size, u);
  return samples_from(oracle, basis, m, u);
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

bool has_known_law(const Oracle& oracle) {
  return oracle.noise_dimension() > 0 && oracle.facts().noise_shape &&
         oracle.parameters().dimension() + 1 + oracle.noise_dimension() <=
             SobolSequence::max_dimension();
}

BatchSource::BatchSource(const Oracle& oracle, std::uint64_t seed, Index stage, Index groups)
    : oracle_(oracle), seed_(seed), stage_(stage), groups_(groups) {
  if (!has_known_law(oracle)) return;
  const Index d = oracle.parameters().dimension(), r = oracle.noise_dimension();
  for (Index group = 0; group < groups; ++group) {
    const auto step = static_cast<std::uint64_t>(2 * (stage * groups + group));
    constexpr auto scramble = SobolSequence::Randomisation::scramble;
    from_measure_.emplace_back(d + r, make_stream(seed, Purpose::scramble, step), scramble);
    induced_.emplace_back(d + 1 + r, make_stream(seed, Purpose::scramble, step + 1), scramble);
  }
}

SieveSamples BatchSource::block(const Basis& basis, Index m, Index chunk, Index group) const {
  if (!is_sobol()) return sieve_samples(oracle_, basis, m, seed_, stage_, chunk * groups_ + group);
  const Index d = basis.dimension(), r = oracle_.noise_dimension(),
              induced = block_size - from_measure;
  const auto g = static_cast<std::size_t>(group);
  Matrix first(from_measure, d + r), second(induced, d + 1 + r);
  from_measure_[g].fill(chunk * from_measure, first);
  induced_[g].fill(chunk * induced, second);
  Matrix u = Matrix::Zero(block_size, d + 1);
  u.topLeftCorner(from_measure, d) = first.leftCols(d);
  u.bottomRows(induced) = second.leftCols(d + 1);
  SieveSamples samples = samples_from(oracle_, basis, m, u);
  samples.noise.resize(block_size, r);
  samples.noise << first.rightCols(r), second.rightCols(r);
  return samples;
}

OutsidePoint outside_point(const Matrix& x, const Matrix& theta, const Matrix& noise,
                           const Matrix& g) {
  Index row = 0;
  while (g.row(row).allFinite()) ++row;
  return {x.row(row).transpose(), theta.row(row).transpose(), noise.row(row).transpose()};
}

}  // namespace chaosgrad::internal
