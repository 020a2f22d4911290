#pragma once
// The constants of collocation (docs/algorithms.md, Algorithms 1 and 4), each with its meaning and
// its origin. "Gradients 1.05 at 0.3" says that with 0.3 all problems of benchmarks/ablation.py
// together take 1.05 times the gradients; other seeds alone make up to 1.03 of them. The table
// is in docs/benchmarks.md.
#include "solve/collocation/curvature/tuning.h"
#include "solve/collocation/design/tuning.h"

namespace chaosgrad::internal {

struct CollocationTuning : CurvatureTuning, DesignTuning {
  // The nominal point.

  // ‖D − Dᵀ‖/‖D‖ of the Hessian by differences, beyond which D is no Hessian.
  // Origin: a guard: a wrong sign or a missing term shows as more.
  double asymmetry_limit = 1e-2;
  // What is left of the first step when the nominal point is done.
  // Origin: measured, gradients 0.99 at 0.0005, 1.05 at 0.002.
  double nominal_accuracy = 1e-3;
  // |second step| and |way − first step| there, over |first step|, beyond which the Hessian is measured
  // again at its end. Where f is far more curved at the start (f log f near 0) steps in the metric of
  // the start look short, and points count as solved that are not.
  // Origin: measured (docs/benchmarks.md, the nominal point).
  double nominal_ratio = 0.15;
  // |way|/|first step| of the nominal point, below which it is polished again with the Hessian at
  // the end of the way; and how often.
  // Origin: both are 1 where F is quadratic; a soap film started at ten times its height has 1e-5,
  // and its nominal point was 30 % off (docs/benchmarks.md, the nominal point).
  double least_covered = 0.25;
  Index nominal_rounds = 8;
  // Iterates this many times farther out than the start and the first step run away.
  // Origin: a guard: farther out double precision has no digits left for the first step.
  double runaway = 1e8;

  // Points that the quick method does not solve.

  // The Newton step that is left, relative to |x|.
  // Origin: the method converges quadratically, so that more costs one step at most.
  double rescue_accuracy = 1e-9;
  // |x| over 1 + |start|, beyond which f has no minimum.
  // Origin: a guard: 75 steps that each double the region lead there.
  double rescue_runaway = 1e30;

  // How accurate the points are.

  // Error of the points, relative to the error of the expansion.
  // Origin: measured, gradients 1.01 at 0.075, 1.01 at 0.3.
  double accuracy = 0.15;
  // No better than for an error of this share of the target.
  // Origin: measured, gradients 1.01 off, 1.00 at 0.25, 0.99 at 1.
  double accuracy_floor = 0.5;
  // Before anything is measured: squared lengths of the first steps, over the squared error that
  // the expansion is taken to have.
  // Origin: measured, gradients 1.02 at 4.5, 1.01 at 18.
  double first_step_squares = 9;
  // Where the error has not come down to `stagnation` of that of the stage before, the points
  // become better by the factor `tightening`.
  // Origin: measured, gradients 1.02 at 0.4, 1.00 at 1.6.
  double stagnation = 0.8;
  // Origin: measured, gradients 1.00 off, 1.00 at 0.15, 1.00 at 0.6.
  double tightening = 0.6;
  // A point whose squared error is this many times the mean takes another step,
  // Origin: measured, gradients 1.10 at 3, 1.01 at 12.
  double outlier = 6;
  // so many times at most: optima with kinks have outliers of their own.
  // Origin: measured, gradients 1.05 off, 1.01 at 1, 1.03 at 4.
  Index most_doubts = 2;
  // and is solved by the method that arrives if the common model's step at it, squared, is more than
  // this share of its squared error.
  // Origin: a quarter in norm; where x*(θ) itself stands out, ∇f is small and nothing is done.
  double unsolved_share = 0.06;
  // Predictions, and first steps, beyond this many times the largest known optimum are wild: the
  // point starts from the nearest known optimum instead.
  // Origin: measured, gradients 1.22 off, 1.01 at 1.5, 1.00 at 6.
  double largest_prediction = 3;

  // When one step is enough. New points are trusted after one step once enough others all
  // shortened their next step to the share trusted_ratio: `enough_ratios` of them, or `few_ratios`
  // where the share is tiny_ratio. Some still take a second step, to see.

