#pragma once
// Every number that the sieve was given rather than told: its meaning, and its origin. "Measured"
// gives the ratio of gradients with its standard error, of benchmarks/ablation_sieve.py; the
// table is in docs/benchmarks.md.
#include "chaosgrad/types.h"

namespace chaosgrad::internal {

struct SieveTuning {
  // Where it begins (first_descent()).

  // Blocks of samples of the mean that is descended, and the most steps. Origin: 512 samples know a
  // mean to 4 % of its spread; from 10^8 times as far 4-fold radii take 14 steps.
  Index descent_blocks = 4;
  Index descent_steps = 100;
  // Of the slope along a step: what may be left, on either side, for it to have gone as far as it
  // promised. Origin: a half, so that the next ones gain a digit in three.
  double descent_gain = 0.5;
  // Standard errors of the mean gradient, below which it is noise. Origin: as `damping_signal`.
  double descent_noise = 3;

  // How many samples a stage takes.

  // The largest batch, in gradients spent so far. Measured: 0.25 takes 0.96 ± 0.07, 1 takes 4.3 ±
  // 0.4 times as many, because `least_stages` have to be done.
  double batch_growth = 0.5;
  // The smallest batch, in largest ones. Measured: from 0.125 to 1 (every batch is the largest) the
  // ratio is 1.02 to 1.03 ± 0.04.
  double least_batch = 0.25;
  // On top of the samples that seem to be missing. Measured: 0.99 ± 0.01 for 1, 1.01 ± 0.02
  // for 1.5.
  double batch_margin = 1.05;
  // A budget that leaves at least this much of a largest batch is used up. Origin: less than 1/16
  // of all samples takes less than 3 % off the error. Runs that converge do not meet it.
  double last_batch = 0.125;

  // How far a stage goes.

  // |Δ_i|² over its expected noise, from which on what was learnt of u_i before counts less.
  // Origin: three standard deviations. Measured: 0.98 ± 0.01 for 4.5, 1.04 ± 0.02 for 18, 1.15 ±
  // 0.05 without the rule.
  double restart_signal = 9;
  // Standard deviations of Δ·D, D the path so far, from which on the coefficients move on together.
  // Origin: a false alarm in a thousand stages. Measured: 1.07 ± 0.03 for 1.5, 0.98 ± 0.04 for 6,
  // 0.97 ± 0.04 without the rule.
  double drift_signal = 3;
  // How far a run that moves on may still go, in steps. Origin: the sum of steps each of which is
  // three quarters of the one before.
  double drift_reach = 3;
  // What D keeps of itself from stage to stage. Measured: 0.96 ± 0.04 for 0, 1.06 ± 0.04 for 0.9.
  double path_memory = 0.7;
  // ‖Δ‖² over its noise, below which the step is noise and damping ends. Origin: as for
  // `restart_signal`. Measured: 1.00 ± 0.01 for 4.5, 0.97 ± 0.02 for 18, 1.07 ± 0.03 for 0.
  double damping_signal = 9;
  // Δ·(step before) over ‖step before‖²: below −this the step before went too far. Measured: 1.01 ±
  // 0.01 for 0.15, 1.00 ± 0.04 for 0.6, 0.94 ± 0.03 without damping.
  double damping_turn = 0.3;
  // The factors on γ when it turns back and when it goes on, and the smallest γ. Measured: a cut by
  // 0.25 takes 1.11 ± 0.05, by 0.75 0.99 ± 0.04; no run came down to a γ of 0.1.
  double damping_cut = 0.5;
  double damping_recovery = 1.5;
  double least_damping = 0.05;
  // ‖Δ‖ over the smallest so far, from which on the iterates run away. Origin: half of the digits
  // of a double are lost; collocation and descent have the same limit. The first descent has gone
  // that far from its start when it ends.
  double runaway = 1e8;

  // ‖Δ‖² over that of the step before and the sampling error, from which on the step before is
  // taken back by half, at most `most_returns` times in a row. Origin: Newton's steps shorten;
  // growing fourfold they have left the region in which they hold.
  double overshoot = 16;
  Index most_returns = 3;
  // Halvings in a row of a step that leaves the domain of F. Origin: 2^−20 of it is no step.
  Index most_halvings = 20;

  // When a stage may be the last, and when there is no hope.

  // Measured: 3 takes 0.87 ± 0.04 of the gradients, but 64 instead of 66 of 69 runs are within the
  // tolerance.
  Index least_stages = 6;
  // Origin: batches of half of the run make it 10^9 times as long in 51 stages.
  Index most_stages = 200;

