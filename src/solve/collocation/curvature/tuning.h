#pragma once
// The constants of what collocation learns about curvature, with their origins; as in
// solve/collocation/tuning.h, of which they are a part.
#include "chaosgrad/types.h"

namespace chaosgrad::internal {

struct CurvatureTuning {
  // The inverse Hessian as a function of θ.

  // Unknowns per column, q for each function of θ.
  // Origin: measured, gradients 1.05 off, 1.00 at 400, 1.00 at 1600.
  Index model_features = 1600;
  // The time of a fit, in gradients at every point, where their price is known.
  // Origin: a guard on time: short formulas took ten times longer in fits of the model, which saves
  // 5 % of their gradients.
  double model_gradients = 1000;
  // The latest secant pairs that it learns from.
  // Origin: a guard on time and memory.
  Index model_pairs = 600;
  // and how few of them say nothing.
  // Origin: a choice: leave-one-out over fewer decides nothing.
  Index least_pairs = 6;
  // Origin: measured, gradients 1.02 at 1, 1.00 at 4.
  Index model_pairs_per_feature = 2;
  // Every so many pairs one is held out, to decide whether the model is better than the mean.
  // Origin: measured, gradients 1.03 at 2, 1.03 at 10.
  Index model_held_out = 5;
  // Ridge, relative to the mean of the diagonal.
  // Origin: measured, gradients 1.01 at 5e-07, 1.01 at 2e-06.
  double model_ridge = 1e-6;
  // A step this many times longer than that of the mean inverse is extrapolation.
  // Origin: measured, gradients 1.02 off, 1.04 at 5, 1.01 at 20.
  double model_longest = 10;

  // The metric of the lift, where x is constrained.

  // Eigenvalues of M, relative to the largest of H at the nominal point, and of H̄^{−½} M H̄^{−½}.
  // Origin: guards: M must be positive definite where f is flat, or the regression extrapolates.
  double metric_floor = 1e-8;
  double metric_least = 0.05;
  // The metric stays as it is while it explains the secants to this relative error.
  // Origin: the error of Hessians by differences, with room.
  double metric_misfit = 1e-5;
  // Beyond this relative error, in units of the relative tolerance, a metric that is learnt from
  // secants is not good enough where Hessians are known.
  // Origin: kinks make an error of some hundredths of x, which M damps by its own error.
  double metric_enough = 5;
  // How many Hessians there are for each function of θ, and the ridge of their fit.
  // Origin: five constrained problems: with 0.3 and 2 predictive control takes four times as many
  // gradients, with 1.5 Hessians per function a long-only portfolio twelve times.
  double hessians_per_function = 2.5;
  double metric_ridge = 1e-4;
  // M over H where equalities are the only constraints: y is near to x, which has no kinks then.
  // Origin: a compromise: multipliers are as many times less accurate.
  double stiff_metric = 10;
  // The squared error with such a metric over that without, below which it is taken where there are
  // inequalities.
  // Origin: half the error is worth multipliers that are less accurate.
  double stiff_advantage = 0.25;
  // The highest degree of M in germs that are unbounded.
  // Origin: a guard: at six standard deviations a cubic is of the order of 100.
  Index metric_degree = 3;
  // The same where the Hessian does not depend on x: its fit is checked by factors left out.
  // Origin: exp(−0.4 z), z normal, leaves 2e-4 beyond degree 6.
  Index exact_metric_degree = 6;
  // Numbers in M at most, q(q + 1)/2 for each function of θ; and variables beyond which M is the
  // same for every θ.
  // Origin: guards on time and memory: 100 functions with 60 variables.
  Index metric_numbers = 183'000;
  Index metric_variables = 60;
  // Functions that are chosen for a metric whose Hessians depend on x.
  // Origin: a guard on time: they are chosen anew at every stage.
  Index other_functions = 100;
};

template <class Visitor>
void visit(CurvatureTuning& tuning, const Visitor& visitor) {
  visitor("model_features", tuning.model_features);
  visitor("model_gradients", tuning.model_gradients);
  visitor("model_pairs", tuning.model_pairs);
  visitor("least_pairs", tuning.least_pairs);
  visitor("model_pairs_per_feature", tuning.model_pairs_per_feature);
  visitor("model_held_out", tuning.model_held_out);
  visitor("model_ridge", tuning.model_ridge);
  visitor("model_longest", tuning.model_longest);
  visitor("metric_floor", tuning.metric_floor);
  visitor("metric_least", tuning.metric_least);
  visitor("metric_misfit", tuning.metric_misfit);
  visitor("metric_enough", tuning.metric_enough);
  visitor("hessians_per_function", tuning.hessians_per_function);
  visitor("metric_ridge", tuning.metric_ridge);
  visitor("stiff_metric", tuning.stiff_metric);
  visitor("stiff_advantage", tuning.stiff_advantage);
  visitor("metric_degree", tuning.metric_degree);
  visitor("exact_metric_degree", tuning.exact_metric_degree);
  visitor("metric_numbers", tuning.metric_numbers);
  visitor("metric_variables", tuning.metric_variables);
  visitor("other_functions", tuning.other_functions);
}

}  // namespace chaosgrad::internal
