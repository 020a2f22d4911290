#include "samples/mixture.h"

#include <numeric>

#include "parallel/executor.h"
#include "random/random.h"
#include "samples/parameters.h"

namespace chaosgrad::internal {

Index Mixture::size() const {
  return from_measure + std::accumulate(induced.begin(), induced.end(), Index{0});
}

Vector Mixture::weights(const Matrix& psi) const {
  Vector density = Vector::Constant(psi.rows(), static_cast<double>(from_measure));
  for (Index j = 0; j < psi.cols(); ++j)
    density += static_cast<double>(induced[static_cast<std::size_t>(j)]) * psi.col(j).cwiseAbs2();
  return static_cast<double>(size()) * density.cwiseInverse();
}

MixtureSampler::MixtureSampler(const Measure& measure, std::uint64_t seed)
    : measure_(measure),
      seed_(seed),
      sequence_(measure.dimension(), make_stream(seed, Purpose::scramble)) {}

Matrix MixtureSampler::from_measure(Index first, Index count) const {
  return draw_germs(measure_, make_stream(seed_, Purpose::parameters), first, count);
}

Matrix MixtureSampler::induced(Index first, const std::vector<Family>& families,
                               const std::vector<MultiIndex>& densities) const {
  Matrix eta(static_cast<Index>(densities.size()), measure_.dimension());
  sequence_.fill(first, eta);
  for (Index k = 0; k < eta.cols(); ++k) {  // the tables of one family stay at hand
    for (Index i = 0; i < eta.rows(); ++i) {
      const int degree = densities[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
      eta(i, k) = families[static_cast<std::size_t>(k)].induced_quantile(degree, eta(i, k));
    }
  }
  return eta;
}

DefensiveSamples MixtureSampler::defensive(Index from_measure, Index from_induced, Index first,
                                           Index count, const Basis& basis) const {
  DefensiveSamples samples{Matrix(count, measure_.dimension()), Vector(count), {}};
  for (Index i = 0; i < count; ++i) {
    const Index number = (first + i) / 2;
    if ((first + i) % 2 == 0) {
      samples.eta.row(i) = this->from_measure(from_measure + number, 1);
      samples.induced.push_back(-1);
      continue;
    }
    Matrix pick(1, 1);
    fill_uniform(make_stream(seed_, Purpose::test_functions), from_induced + number, pick);
    const auto function = static_cast<Index>(pick(0, 0) * static_cast<double>(basis.size()));
    samples.eta.row(i) =
        induced(from_induced + number, basis.families(), {basis.indices()[function]});
    samples.induced.push_back(function);
  }
  Executor alone(1);
  samples.weights = defensive_weights(
      basis_table(basis, samples.eta, basis.size(), alone).rowwise().squaredNorm(), basis.size());
  return samples;
}

Vector defensive_weights(const Vector& squares, Index m) {
  return (0.5 + 0.5 * squares.array() / static_cast<double>(m)).inverse();
}

Matrix MixtureSampler::parameters(const Matrix& eta) const {
  Matrix theta(eta.rows(), eta.cols());
  measure_.parameters_from_germ(eta, theta);
  return theta;
}

}  // namespace chaosgrad::internal
