#pragma once
// Whether f has another local minimum than the one an expansion follows. A gradient that vanishes
// does not tell; a gradient that is not monotone does, and values decide.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "chaosgrad/problem.h"
#include "random/streams.h"

namespace chaosgrad::internal {

struct MinimaSearch {
  Index draws = 16;     // of the noise at each θ
  double reach = 2;     // how far from x other points are tried, in 1 + |x|
  Index most = 4;       // suspicious θ at which F is minimised
  Index samples = 256;  // draws of the noise there
  double apart = 0.1;   // two minima are at least as far apart, in 1 + |x|
  double signal = 4;    // standard errors that are no accident
};

struct OtherMinima {
  std::optional<std::string> found = {};  // θ and the two minima, in words
  std::int64_t gradients = 0;
};

// At rows of θ (n×d) and x (n×q), n ≤ block_size: of f convex in x, (∇f(x') − ∇f(x))·(x' − x) ≥ 0
// for every x'. Where it is not, for some x' around, the mean of F over draws of the noise is
// minimised from both. stream(k), k = 0, 1, …, gives the random numbers. Needs values of F;
// otherwise nothing is found.
[[nodiscard]] OtherMinima find_other_minima(const Oracle& oracle, const Matrix& theta,
                                            const Matrix& x, const MinimaSearch& search,
                                            const std::function<Stream(Index)>& stream);

}  // namespace chaosgrad::internal
