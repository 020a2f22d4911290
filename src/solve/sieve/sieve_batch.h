#pragma once
// One batch of fresh samples for the sieve: what they say about the coefficients, the functions
// beyond the basis, and the noise.
#include <array>
#include <optional>

#include "chaosgrad/basis.h"
#include "chaosgrad/problem.h"
#include "parallel/executor.h"
#include "solve/sieve/local_metric.h"
#include "solve/sieve/probe.h"
#include "solve/sieve/samples.h"

namespace chaosgrad::internal {

// Blocks of samples are dealt to this many groups in turn; each group gives a replicate of its own.
// Origin: a variance from G groups is known to √(2/(G − 1)), about half for 8; that is averaged
// over all coefficients, while the smallest batch grows with G.
inline constexpr Index sieve_groups = 8;
// A batch is a multiple of this many samples.
inline constexpr Index sieve_chunk = sieve_groups * block_size;

struct SieveBatch {
  Index samples = 0;
  // How many independent samples are worth as much: more than `samples` for Sobol' points.
  double effective = 0;
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
