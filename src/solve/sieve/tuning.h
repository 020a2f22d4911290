#pragma once
// Every number that the sieve was given rather than told: meaning, and where it comes from. The
// measurements are those of docs/benchmarks.md, "Ablation: the sieve".
#include "chaosgrad/types.h"

namespace chaosgrad::internal {

struct SieveTuning {
  // How many samples a stage takes.

  // The largest batch, in gradients spent so far.
  double batch_growth = 0.5;
  // The smallest batch, in largest ones.
  double least_batch = 0.25;
  // On top of the samples that seem to be missing.
  double batch_margin = 1.05;
  // A budget that leaves at least this much of a largest batch is used up.
  double last_batch = 0.125;

  // How far a stage goes.

  // Δ_i² over its expected noise, from which on what was learnt of u_i before counts less.
  double restart_signal = 9;
  // Standard deviations of Δ·D, D the path so far, from which on the coefficients move on together.
  double drift_signal = 3;
  // What D keeps of itself from stage to stage.
  double path_memory = 0.7;
  // ‖Δ‖² over its noise, below which the step is noise and damping ends.
  double damping_signal = 9;
  // Δ·(step before) over ‖step before‖²: below −this the step before went too far.
  double damping_turn = 0.3;
  double damping_cut = 0.5;
  double damping_recovery = 1.5;
  double least_damping = 0.05;
  // ‖Δ‖ over the smallest so far, from which on the iterates run away.
  double runaway = 1e8;

  // When a stage may be the last, and when there is no hope.
  Index least_stages = 6;
  Index most_stages = 200;

  // Which functions are added.

  // ‖u_i‖² over its noise, from which on the neighbours of i are candidates.
  double significance = 9;
  // Steps from a significant index to its candidates.
  Index reach = 2;
  Index most_candidates = 4000;
  // The basis grows while its squared error is above this share of the sampling error's square,
  double basis_share = 0.5;
  // and above this share of the squared tolerance.
  double negligible_basis = 0.1;
  // |c_ν|² over its noise, from which on ν may be added.
  double growth_signal = 3;
  // The share of what all candidates show that those added carry.
  double bulk = 0.9;
  // The most functions to add, in functions there are.
  double most_growth = 0.5;

  // Waves of the probe: in all, on the axes (shared by all parameters), and the highest frequency.
  Index probe_waves = 64;
  Index probe_axis_waves = 16;
  Index probe_highest = 8;

  // The metric H(θ), renewed at the first stages and when the run is this many times as long.
  Index first_metrics = 2;
  double metric_renewal = 4;
  // ‖H − Hᵀ‖/‖H‖ of differences, from which on ∇F is no gradient.
  double asymmetry_limit = 0.2;
  // Relative: how far the curvature may be beyond a given μ or L.
  double curvature_slack = 0.1;

  // Samples for the bound: at least this many, or gradients over certificate_part.
  Index least_certificate = 512;
  Index certificate_part = 20;
};

// visitor(name, value) for each of them.
template <class Visit>
void visit(SieveTuning& tuning, const Visit& visitor) {
  visitor("batch_growth", tuning.batch_growth);
  visitor("least_batch", tuning.least_batch);
  visitor("batch_margin", tuning.batch_margin);
  visitor("last_batch", tuning.last_batch);
  visitor("restart_signal", tuning.restart_signal);
  visitor("drift_signal", tuning.drift_signal);
  visitor("path_memory", tuning.path_memory);
  visitor("damping_signal", tuning.damping_signal);
  visitor("damping_turn", tuning.damping_turn);
  visitor("damping_cut", tuning.damping_cut);
  visitor("damping_recovery", tuning.damping_recovery);
  visitor("least_damping", tuning.least_damping);
  visitor("runaway", tuning.runaway);
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
  visitor("curvature_slack", tuning.curvature_slack);
  visitor("least_certificate", tuning.least_certificate);
  visitor("certificate_part", tuning.certificate_part);
}

}  // namespace chaosgrad::internal
