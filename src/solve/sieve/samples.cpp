#include "solve/sieve/samples.h"

#include "basis/kernels.h"
#include "random/random.h"

namespace chaosgrad::internal {
namespace {

constexpr auto from_measure = static_cast<Index>(measure_share * block_size);

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

}  // namespace chaosgrad::internal
