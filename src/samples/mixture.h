#pragma once
// Samples of the germ from a mixture that fits a growing basis: N_π from π itself, and n_ν from
// each induced density ψ_ν² π. The weight of a sample is one over the density of the whole mixture,
//   w(η) = N / (N_π + Σ_ν n_ν ψ_ν(η)²),   N = N_π + Σ n_ν,
// at most N/N_π, and w Σ ψ_ν² stays of the order of m for every basis. When the index set grows
// only the new ν need samples: all earlier ones are kept.
#include <cstdint>
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/measure.h"
#include "random/random.h"
#include "samples/basis_table.h"

namespace chaosgrad::internal {

struct Mixture {
  Index from_measure = 0;      // N_π
  std::vector<Index> induced;  // n_ν, in the order of the basis

  [[nodiscard]] Index size() const;
  // N_π + Σ n_ν ψ_ν² at the rows of a basis_table (n×m), times 1/N; its inverse weighs.
  [[nodiscard]] Vector weights(const Matrix& psi) const;
};

// Samples for a test of x_u: every other one from π itself, the others from the induced densities of
// the basis, whose tails are where the error of an expansion sits.
struct DefensiveSamples {
  Matrix eta;                  // n×d
  Vector weights;              // 1/(½ + ½ Σψ²/m), at most 2: their means are means over π
  std::vector<Index> induced;  // the function whose density a sample comes from; −1: π
};

// The weights of such samples from Σψ² at them, for a basis of m functions.
[[nodiscard]] Vector defensive_weights(const Vector& squares, Index m);

// Draws sample number `first`, first + 1, … of a run: a pure function of (seed, number) and of the
// density asked for. Samples from π are independent, so that they can test; those from the induced
// densities follow a Sobol' sequence, which leaves smaller gaps between them.
class MixtureSampler {
 public:
  MixtureSampler(const Measure& measure, std::uint64_t seed);

  // `count` draws from π.
  [[nodiscard]] Matrix from_measure(Index first, Index count) const;
  // One draw from ψ_ν² π for each ν of the list.
  [[nodiscard]] Matrix induced(Index first, const std::vector<Family>& families,
                               const std::vector<MultiIndex>& densities) const;
  // `count` samples, of which the first is number `first` (even: from π) of a test that begins with
  // number `from_measure` of π and number `from_induced` of the induced densities.
  [[nodiscard]] DefensiveSamples defensive(Index from_measure, Index from_induced, Index first,
                                           Index count, const Basis& basis) const;
  [[nodiscard]] Matrix parameters(const Matrix& eta) const;

 private:
  const Measure& measure_;
  std::uint64_t seed_;
  SobolSequence sequence_;
};

}  // namespace chaosgrad::internal
