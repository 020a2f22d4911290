#pragma once
// Samples of the sieve: θ from the defensive mixture, noise, and points that are no good.
#include <cstdint>
#include <tuple>

#include "chaosgrad/basis.h"
#include "chaosgrad/problem.h"
#include "random/streams.h"

namespace chaosgrad::internal {

// Of each block, from π itself. Origin: weights of at most 4, and a density of ¾ of the one that is
// best for the basis alone.
inline constexpr double measure_share = 0.25;

// Samples of (θ, v): a quarter of each block from π, the rest from the induced
// densities of the first m functions in equal shares; w = 1/(¼ + ¾ Σψ²/m).
struct SieveSamples {
  Matrix eta, theta, noise;
  Vector weights;
};
// The θ of block number `block`, without noise; and those of a stage with one draw of it each.
[[nodiscard]] SieveSamples mixture_samples(const Oracle& oracle, const Basis& basis, Index m,
                                           const Stream& stream, Index block);
[[nodiscard]] SieveSamples sieve_samples(const Oracle& oracle, const Basis& basis, Index m,
                                         std::uint64_t seed, Index stage, Index block);

// A sample at which ∇F is not finite; the first such row of a block.
struct OutsidePoint {
  Vector x, theta, noise;
  auto members() { return std::tie(x, theta, noise); }
};
[[nodiscard]] OutsidePoint outside_point(const Matrix& x, const Matrix& theta, const Matrix& noise,
                                         const Matrix& g);

}  // namespace chaosgrad::internal
