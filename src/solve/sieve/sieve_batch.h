#pragma once
// One batch of fresh samples for the sieve: what they say about the coefficients, the functions
// beyond the basis, and the noise.
#include <array>
#include <optional>
#include <tuple>

#include "chaosgrad/basis.h"
#include "chaosgrad/problem.h"
#include "parallel/executor.h"
#include "random/streams.h"
#include "solve/sieve/local_metric.h"
#include "solve/sieve/probe.h"

namespace chaosgrad::internal {

// Blocks of samples are dealt to this many groups in turn; each group gives a replicate of its own.
// Origin: a variance from G groups is known to √(2/(G − 1)), about half for 8; that is averaged
// over all coefficients, while the smallest batch grows with G.
inline constexpr Index sieve_groups = 8;
// A batch is a multiple of this many samples.
inline constexpr Index sieve_chunk = sieve_groups * block_size;

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

struct SieveBatch {
  Index samples = 0;
  // With R = H(θ)⁻¹ ∇F(x_u, θ, v): the group means of w R ψ_i over the basis (m×q),
  std::array<Coefficients, sieve_groups> groups;
  Coefficients beyond;  // the mean of w R ψ_i over the functions beyond,
  Vector noise;         // and the variance of |mean of w R ψ_i| for all of them.
  Coefficients probed;  // the mean of w R φ_i over the probe's functions,
  Vector probe_noise;   // and its variance, as above.
  std::optional<OutsidePoint> outside = {};  // the batch is of no use then

  [[nodiscard]] Index size() const { return groups[0].rows(); }  // m
  [[nodiscard]] Coefficients mean() const;
};

// `wide` holds the functions of u first, then those beyond.
[[nodiscard]] SieveBatch sample_batch(const Oracle& oracle, const Basis& wide,
                                      const Coefficients& u, const LocalMetric& metric,
                                      const Probe& probe, std::uint64_t seed, Index stage,
                                      Index samples, Executor& executor);

}  // namespace chaosgrad::internal
