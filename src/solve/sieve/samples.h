#pragma once
// Samples of the sieve: θ from the defensive mixture, noise, and points that are no good.
#include <cstdint>
#include <tuple>
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/problem.h"
#include "random/random.h"

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

// The batch of a stage, dealt to groups. Where the law of the noise is known the samples of each
// group are Sobol' points in (θ, v) jointly, under a scramble of its own: groups stay independent, and
// the scatter between them tells the error of each.
class BatchSource {
 public:
  BatchSource(const Oracle& oracle, std::uint64_t seed, Index stage, Index groups);
  // Block number `chunk` of a group; θ from the mixture for the first m functions.
  [[nodiscard]] SieveSamples block(const Basis& basis, Index m, Index chunk, Index group) const;
  [[nodiscard]] bool is_sobol() const { return !from_measure_.empty(); }

 private:
  const Oracle& oracle_;
  std::uint64_t seed_;
  Index stage_, groups_;
  // One for each group; those of the densities have another coordinate, which chooses the function.
  std::vector<SobolSequence> from_measure_, induced_;
};

// Whether batches are made of Sobol' points.
[[nodiscard]] bool has_known_law(const Oracle& oracle);

// A sample at which ∇F is not finite; the first such row of a block.
struct OutsidePoint {
  Vector x, theta, noise;
  auto members() { return std::tie(x, theta, noise); }
};
[[nodiscard]] OutsidePoint outside_point(const Matrix& x, const Matrix& theta, const Matrix& noise,
                                         const Matrix& g);

}  // namespace chaosgrad::internal
