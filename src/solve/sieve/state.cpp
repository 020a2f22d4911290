#include "solve/sieve/state.h"

#include <fmt/format.h>

#include <algorithm>

#include "solve/common/saved_state.h"
#include "solve/sieve/sieve_batch.h"

namespace chaosgrad::internal {
namespace {

std::string replicate_name(std::size_t group) { return fmt::format("replicate_{}", group); }

}  // namespace

SieveState start_state(const Oracle& oracle, const std::vector<Family>& families,
                       const Options& options) {
  const auto d = static_cast<Index>(families.size());
  const auto size =
      static_cast<Index>(std::min(function_count(families), static_cast<double>(1 + d)));
  const Coefficients zero = Coefficients::Zero(size, oracle.dimension());
  Coefficients u = zero;
  u.row(0) = oracle.facts().start.transpose();
  return {
      .basis = Basis(families, IndexSet::first(
                                   d, size, limited_order(families, index_order(options.indices)))),
      .u = u,
      .replicates = std::vector<Coefficients>(sieve_groups, u),
      .averaged = Vector::Zero(size),
      .last_step = zero,
      .path = zero,
      .path_variances = zero};
}

void extend(const std::vector<MultiIndex>& added, SieveState& state) {
  if (added.empty()) return;
  IndexSet indices = state.basis.indices();
  for (const MultiIndex& index : added) indices.add_closed(index);
  state.basis = Basis(state.basis.families(), std::move(indices));
  const Index before = state.u.rows(), size = state.basis.size();
  const auto extend_rows = [&](auto& rows) {
    rows.conservativeResize(size, Eigen::NoChange);
    rows.bottomRows(size - before).setZero();
  };
  extend_rows(state.u);
  extend_rows(state.last_step);
  extend_rows(state.path);
  extend_rows(state.path_variances);
  extend_rows(state.averaged);
  if (state.inside.rows() > 0) extend_rows(state.inside);
  for (Coefficients& replicate : state.replicates) extend_rows(replicate);
}

bool can_return(const SieveState& state, const SieveTuning& tuning) {
  return state.inside.rows() > 0 && state.stage > 1 && state.halvings < tuning.most_returns;
}

void halve_step(const SieveTuning& tuning, SieveState& state) {
  const Coefficients way = 0.5 * (state.inside - state.u);
  state.u += way;
  for (Coefficients& replicate : state.replicates) replicate += way;
  state.path.setZero();
  state.path_variances.setZero();
  state.damping = std::max(tuning.least_damping, tuning.damping_cut * state.damping);
  ++state.halvings;
}

void publish(const SieveState& state, Run& run) {
  run.basis = state.basis;
  run.u = state.u;
  run.replicates = state.replicates;
}

void save(const SieveState& state, Run& run) {
  publish(state, run);
  SolverState& saved = run.state;
  saved.set_integer("stage", state.stage);
  saved.set_integer("gradients", run.gradients);
  saved.set_integer("test_gradients", run.test_gradients);
  saved.set_integer("metric_made_at", state.metric_made_at);
  saved.arrays["u"] = state.u;
  for (std::size_t g = 0; g < state.replicates.size(); ++g)
    saved.arrays[replicate_name(g)] = state.replicates[g];
  save(state.basis.indices(), saved);
  save(state.seen, saved);
  saved.arrays["learnt"] = state.averaged;
  saved.arrays["variances"] = state.error.variances;
  saved.arrays["previous"] = state.last_step;
  saved.arrays["path"] = state.path;
  saved.arrays["path_variance"] = state.path_variances;
  saved.set_integer("halvings", state.halvings);
  saved.set_number("lowest_slack", state.lowest_slack);
  saved.set_number("highest_slack", state.highest_slack);
  saved.texts["concave"] = state.concave;
  saved.arrays["inside"] = state.inside;
  saved.set_integer("looks", state.looks);
  saved.set_number("unseen", run.unseen.value_or(0));  // 0: nothing was tested
  saved.set_integer("tested_at", state.tested_at);
  saved.set_integer("vain_tests", state.vain_tests);
  saved.set_integer("test_gradients", run.test_gradients);
  saved.arrays["error"].resize(1, 10);
  saved.arrays["error"] << state.error.sampling, state.error.basis, state.error.optimisation,
      state.error.upper, state.error.sampling_factor, state.smallest_step, state.damping,
      state.error.hidden, state.doubt, state.error.drifting ? 1 : 0;
  saved.arrays["scale"].resize(1, 2);
  saved.arrays["scale"] << state.scale.norm, state.scale.share;
  if (state.metric) save(*state.metric, saved);
}

SieveState restore_state(const Solution& before, Run& run) {
  const SolverState& saved = before.state;
  const Index stage = restore_stages(before, run);
  run.test_gradients = saved.integer("test_gradients");
  const Index looks = saved.integer("looks");
  run.test_gradients = saved.integer("test_gradients");
  if (saved.number("unseen") > 0) run.unseen = saved.number("unseen");
  const Coefficients& error = saved.array("error");
  SieveState state{.stage = stage,
                   .basis = Basis(run.basis.families(), restore_indices(saved)),
                   .u = saved.array("u"),
                   .replicates = {},
                   .averaged = saved.array("learnt"),
                   .last_step = saved.array("previous"),
                   .path = saved.array("path"),
                   .path_variances = saved.array("path_variance"),
                   .damping = error(6),
                   .smallest_step = error(5),
                   .metric = {},
                   .metric_made_at = saved.integer("metric_made_at"),
                   .seen = restore_seen(saved),
                   .lowest_slack = saved.number("lowest_slack"),
                   .highest_slack = saved.number("highest_slack"),
                   .concave = saved.text("concave"),
                   .inside = saved.array("inside"),
                   .halvings = saved.integer("halvings"),
                   .error = {.sampling = error(0),
                             .basis = error(1),
                             .optimisation = error(2),
                             .sampling_factor = error(4),
                             .upper = error(3),
                             .hidden = error(7),
                             .drifting = error(9) != 0,
                             .variances = saved.array("variances")},
                   .scale = {.norm = saved.array("scale")(0), .share = saved.array("scale")(1)},
                   .looks = looks,
                   .tested_at = saved.integer("tested_at"),
                   .doubt = error(8),
                   .vain_tests = saved.integer("vain_tests")};
  for (std::size_t g = 0; g < sieve_groups; ++g)
    state.replicates.push_back(saved.array(replicate_name(g)));
  if (stage > 1) state.metric = restore_metric(saved, state.basis.families());
  return state;
}

}  // namespace chaosgrad::internal
