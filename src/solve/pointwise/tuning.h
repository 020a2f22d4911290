#pragma once
// The constants of polishing a point (docs/algorithms.md, Algorithm 3), each with its meaning and
// its origin.
#include "chaosgrad/types.h"

namespace chaosgrad::internal {

struct PointwiseTuning {
  // Secant pairs that a point keeps.
  Index memory = 12;
  // Steps of one call of polish(), after which a point is left unsolved.
  Index most_steps = 60;

  // The common inverse is rescaled to the last pair of a point where the factor, or its inverse,
  // is beyond this.
  double rescale_from = 4;
  // A step is taken back when it ends past the minimum along itself: its slope there, over the
  // slope at its start.
  double overshoot = 0.9;
  // The same ratio, beyond which the step met another regime of f and its pair says nothing about
  // the curvature here.
  double regime_change = 1e4;
  // Curvature along a step to where ∇f is not finite, in slopes at its start: the next step there
  // is this many times shorter.
  double brake = 10;

  // An iterate runs away when its norm is beyond PointOptions::runaway_norm by this many norms of
  // its start.
  double runaway = 1e3;
  // Steps below this share of the tolerance need no second one to be believed.
  double negligible_step = 1e-6;
  // Steps below this, relative to 1 + |x|, that end where ∇f is not finite: it is not finite at x.
  double shortest_step = 1e-12;
  // The smallest ratio of steps that is kept: 0 means that none was tried.
  double least_ratio = 1e-12;
  // Differences of gradients, and steps, below this share of their terms are rounding and say
  // nothing about the curvature.
  double rounding = 1e-7;
  // The least cosine of the angle between s and y for a pair to be kept.
  double least_cosine = 1e-14;
};

template <class Visitor>
void visit(PointwiseTuning& tuning, const Visitor& visitor) {
  visitor("memory", tuning.memory);
  visitor("most_steps", tuning.most_steps);
  visitor("rescale_from", tuning.rescale_from);
  visitor("overshoot", tuning.overshoot);
  visitor("regime_change", tuning.regime_change);
  visitor("brake", tuning.brake);
  visitor("runaway", tuning.runaway);
  visitor("negligible_step", tuning.negligible_step);
  visitor("shortest_step", tuning.shortest_step);
  visitor("least_ratio", tuning.least_ratio);
  visitor("rounding", tuning.rounding);
  visitor("least_cosine", tuning.least_cosine);
}

}  // namespace chaosgrad::internal
