#pragma once
// A continuous distribution seen through variables in which its density is bounded: dπ = density(s)
// ds on each piece. Pieces meet at the bulk of the distribution, so that narrow peaks sit at the
// end of a piece; the density need not be smooth at the ends. Infinite tails are cut where p_n² π
// has less than 1e-17 left.
#include <functional>
#include <vector>

#include "chaosgrad/distribution.h"

namespace chaosgrad::internal {

struct ChartPiece {
  double begin = 0, end = 0;
  std::function<double(double)> theta;         // increasing in s
  std::function<double(double)> root_density;  // √density, up to one constant factor for all pieces
};

// Pieces in the order of θ. Discrete distributions have none.
[[nodiscard]] std::vector<ChartPiece> chart(const Distribution& distribution, Index degree);
// For those that have no better one: the density itself, in two pieces that meet at the median.
[[nodiscard]] std::vector<ChartPiece> general_chart(const Distribution& distribution);

}  // namespace chaosgrad::internal
