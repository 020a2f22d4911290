#include "constraint/lifted_scale.h"

#include <algorithm>
#include <cmath>

#include "basis/kernels.h"
#include "samples/parameters.h"

namespace chaosgrad::internal {

LiftedScale lifted_scale(const Measure& measure, const Lift& lift, const Basis& basis,
                         const Coefficients& u, const std::vector<Coefficients>& replicates,
                         std::uint64_t seed) {
  constexpr Index samples = 8 * block_size;
  constexpr double least_share = 0.3;
  const ParameterSamples at =
      draw_parameters(measure, make_stream(seed, Purpose::lift_parameters), 0, samples);
  double squares = 0, scatter_of_x = 0, scatter_of_y = 0;
  for (Index first = 0; first < samples; first += block_size) {
    const Matrix eta = at.eta.middleRows(first, block_size),
                 theta = at.theta.middleRows(first, block_size);
    BasisBlock psi;
    basis.evaluate(eta, u.rows(), psi);
    Matrix y(block_size, u.cols()), other(block_size, u.cols());
    expand(psi, u, y);
    const Matrix x = lift.project(eta, theta, y).x;
    squares += x.squaredNorm();
    for (const Coefficients& replicate : replicates) {
      expand(psi, replicate, other);
      scatter_of_y += (other - y).squaredNorm();
      scatter_of_x += (lift.project(eta, theta, other).x - x).squaredNorm();
    }
  }
  LiftedScale scale{.norm = std::sqrt(squares / static_cast<double>(samples))};
  if (scatter_of_y > 0 && std::isfinite(scatter_of_x))
    scale.share = std::clamp(std::sqrt(scatter_of_x / scatter_of_y), least_share, 1.0);
  return scale;
}

}  // namespace chaosgrad::internal
