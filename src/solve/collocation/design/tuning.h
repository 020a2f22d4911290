#pragma once
// The constants of the designs: which points and functions a stage adds, with their origins; as in
// solve/collocation/tuning.h, of which they are a part.
#include "chaosgrad/types.h"

namespace chaosgrad::internal {

struct DesignTuning {
  // When there is no hope.

  // The run is at its end when four times as many points did not lower the error by the factor
  // `progress`; not before there are `least_patience` points, or `mixture_patience` with many
  // parameters.
  // Origin: measured, gradients 1.00 at 0.45, 1.00 at 1.8.
  double progress = 0.9;
  // Origin: measured, gradients 1.00 off, 1.00 at 32, 1.00 at 128.
  Index least_patience = 64;
  // Origin: a guard: the first hundreds of functions of several parameters may all be needed before
  // the error falls.
  Index mixture_patience = 1000;

  // One parameter: points and functions in their order.

  // Origin: measured, gradients 1.01 at 3, 1.06 at 12.
  Index first_points = 6;
  // Points per function, and the least number of points more than functions.
  // Origin: measured, gradients 1.04 at 0.6, 1.07 at 2.4.
  double points_per_function = 1.2;
  // Origin: measured, gradients 1.03 off, 1.03 at 1, 1.05 at 6.
  Index least_spare = 3;
  // Under constraints m is chosen among sizes that differ by one in so many.
  // Origin: a guard on time: each takes a projection per point.
  Index sizes_tried = 4;
  // The first points stand this far from the ends of the distribution, in probability.
  // Origin: measured, gradients 1.03 at 0.002, 1.05 at 0.008.
  double end_probability = 0.004;
  // From so many points on the limits of two fits in a row must meet the target.
  // Origin: a guard: one fit may say far too little by chance. Gradients 1.00 off, 1.00 at 16, 1.00
  // at 64.
  Index agreement_points = 32;
  // A stage adds one point for so many that there are, and at least so many.
  // Origin: measured, gradients 1.07 at 3, 1.00 at 12.
  Index points_per_new = 6;
  // Origin: measured, gradients 1.06 at 1, 1.01 at 4.
  Index least_new = 2;
  // 1 − leverage is taken to be at least this in the leave-one-out error.
  // Origin: a guard against a division by zero. gradients 1.00 at 0.01, 1.00 at 0.04.
  double least_slack = 0.02;

  // Many parameters: samples from the mixture, functions that are expected to matter. "Measured
  // (below)": the sum of medians of six seeds over elliptic-8, quadratic-copula, portfolio-full,
  // oscillator and active-5-of-50 of benchmarks/auto.py; other seeds make some 5 % of difference. Those were measured
  // before gains were judged with correlated residuals (mixture_growth.cpp).

