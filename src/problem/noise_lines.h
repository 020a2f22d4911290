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

// Whether a kink is a straight line along this number: it has one zero, found in a step.
[[nodiscard]] bool is_straight(const NoiseShape::Kink& kink, Index axis);

// Intervals of the chart in which a kink that may have several zeros is looked for.
// Origin: a kink pair missed in one of them carries the gradient over 1/32 of the chart at most;
// the finer rule of the test sees it.
inline constexpr Index scan_intervals = 32;

// Zeros of the kinks `which` (numbers in shape.kinks, ascending) along the coordinate, on the line
// through each point: its own value of that number does not matter.
[[nodiscard]] Breaks find_breaks(const NoiseShape& shape, const std::vector<Index>& which,
                                 const NoiseCoordinate& along, const Block& x, const Block& theta,
                                 const NoisePoints& points);

}  // namespace chaosgrad::internal
