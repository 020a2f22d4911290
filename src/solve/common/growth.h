#pragma once
// Which functions the basis lacks: candidates outside the index set, scored by what they would take
// off the residual.
#include <vector>

#include "chaosgrad/basis.h"

namespace chaosgrad::internal {

// Candidates beyond a downward closed set: one and two steps in every direction from each
// significant index (two, because every second coefficient of an even or odd function is zero), and
// on each axis the share 1/axis_share as many steps again as there are, at least `least_axis`.
// Degrees beyond those of the families are left out. Sorted, none twice.
[[nodiscard]] std::vector<MultiIndex> candidates(const IndexSet& indices,
                                                 const std::vector<char>& significant,
                                                 const std::vector<Family>& families, int reach,
                                                 int axis_share = 2, int least_axis = 2);

// The index set and the candidates with whatever they need, in one basis.
[[nodiscard]] Basis widened(const Basis& basis, const std::vector<MultiIndex>& beyond);

// Of the functions m, m + 1, … of a wide basis: |c_ν|², c_ν = ⟨residual, ψ_ν⟩, and what sampling
// alone makes of it.
struct Gains {
  Vector signal, noise;
  [[nodiscard]] double total() const { return (signal - noise).cwiseMax(0).sum(); }
};

// The positions of the functions to add: the largest signals until they carry the share `bulk` of
// the total; the first `always` of them if they stand above their noise at all, the others only
// above `noise_factor` times their noise; at most `most`.
struct Marking {
  double noise_factor = 3, bulk = 0.7;
  Index always = 0, most = 1;
};
[[nodiscard]] std::vector<Index> mark(const Gains& gains, const Marking& marking);

// How far the largest of `count` squared means of so many independent components stands above its
// expectation when there is nothing but noise.
[[nodiscard]] double noise_maximum(Index count, double components);

}  // namespace chaosgrad::internal