  // Points of the first stage more than functions.
  // Origin: a choice: enough for leave-one-out to say something.
  Index first_spare = 4;
  // The share of the new points that comes from π, the others from the induced densities.
  // Origin: measured (below), gradients 1.11 at 0.5, 1.04 at 0.15.
  double measure_share = 0.3;
  // The most points of a stage, in points of the stage before, and the least new ones, as the share
  // 1/least_growth of them.
  // Origin: measured (below), gradients 1.18 at 1.5.
  double stage_growth = 1.3;
  // Origin: a choice: fewer new points teach little.
  double least_growth = 8;
  // Functions for each point.
  // Origin: measured (below), gradients 1.11 at 1.2, 1.11 at 2.
  double functions_per_point = 1.5;
  // and for very many points: so many, and so many for each.
  // Origin: a fit takes n m² operations; elliptic-30 takes 4,752 gradients and 7 s of one core, with
  // 2000 and 0.2 it takes 5,398 and 13 s.
  double dense_functions = 700;
  // Origin: as above.
  double functions_per_further_point = 0.4;
  // The error falls like n^−p: p before it is known, and the least and the largest that is believed.
  // Origin: a choice for the first two stages.
  double usual_power = 1.5;
  // Origin: a guard: slower decays are noise of the estimate, or no decay.
  double least_power = 0.5;
  // Origin: a guard: faster decays are noise of the estimate.
  double most_power = 6;
  // The last stage is to end with a limit of the error of this share of the target.
  // Origin: measured (below), gradients 1.02 at 0.95.
  double target_share = 0.85;
  // Fits through the same points, each with the prior that the one before has taught; and for more
  // than `many_functions` functions.
  // Origin: measured (docs/benchmarks.md, fits with a prior), gradients 1.09 at 2.
  Index prior_rounds = 3;
  // Origin: a guard on time: by then the prior has been learnt.
  Index late_rounds = 2;
  // Origin: as above.
  Index many_functions = 600;
  // log τ² falls by this much with each degree, where nothing is known; and at least.
  // Origin: a choice: coefficients fall by e^1.5 with each degree.
  double usual_decay = 3;
  // Origin: a guard: candidates come in the order of τ², which has to fall.
  double least_decay = 0.2;
  // σ² of the first fit, in variances of its values; later at least so much of the squared error.
  // Origin: a choice: the first fit has hardly more points than functions.
  double first_noise = 0.01;
  // Origin: measured (below), gradients 1.00 at 0.05.
  double least_noise = 1e-3;
  // Coefficients that tell something about the decay, and those that have a variance of their own:
  // how much of them the points determine.
  // Origin: measured (below), gradients 1.06 at 0.2, 1.18 at 0.5.
  double least_determined = 0.02;
  // Origin: a choice: half.
  double known_share = 0.5;
  // log τ² of those: the share that follows the coefficient, which counts as least_own of what the
  // decay says at least.
  // Origin: measured (below), gradients 1.08 at 0.5, 1.07 at 0.95.
  double own_share = 0.8;
  // Origin: a guard: zeros of even and odd functions are no decay.
  double least_own = 1e-4;
  // Functions whose neighbours are candidates whatever the decay says: so many over d.
  // Origin: a guard on time; two steps around each make 2d candidates.
  Index centres = 2000;
  // Candidates that are measured exactly.
  // Origin: a guard on time: each takes m² operations.
  Index most_measured = 200;
  // Candidates on each axis: the share 1/axis_share of its degree more, and at least so many.
  // Origin: measured, gradients 1.20 off, 0.99 at 1, 1.10 at 4.
  int axis_share = 2;
  // Origin: measured, gradients 1.01 off, 1.00 at 1, 0.98 at 4; at 0 and 1 one problem more of 38
  // is outside its tolerance.
  int least_axis = 2;
};

template <class Visitor>
void visit(DesignTuning& tuning, const Visitor& visitor) {
  visitor("first_points", tuning.first_points);
  visitor("points_per_function", tuning.points_per_function);
  visitor("least_spare", tuning.least_spare);
  visitor("sizes_tried", tuning.sizes_tried);
  visitor("end_probability", tuning.end_probability);
  visitor("agreement_points", tuning.agreement_points);
  visitor("points_per_new", tuning.points_per_new);
  visitor("least_new", tuning.least_new);
  visitor("least_slack", tuning.least_slack);
  visitor("first_spare", tuning.first_spare);
  visitor("measure_share", tuning.measure_share);
  visitor("stage_growth", tuning.stage_growth);
  visitor("least_growth", tuning.least_growth);
  visitor("functions_per_point", tuning.functions_per_point);
  visitor("dense_functions", tuning.dense_functions);
  visitor("functions_per_further_point", tuning.functions_per_further_point);
  visitor("usual_power", tuning.usual_power);
  visitor("least_power", tuning.least_power);
  visitor("most_power", tuning.most_power);
  visitor("target_share", tuning.target_share);
  visitor("prior_rounds", tuning.prior_rounds);
  visitor("late_rounds", tuning.late_rounds);
  visitor("many_functions", tuning.many_functions);
  visitor("usual_decay", tuning.usual_decay);
  visitor("least_decay", tuning.least_decay);
  visitor("first_noise", tuning.first_noise);
  visitor("least_noise", tuning.least_noise);
  visitor("least_determined", tuning.least_determined);
  visitor("known_share", tuning.known_share);
  visitor("own_share", tuning.own_share);
  visitor("least_own", tuning.least_own);
  visitor("centres", tuning.centres);
  visitor("most_measured", tuning.most_measured);
  visitor("axis_share", tuning.axis_share);
  visitor("least_axis", tuning.least_axis);
  visitor("progress", tuning.progress);
  visitor("least_patience", tuning.least_patience);
  visitor("mixture_patience", tuning.mixture_patience);
}

}  // namespace chaosgrad::internal
