#pragma once
// Lines through the noise along one of its numbers, and where F has kinks on them.
#include <vector>

#include "chaosgrad/problem.h"
#include "samples/piece_rule.h"

namespace chaosgrad::internal {

// One noise number on its chart.
struct NoiseCoordinate {
  Index axis = 0;
  NoiseChart chart = NoiseChart::uniform;
};

// Points in the noise that belong to rows of x and θ: point p to row rows[p].
struct NoisePoints {
  std::vector<Index> rows;
  Matrix noise;  // P×r
  Vector weights;
  [[nodiscard]] Index size() const { return noise.rows(); }
};

// A zero of kink number `kink` at t.
struct Break {
  double t = 0;
  Index kink = 0;
};
using Breaks = std::vector<std::vector<Break>>;  // of each line, ascending in t

// Zeros of the kinks `which` (numbers in shape.kinks, ascending) along the coordinate, on the line
// through each point: its own value of that number does not matter.
[[nodiscard]] Breaks find_breaks(const NoiseShape& shape, const std::vector<Index>& which,
                                 const NoiseCoordinate& along, const Block& x, const Block& theta,
                                 const NoisePoints& points);

}  // namespace chaosgrad::internal