  // Which functions are added.

  // ‖u_i‖² over its noise, from which on the neighbours of i are candidates. Origin: three standard
  // deviations. Measured: collocation's 4 takes 1.00 ± 0.01; it has no noise but that of aliasing.
  double significance = 9;
  // Steps from a significant index to its candidates. Origin: every second coefficient of an even
  // or odd function is 0. Measured: 1 takes 0.95 ± 0.03, with 65 instead of 66 of 69 within.
  Index reach = 2;
  // Origin: the time that a batch takes grows with them. Measured: even 50 change one run of 69.
  Index most_candidates = 4000;
  // The basis grows while its squared error is above this share of the sampling error's square,
  // and above `negligible_basis` of the squared tolerance. Origin: functions below either do not
  // lower the whole error by much. Measured: 1.00 ± 0.01 with either at 0.
  double basis_share = 0.5;
  double negligible_basis = 0.1;
  // |c_ν|² over its noise, from which on ν may be added; more where many candidates make the
  // largest noise larger (noise_maximum). Measured: 1.05 ± 0.04 for 1.5, 1.03 ± 0.03 for 6.
  double growth_signal = 3;
  // The share of what all candidates show that those added carry. Measured: collocation's 0.7 takes
  // 0.99 ± 0.01, with 65 instead of 66 of 69 within. A stage costs half of the run here, so that
  // few stages should do; there it costs the new points.
  double bulk = 0.9;
  // The most functions to add, in functions there are. Measured: 1 takes 0.98 ± 0.01, with 64
  // instead of 66 of 69 within.
  double most_growth = 0.5;

  // Waves of the probe: in all, on the axes (shared by all parameters), and the highest frequency.
  // Origin: docs/decisions.md (the sieve probes); they cost time, no gradients. Measured: without
  // them 4 of 69 runs differ, 0.99 ± 0.01.
  Index probe_waves = 64;
  Index probe_axis_waves = 16;
  Index probe_highest = 8;

  // The metric H(θ), renewed at the first stages and when the run is this many times as long.
  // Measured: one at the start takes 0.97 ± 0.06, with 62 instead of 66 of 69 within; no renewal
  // 1.23 ± 0.13.
  Index first_metrics = 2;
  double metric_renewal = 4;
  // ‖H − Hᵀ‖/‖H‖ of differences, from which on ∇F is no gradient, if some entry also stands
  // `asymmetry_signal` standard errors above 0; asked only of gradients that the program has not
  // derived itself. Origin: differences over 3 % of x, whose error of higher order has no noise;
  // five standard errors are a false alarm in 10^6 for each of up to q²/2 entries.
  double asymmetry_limit = 0.2;
  double asymmetry_signal = 5;
  // The probability that all trials for negative curvature of one metric together raise a false
  // alarm. Origin: one in 10^4 metrics, of which a run has about ten.
  double false_alarm = 1e-4;
  // An eigenvalue of H̄ below this many of its standard errors is uncertain: the metric is measured
  // again with `metric_again` times as many samples. Origin: known to a quarter, steps are neither
  // much too long nor much too short.
  double clear_curvature = 4;
  Index metric_again = 4;
  // Eigenvalues are raised to this many standard errors. Origin: two: then a step is at most as
  // long as the flattest curvature that is believable makes it.
  double curvature_floor = 2;
  // Relative: how far the curvature may be beyond a given μ or L. Origin: a mean of at least 256
  // samples is known to some 6 %; without noise (collocation) 0.001 does. Measured: 0.001 changes
  // none of 69 runs, whose facts are right.
  double curvature_slack = 0.1;

  // The test on fresh samples that confirms. Its gradients are counted apart.

