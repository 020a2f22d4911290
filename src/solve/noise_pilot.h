#pragma once
// How a run takes E_v: a short pilot measures what the noise amounts to, and what each rule for it
// would leave as an error of x.
#include <cstdint>
#include <optional>

#include "chaosgrad/options.h"
#include "chaosgrad/problem.h"
#include "problem/noise_plan.h"
#include "solve/common/run.h"

namespace chaosgrad::internal {

struct NoiseTuning {
  // θ at which the pilot solves the problem and compares rules: the median and others.
  // Origin: kinks move with θ, and one place may have none.
  Index pilot_points = 4;
  // Draws of the noise at each of them, for its variance.
  // Origin: 256 in all give the standard deviation to 5 % for normal noise.
  Index pilot_draws = 64;
  // Cases that stand for very many in the pilot.
  // Origin: the place of the optimum within 1/20 of the standard deviation of the noise.
  Index pilot_cases = 512;
  // How far from its optimum rules are compared, in norms of x.
  // Origin: as wrong as an expansion is in its first stages, when rules must already hold.
  double displacement = 0.01;
  // The error of a rule, over the tolerance, for it to be taken.
  // Origin: a tenth adds 0.5 % to the error.
  double error_share = 0.1;
  // Gradients that each function of the basis takes in collocation, and times (σ/ε)² in the sieve with
  // independent samples and with Sobol' points.
  // Origin: medians over the problems of benchmarks/auto.py; for Sobol' points a guess: a fifth of
  // independent samples.
  double collocation_per_function = 6, sieve_per_function = 2.5, sobol_per_function = 0.5;
  // Rules of at most so many draws are taken without asking what the sieve would cost.
  // Origin: 6 · 40 is below 2.5/0.1², the sieve at the largest sensible tolerance.
  double always_draws = 40;
};

// A rule for E_v. Where `rule` is empty the exact one of noise_rule.h is meant.
struct NoiseTreatment {
  std::optional<NoiseChoice> rule = {};
  bool exact = true;
  Index draws = 1;             // of one gradient
  double error = 0;            // of x, by the pilot
  std::int64_t gradients = 0;  // that the pilot took
};

// Empty: the noise is to be sampled. `must` integrates it if that is possible at all.
[[nodiscard]] std::optional<NoiseTreatment> choose_treatment(const Oracle& oracle,
                                                             const Options& options, bool must,
                                                             const NoiseTuning& tuning = {});

void save(const NoiseTreatment& treatment, SolverState& state);
// Of a run that was begun with it; empty if it was begun otherwise.
[[nodiscard]] std::optional<NoiseTreatment> restore_treatment(const SolverState& state);

}  // namespace chaosgrad::internal
