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

}  // namespace chaosgrad::internal
