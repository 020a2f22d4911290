#pragma once
// All that one stage of collocation hands to the next, saved and restored as one thing.
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "chaosgrad/solution.h"
#include "solve/collocation/curvature/inverse_model.h"
#include "solve/collocation/curvature/metric.h"
#include "solve/common/goal.h"
#include "solve/pointwise/pointwise.h"

namespace chaosgrad::internal::collocation {

struct Context;
class Design;

// What is to be done next. Functions that can end the run return `go_on` or `stop`, and have then
// put the reason into its status.
enum class Verdict {
  go_on,    // with the next step, or the next stage
  confirm,  // the error seems to be within the tolerance: fresh samples are to confirm it
  stop      // the run is over
};

// ‖x_u − x*‖_π after a stage. Squares are means over π; the others are norms.
struct StageError {
  Vector squares = {};  // of the error at the points, weighted: their mean estimates its square
  double squared = infinity;  // that mean, and what the points lack
  double limit = infinity;    // of the error, with confidence
  double upper = infinity;    // the limit that is judged
  double basis = 0, sampling = 0, optimisation = 0;
  // What the rule for the noise leaves, by the test: with confidence, and its estimate.
  double integration = 0, integration_estimate = 0;
  // What adds to the error of the fit.
  [[nodiscard]] double rest() const { return std::hypot(optimisation, integration); }
  Vector components = {};
  std::optional<double> gradient_limit = {};  // of ‖∇f(x_u)‖_π, with confidence; by the test
};

struct CollocationState {
  Run run;  // basis, coefficients u, gradients, history; at the end status and reason
  Index stage = 1;
  Points points = {};
  InverseModel model = InverseModel();
  // Where x is constrained: the metric of this stage, a model of ∇²f that steps are taken in, and the
  // Hessians that it was made of. The expansion of the last fit has its own, run.lift.
  std::shared_ptr<const Lift> metric = {};
  std::vector<std::shared_ptr<const Lift>> other_metrics = {};  // for the fit of this stage
  HessianPoints hessians = {};
  double proximal = 0;            // δ: metrics are near ∇²f + δI (proximal_weight)
  Vector multiplier_errors = {};  // see Solution
  CurvatureSeen curvature = {};
  StageError error = {};
  double error_to_match = infinity;        // the points are accurate relative to this
  double error_before = infinity;          // of the stage before
  std::optional<double> contraction = {};  // |step|/|step before| that new points are trusted with
  double runaway_norm = 1e100;             // |x| beyond is a runaway
  double norm = 0;                         // ‖x‖_π, where x is constrained
  double fit_pace = 0;       // seconds of the last fit per point and function; 0: there was none
  Index looks = 0;           // tests so far, which share the doubt 1 − confidence
  Index left_out = 0;        // points where θ practically never is, without an optimum
  std::string outside = {};  // if the last test found x_u outside of the domain too often: where
};

void save(const Design& design, CollocationState& state);
// Goes on from options.resume.
void restore(const Context& context, const Solution& before, Design& design,
             CollocationState& state);

// The points and the basis of a stage at its end, for Options::earlier of other runs.
void save_optima(const Design& design, CollocationState& state);
// Takes those of an earlier run over: all, if its samples are those of these families; else those
// that were drawn from π itself, or all of them where the design takes any.
void take_over(const Context& context, const Solution& earlier, Design& design,
               CollocationState& state);

// The tolerance for x_u as it is now.
[[nodiscard]] double target(const Context& context, const CollocationState& state);

// Ends the run; with a failure at θ, which spoils nothing if θ is improbable (improbable.h).
[[nodiscard]] Verdict stop(Status status, std::string reason, CollocationState& state);
[[nodiscard]] Verdict stop_at(const Context& context, Status status, const Vector& theta,
                              std::string reason, CollocationState& state);

// No x satisfies the constraints at θ.
[[nodiscard]] Verdict stop_infeasible(const Context& context, const Vector& theta,
                                      CollocationState& state);

// Whether the budget, the clock and the caller allow so many more evaluations of ∇f.
[[nodiscard]] Verdict may_evaluate(const Context& context, Index points, CollocationState& state);

// Keeps account of what points have cost and shown; stops where that is a failure. Points in trouble
// are rescue()'s.
[[nodiscard]] Verdict note_report(const Context& context, const PointReport& report,
                                  CollocationState& state);

}  // namespace chaosgrad::internal::collocation
