#pragma once
// The constants of polishing a point (docs/algorithms.md, Algorithm 3), each with its meaning and
// its origin. "Gradients 1.05 at 0.3" says that with 0.3 all problems of benchmarks/ablation.py
// together take 1.05 times the gradients; other seeds alone make up to 1.03 of them. The table
// is in docs/benchmarks.md.
#include "chaosgrad/types.h"

namespace chaosgrad::internal {

struct PointwiseTuning {
  // Secant pairs that a point keeps.
  // Origin: measured, gradients 1.01 at 6, 1.00 at 24.
  Index memory = 12;
  // Steps of one call of polish(), after which a point is left unsolved.
  // Origin: measured, gradients 1.00 at 30, 1.00 at 120.
  Index most_steps = 60;

  // Tasks that points are split into where there are enough of them: each has as many points as a
  // call of the gradient should have, or one part of so many.
  // Origin: with tasks of equal cost, 8 threads or ranks are busy to 100 %, 16 to 100 %, and 20 to
  // 80 % of the time; more tasks would make the calls of cheap gradients shorter.
  Index tasks = 32;

  // The common inverse is rescaled to the last pair of a point where the factor, or its inverse,
  // is beyond this.
  // Origin: measured, gradients 1.00 off, 1.03 at 2, 0.99 at 8.
  double rescale_from = 4;
  // A step is taken back when it ends past the minimum along itself: its slope there, over the
  // slope at its start.
  // Origin: measured, gradients 1.04 off, 1.05 at 0.45, 0.99 at 1.8.
  double overshoot = 0.9;
  // The same ratio, beyond which the step met another regime of f and its pair says nothing about
  // the curvature here.
  // Origin: a guard: a Hessian within a factor of 1e4 of the model cannot do that.
  double regime_change = 1e4;
  // Curvature along a step to where ∇f is not finite, in slopes at its start: the next step there
  // is this many times shorter.
  // Origin: a guard: ten refusals shorten the step by 1e10.
  double brake = 10;

  // An iterate runs away when its norm is beyond PointOptions::runaway_norm by this many norms of
  // its start.
  // Origin: a guard.
  double runaway = 1e3;
  // Steps below this share of the tolerance need no second one to be believed.
  // Origin: a guard for points that start at their optimum.
  double negligible_step = 1e-6;
  // Steps below this, relative to 1 + |x|, that end where ∇f is not finite: it is not finite at x.
  // Origin: a guard: below it is the rounding of x.
  double shortest_step = 1e-12;
  // Differences of gradients, and steps, below this share of their terms are rounding and say
  // nothing about the curvature.
  // Origin: seven times the root of the unit of rounding: such differences keep half of the
  // digits.
  double rounding = 1e-7;
  // The least cosine of the angle between s and y for a pair to be kept.
  // Origin: 45 units of rounding.
  double least_cosine = 1e-14;
};

template <class Visitor>
void visit(PointwiseTuning& tuning, const Visitor& visitor) {
  visitor("memory", tuning.memory);
  visitor("most_steps", tuning.most_steps);
  visitor("tasks", tuning.tasks);
  visitor("rescale_from", tuning.rescale_from);
  visitor("overshoot", tuning.overshoot);
  visitor("regime_change", tuning.regime_change);
  visitor("brake", tuning.brake);
  visitor("runaway", tuning.runaway);
  visitor("negligible_step", tuning.negligible_step);
  visitor("shortest_step", tuning.shortest_step);
  visitor("rounding", tuning.rounding);
  visitor("least_cosine", tuning.least_cosine);
}

}  // namespace chaosgrad::internal
