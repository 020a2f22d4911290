#include "solution/statistics/sampler.h"

#include <algorithm>

#include "samples/parameters.h"

namespace chaosgrad {
using namespace internal;
namespace {

constexpr Index noise_draws = 64;

Matrix filled(const Stream& shift, Index count, Index columns) {
  Matrix u(count, columns);
  if (columns == 0) return u;
  const SobolSequence sequence(columns, shift);
  for (Index first = 0; first < count; first += block_size) {
    const Index n = std::min(block_size, count - first);
    sequence.fill(first, u.middleRows(first, n));
  }
  return u;
}

}  // namespace

ShiftedPoints internal::shifted_points(std::uint64_t seed, Index shift, Index count, Index columns,
                                       Index draws, Index noise_dimension) {
  const auto step = 2 * static_cast<std::uint64_t>(shift);
  return {filled(make_stream(seed, Purpose::statistics, step), count, columns),
          filled(make_stream(seed, Purpose::statistics, step + 1), draws, noise_dimension)};
}

OutputSampler::OutputSampler(const Expansion& expansion, const Measure& law,
                             const Quantities& quantities, int threads)
    : expansion_(expansion),
      law_(law),
      same_law_(&law == &expansion.measure()),
      quantities_(quantities),
      executor_(threads) {
  if (noise_matters()) draws_ = noise_draws;
}

bool OutputSampler::noise_matters() const {
  if (quantities_.count == 0 || quantities_.noise_dimension == 0) return false;
  const ShiftedPoints points =
      shifted_points(1, 0, block_size, law_.dimension(), 8, quantities_.noise_dimension);
  const Coefficients& u = expansion_.coefficients();
  const Matrix first = at(points.u, u, points.noise.topRows(1)).values;
  for (Index i = 1; i < points.noise.rows(); ++i) {
    if (at(points.u, u, points.noise.middleRows(i, 1)).values != first) return true;
  }
  return false;
}

Matrix quantity_means(const Quantities& quantities, Block x, Block theta, const Matrix& noise) {
  Matrix mean = Matrix::Zero(x.rows(), quantities.count), values(x.rows(), quantities.count);
  for (Index draw = 0; draw < noise.rows(); ++draw) {
    quantities.evaluate(x, theta, noise.row(draw).replicate(x.rows(), 1), values);
    mean += values / static_cast<double>(noise.rows());
  }
  return mean;
}

OutputSamples OutputSampler::at(const Matrix& u, const Coefficients& coefficients,
                                const Matrix& noise) const {
  const Expansion expansion(expansion_.measure(), expansion_.basis(), coefficients);
  OutputSamples samples{Matrix(u.rows(), law_.dimension()), Matrix(u.rows(), outputs())};
  executor_.for_each((u.rows() + block_size - 1) / block_size, [&](Index block) {
    const Index first = block * block_size, n = std::min(block_size, u.rows() - first);
    Matrix eta(n, law_.dimension()), theta(n, law_.dimension());
    parameters_from_uniform(law_, u.middleRows(first, n), eta, theta);
    if (!same_law_) expansion.measure().germ_from_parameters(theta, eta);
    const Matrix x = expansion.evaluate_germ(eta);
    samples.theta.middleRows(first, n) = theta;
    samples.values.block(first, 0, n, components()) = x;
    if (quantities_.count > 0) {
      samples.values.block(first, components(), n, quantities_.count) =
          quantity_means(quantities_, x, theta, noise);
    }
  });
  return samples;
}

}  // namespace chaosgrad
