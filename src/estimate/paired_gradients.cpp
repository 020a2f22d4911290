#include "estimate/paired_gradients.h"

#include "basis/kernels.h"
#include "samples/parameters.h"

namespace chaosgrad::internal {

Vector PairedGradients::products() const { return first.cwiseProduct(second).rowwise().sum(); }

PairedGradients paired_gradients(const Oracle& oracle, const Block& x, const Block& theta,
                                 std::uint64_t seed, Purpose noise, Index sample) {
  const auto gradient = [&](std::uint64_t draw) {
    Matrix g(x.rows(), x.cols());
    oracle.gradient(
        x, theta,
        draw_noise(oracle.noise_dimension(), make_stream(seed, noise, draw), sample, x.rows()), g);
    return g;
  };
  PairedGradients pair{gradient(0), {}};
  pair.second = oracle.noise_dimension() > 0 ? gradient(1) : pair.first;
  return pair;
}

Vector paired_products(const Oracle& oracle, const Basis& basis, const Coefficients& u,
                       std::uint64_t seed, Index blocks, Executor& executor) {
  Vector products(blocks * block_size);
  executor.for_each(blocks, [&](Index b) {
    const Index sample = b * block_size;
    const ParameterSamples at = draw_parameters(
        oracle.parameters(), make_stream(seed, Purpose::bound_parameters), sample, block_size);
    BasisBlock psi;
    basis.evaluate(at.eta, u.rows(), psi);
    Matrix x(block_size, u.cols());
    expand(psi, u, x);
    products.segment(sample, block_size) =
        paired_gradients(oracle, x, at.theta, seed, Purpose::bound_noise, sample).products();
  });
  return products;
}

}  // namespace chaosgrad::internal
