#pragma once
// How far a descent method goes at iteration k: step α_k and momentum β_k, guarded.
#include "chaosgrad/options.h"
#include "solve/common/plan.h"
#include "solve/descent/guard.h"

namespace chaosgrad::internal {

struct Step {
  double alpha = 0, beta = 0;
  bool restart = false;  // forget the previous iterate
  bool cut = false;      // the guard made the step smaller
};

// Stages of the multistage method: stage 1 has step 1/L for ⌈√κ ln κ⌉ iterations, stage s ≥ 2 has
// 1/(4^s L) for 2^s ⌈√κ ln 2^{p+2}⌉, p = 1.
struct Stage {
  Index number = 1;
  bool first_iteration = false;
};
[[nodiscard]] Stage stage_of(Index k, double kappa);

class StepPolicy {
 public:
  StepPolicy(const Options& options, const ProblemConstants& constants);

  // Throws InputError if a schedule gives a step that is not positive and finite.
  [[nodiscard]] Step operator()(Index k, const Level& level);

 private:
  [[nodiscard]] double step_at(Index k, const Level& level, const ScheduleInputs& inputs);
  [[nodiscard]] Step unguarded(Index k, const Level& level);
  void guard(const Level& level, Step& step);

  const Options& options_;
  const ProblemConstants& constants_;
  Schedule step_;
  // The last step of the formula, which depends on these only where it does not know k.
  double last_step_ = 0, step_smoothness_ = 0;
  Level step_level_{0, 0, 0};
  // The last answer of the guard, which depends on these only.
  double asked_alpha_ = 0, asked_beta_ = 0, asked_smoothness_ = 0, allowed_alpha_ = 0;
  Level asked_level_{0, 0, 0};
};

}  // namespace chaosgrad::internal
