#pragma once
// Whether θ at which something failed are scattered among the others, or lie together.
#include "chaosgrad/types.h"

namespace chaosgrad::internal {

// A bound of the probability that rows of `failed` (k×d) lie as unevenly among those of `others`
// (n×d) if each of them were as likely to fail: along an axis, with D the largest distance of the
// two distribution functions, P(D ≥ ε) ≤ 2 exp(−2ε² kn/(k + n)) (Dvoretzky, Kiefer and Wolfowitz,
// with Massart's constant), and d times that for the largest of all axes. Only the order along axes
// counts, not the units.
struct Scatter {
  double chance = 1;  // that bound, at most 1
  Index axis = 0;     // on which D is largest
};
[[nodiscard]] Scatter scatter(const Matrix& failed, const Matrix& others);

}  // namespace chaosgrad::internal