  // Points that go first, before any share is known.
  // Origin: measured, gradients 1.00 off, 1.01 at 2, 1.00 at 8.
  Index pilot_points = 4;
  // Origin: measured, gradients 1.02 at 1, 1.01 at 6.
  Index few_ratios = 3;
  // Origin: measured, gradients 1.01 at 3, 1.02 at 12.
  Index enough_ratios = 6;
  // Origin: measured, gradients 1.02 off, 1.00 at 0.005, 1.00 at 0.02.
  double tiny_ratio = 0.01;
  // Origin: measured, gradients 1.11 off, 1.01 at 0.075, 1.01 at 0.3.
  double trusted_ratio = 0.15;
  // One in so many takes a second step, and one in so many where the share is tiny.
  // Origin: measured, gradients 1.02 at 2, 1.02 at 8.
  Index probe_every = 4;
  // Origin: measured, gradients 1.01 at 6, 1.01 at 24.
  Index probe_every_tiny = 12;

  // The lift, where x is constrained.

  // y is no farther from x than this many times the median of |x| + |y − x| over the points.
  // Origin: a guard for forces that grow like exponentials; see shorten() in lifted.cpp.
  double longest_lift = 10;

  // The test that confirms.

  // Fresh samples that are solved where very many others are screened.
  // Origin: measured, gradients 0.98 at 4, 1.05 at 16.
  Index first_test = 8;
  // Where they stand alone: of the first round, and the most of all rounds.
  // Origin: the least number for which the limit holds its confidence (estimate/mean_limit.h).
  Index first_alone = 32;
  // Origin: the limit of 128 squares of a smooth error is 1.4 times its norm; fewer would ask for an
  // error far below the tolerance.
  Index most_test = 128;
  // Mean squared error of the test, over that of the fit, beyond which the fit has not seen where
  // the error sits, and the worst samples of the test become points.
  // Origin: twice the norm of the error.
  double contradiction = 4;

  // The error that a rule for the noise leaves, over the tolerance, beyond which the run is begun anew
  // with a finer one.
  // Origin: half of the tolerance leaves the expansion 87 % of it.
  double integration_share = 0.5;
  // It is measured at most_test samples where the finer rule has at most so many draws, else at
  // first_alone.
  // Origin: 128 · 100 gradients are below what screening takes.
  Index few_draws = 100;

  // Screened samples: as many as these operations allow, or this share of those of a fit, and how
  // many at least and at most.
  // Origin: about 10 ms of one core.
  double screen_operations = 2e7;
  // Origin: a fit takes n m² operations, and a run several of them.
  double screen_share = 0.1;
  // Origin: fewer say less about small probabilities than the solved ones say about the error.
  Index least_screened = 256;
  // Origin: features of probability 1e-4 are seen with 32,768 samples from π.
  Index most_screened = 65536;
  // A Newton step at a screened sample stands for the distance to the optimum if a second one would
  // be at most this share of it, in every component.
  // Origin: the geometric series that steps of this ratio make is 1/(1 − 1/4) = 1.3 first steps.
  double second_step = 0.25;
  // The same of steps of the proximal point method, whose lengths are those of a geometric series.
  // Origin: a limit on how much is made of two steps, ten times the first.
  double slowest_proximal = 0.9;
  // Rounding of such steps, relative to |x_u| and the first step.
  // Origin: seven digits less than a double has, for Hessians of that condition.
  double step_rounding = 1e-9;
  // Rounding of (∇f(y) − ∇f(x))·(y − x), relative.
  // Origin: seven digits of ∇f.
  double monotone_slack = 1e-7;
  // How far from x_u monotonicity is tried, in 1 + |x_u|.
  // Origin: as in the sieve (solve/common/other_minima.h): wells of a problem in units that suit it.
  double elsewhere_reach = 2;
  // Remarkable samples that are solved one by one.
  // Origin: a guard on time: a descent takes some ten microseconds for a short formula.
  Index most_settled = 64;
  // Rounds of as many, where Newton steps are much too long.
  // Origin: a guard on time.
  Index settling_rounds = 32;
  // The probability with which the expansion may lie outside of the domain of F: a polynomial that
  // approximates a positive function is negative somewhere in the tails.
  // Origin: a choice; it is said in the notes. Below it the error there is measured like any other.
  double outside_share = 1e-3;
  // The share of θ at which a gradient that may fail does: such θ are skipped as long as they are
  // not more, by three standard deviations of their number.
  // Origin: measured (benchmarks/expensive_models.py failures): 10 % scattered ones raised the error
  // by a hundredth; beyond it a model is rather broken.
  double most_skipped = 0.1;
  // Skipped θ lie together if scattered ones would lie as unevenly with less than this probability.
  // Origin: the usual level of significance, and a bound: scattered ones are taken for a region in
  // less than that share of runs (tests/estimate/scatter_test.cpp). No table of other levels yet.
  double scatter_doubt = 0.05;
  // Minima that differ by more than this share of |x| and of the tolerance are not the same.
  // Origin: far above rescue_accuracy, far below what two wells differ by.
  double apart = 1e-3;
  // Of values of F, relative: a smaller rise between two minima is none.
  // Origin: seven digits less than a double has, for sums that cancel.
  double value_rounding = 1e-9;
  // Screened samples that become points when the fit has missed something.
  // Origin: as many as a round of the test.
  Index adopted = 8;

