#pragma once
// Gauss rules on pieces of a noise number's range: between two kinks the gradient is smooth, and a
// few nodes integrate it. On the scale of the uniform number u, or of the normal score z = Φ⁻¹(u),
// in which noise with tails is smooth.
#include "chaosgrad/basis.h"

namespace chaosgrad::internal {

enum class NoiseChart { uniform, normal };

// The coordinate t of a chart runs between these. Beyond 8.2 standard deviations 1 − Φ(t) is below
// the rounding of 1, and no uniform number stands for it.
struct ChartRange {
  double lower, upper;
};
[[nodiscard]] ChartRange chart_range(NoiseChart chart);
[[nodiscard]] double uniform_at(NoiseChart chart, double t);  // u, in the open interval (0, 1)
[[nodiscard]] double probability_below(NoiseChart chart, double t);

// n nodes on any piece [a, b] of the chart: exact for polynomials of degree 2n − 1 in t.
class PieceRule {
 public:
  PieceRule(NoiseChart chart, Index nodes);

  // Nodes in t; the weights sum to the probability of the piece.
  [[nodiscard]] Quadrature on(double a, double b) const;
  [[nodiscard]] Index nodes() const { return nodes_; }

 private:
  [[nodiscard]] Quadrature normal_rule(double a, double b) const;

  NoiseChart chart_;
  Index nodes_;
  Quadrature whole_;  // on all of the normal chart: without kinks there is no other piece
  Quadrature base_;   // on (−1, 1): the rule itself, or the discretisation of the normal density
};

}  // namespace chaosgrad::internal