  // Its first part: the share of the gradients spent so far, at least `least_test` of them (no more
  // than were spent); `cheap_test`, and `least_test_blocks` blocks of θ, where a gradient takes at
  // most `cheap_operations`. Origin: 8,192 draws miss an event of probability 1e-3 in one of 3,600
  // runs, and take milliseconds.
  double test_share = 0.125;
  Index least_test = 1024;
  Index cheap_test = 8192;
  Index least_test_blocks = 32;
  double cheap_operations = 1e4;
  // Standard error of the squared error, in squared tolerances, at which the test decides; it is
  // made that long if this takes no more gradients than were spent. Origin: an error of 1.1
  // tolerances (1.21 squared) then passes the limit of 95 % in one of 2,000 tests, one of 0.8 in 9
  // of 10. Where it takes more, as many as were spent are used if they reach
  // `coarse_resolution`: then the squared error itself has to be within the tolerance.
  double test_resolution = 0.125;
  double coarse_resolution = 0.5;
  // Tolerances that a test has to exclude at least, or the run may not end. Origin: 3 to 5 are
  // reached by fewer gradients than the solution takes (expectiles, quantiles at 1 %); at 20 there
  // was a wrong answer (a jump under noise of rare events).
  double weakest_test = 10;
  // E w²|R|² over squared tolerance and draws of the noise at each θ. Origin: with K draws per θ the
  // noise of the products falls by K − 1 for the same gradients, until that of θ matters.
  double test_noise = 4;
  // Functions that the test looks for, and how many degrees beyond the basis. Origin: they cost
  // time like candidates; four degrees hold the products of four parameters.
  Index test_functions = 1000;
  Index test_degrees = 4;
  // The gradients between two tests, as a factor. Origin: all tests together then take at most
  // three times as many as the run.
  double test_renewal = 1.5;
  // A run is stalled when as many tests in a row as this found the same error, to `same_error`, and
  // no function that holds it. Origin: by then it is 1.5³ times as long as at the first.
  Index vain_tests = 4;
  double same_error = 0.8;
};

// visitor(name, value) for each of them.
template <class Visit>
void visit(SieveTuning& tuning, const Visit& visitor) {
  visitor("descent_blocks", tuning.descent_blocks);
  visitor("descent_steps", tuning.descent_steps);
  visitor("descent_gain", tuning.descent_gain);
  visitor("descent_noise", tuning.descent_noise);
  visitor("batch_growth", tuning.batch_growth);
  visitor("least_batch", tuning.least_batch);
  visitor("batch_margin", tuning.batch_margin);
  visitor("last_batch", tuning.last_batch);
  visitor("restart_signal", tuning.restart_signal);
  visitor("drift_signal", tuning.drift_signal);
  visitor("drift_reach", tuning.drift_reach);
  visitor("path_memory", tuning.path_memory);
  visitor("damping_signal", tuning.damping_signal);
  visitor("damping_turn", tuning.damping_turn);
  visitor("damping_cut", tuning.damping_cut);
  visitor("damping_recovery", tuning.damping_recovery);
  visitor("least_damping", tuning.least_damping);
  visitor("runaway", tuning.runaway);
  visitor("overshoot", tuning.overshoot);
  visitor("most_returns", tuning.most_returns);
  visitor("most_halvings", tuning.most_halvings);
  visitor("least_stages", tuning.least_stages);
  visitor("most_stages", tuning.most_stages);
  visitor("significance", tuning.significance);
  visitor("reach", tuning.reach);
  visitor("most_candidates", tuning.most_candidates);
  visitor("basis_share", tuning.basis_share);
  visitor("negligible_basis", tuning.negligible_basis);
  visitor("growth_signal", tuning.growth_signal);
  visitor("bulk", tuning.bulk);
  visitor("most_growth", tuning.most_growth);
  visitor("probe_waves", tuning.probe_waves);
  visitor("probe_axis_waves", tuning.probe_axis_waves);
  visitor("probe_highest", tuning.probe_highest);
  visitor("first_metrics", tuning.first_metrics);
  visitor("metric_renewal", tuning.metric_renewal);
  visitor("asymmetry_limit", tuning.asymmetry_limit);
  visitor("asymmetry_signal", tuning.asymmetry_signal);
  visitor("false_alarm", tuning.false_alarm);
  visitor("clear_curvature", tuning.clear_curvature);
  visitor("metric_again", tuning.metric_again);
  visitor("curvature_floor", tuning.curvature_floor);
  visitor("curvature_slack", tuning.curvature_slack);
  visitor("test_share", tuning.test_share);
  visitor("least_test", tuning.least_test);
  visitor("cheap_test", tuning.cheap_test);
  visitor("least_test_blocks", tuning.least_test_blocks);
  visitor("cheap_operations", tuning.cheap_operations);
  visitor("test_resolution", tuning.test_resolution);
  visitor("coarse_resolution", tuning.coarse_resolution);
  visitor("weakest_test", tuning.weakest_test);
  visitor("test_noise", tuning.test_noise);
  visitor("test_functions", tuning.test_functions);
  visitor("test_degrees", tuning.test_degrees);
  visitor("test_renewal", tuning.test_renewal);
  visitor("vain_tests", tuning.vain_tests);
  visitor("same_error", tuning.same_error);
}

}  // namespace chaosgrad::internal