  // What is left out of the expansion at the end, over its error: functions of least size.
  // Origin: the error grows by at most half a per cent, and half of the functions may go.
  double omitted_share = 0.1;

  // When there is no hope.

  // Origin: a guard against runs without end.
  Index most_stages = 400;
  // Failures where θ is beyond its range with this probability are left out, or end the run without
  // spoiling it.
  // Origin: six standard deviations of a normal distribution.
  double improbable = 1e-9;
  // The share of points that may be left out there.
  // Origin: most_skipped: the fit has more points than it needs.
  double most_left_out = 0.1;
  // Relative slack of given constants against the curvature that was seen.
  // Origin: the error of curvatures by differences, with room.
  double curvature_slack = 1e-3;
};

template <class Visitor>
void visit(CollocationTuning& tuning, const Visitor& visitor) {
  visit(static_cast<CurvatureTuning&>(tuning), visitor);
  visit(static_cast<DesignTuning&>(tuning), visitor);
  visitor("asymmetry_limit", tuning.asymmetry_limit);
  visitor("nominal_accuracy", tuning.nominal_accuracy);
  visitor("nominal_ratio", tuning.nominal_ratio);
  visitor("least_covered", tuning.least_covered);
  visitor("nominal_rounds", tuning.nominal_rounds);
  visitor("runaway", tuning.runaway);
  visitor("rescue_accuracy", tuning.rescue_accuracy);
  visitor("rescue_runaway", tuning.rescue_runaway);
  visitor("accuracy", tuning.accuracy);
  visitor("accuracy_floor", tuning.accuracy_floor);
  visitor("first_step_squares", tuning.first_step_squares);
  visitor("stagnation", tuning.stagnation);
  visitor("tightening", tuning.tightening);
  visitor("outlier", tuning.outlier);
  visitor("most_doubts", tuning.most_doubts);
  visitor("unsolved_share", tuning.unsolved_share);
  visitor("largest_prediction", tuning.largest_prediction);
  visitor("pilot_points", tuning.pilot_points);
  visitor("few_ratios", tuning.few_ratios);
  visitor("enough_ratios", tuning.enough_ratios);
  visitor("tiny_ratio", tuning.tiny_ratio);
  visitor("trusted_ratio", tuning.trusted_ratio);
  visitor("probe_every", tuning.probe_every);
  visitor("probe_every_tiny", tuning.probe_every_tiny);
  visitor("longest_lift", tuning.longest_lift);
  visitor("first_test", tuning.first_test);
  visitor("first_alone", tuning.first_alone);
  visitor("most_test", tuning.most_test);
  visitor("contradiction", tuning.contradiction);
  visitor("integration_share", tuning.integration_share);
  visitor("few_draws", tuning.few_draws);
  visitor("screen_operations", tuning.screen_operations);
  visitor("screen_share", tuning.screen_share);
  visitor("least_screened", tuning.least_screened);
  visitor("most_screened", tuning.most_screened);
  visitor("second_step", tuning.second_step);
  visitor("slowest_proximal", tuning.slowest_proximal);
  visitor("step_rounding", tuning.step_rounding);
  visitor("monotone_slack", tuning.monotone_slack);
  visitor("elsewhere_reach", tuning.elsewhere_reach);
  visitor("most_settled", tuning.most_settled);
  visitor("settling_rounds", tuning.settling_rounds);
  visitor("outside_share", tuning.outside_share);
  visitor("most_skipped", tuning.most_skipped);
  visitor("scatter_doubt", tuning.scatter_doubt);
  visitor("apart", tuning.apart);
  visitor("value_rounding", tuning.value_rounding);
  visitor("adopted", tuning.adopted);
  visitor("omitted_share", tuning.omitted_share);
  visitor("most_stages", tuning.most_stages);
  visitor("improbable", tuning.improbable);
  visitor("most_left_out", tuning.most_left_out);
  visitor("curvature_slack", tuning.curvature_slack);
}

}  // namespace chaosgrad::internal
