#include "solution/constrained/binding_tally.h"

#include <algorithm>

#include "constraint/projection.h"
#include "samples/parameters.h"

namespace chaosgrad::internal {
namespace {

// A sample of one column.
void count(Index column, double slack, double margin, BindingTally& tally) {
  const bool active = slack == 0;
  tally.active(column) += active ? 1 : 0;
  tally.weak(column) += slack <= 1 && margin <= 1 ? 1 : 0;
  tally.possible(column) += std::isfinite(slack) ? 1 : 0;
  for (std::size_t k = 0; k < reaches; ++k) {
    if (active && margin <= reach(k)) ++tally.let_go[k](column);
    if (!active && slack <= reach(k)) ++tally.take_hold[k](column);
  }
}

void add_sample(const BindingSampling& at, const BindingBlock& block, Index row,
                const std::vector<Index>& decile, BindingTally& tally) {
  const auto note = [&](Index column, double slack, double margin) {
    count(column, slack, margin, tally);
    for (const Index k : decile) tally.by_decile(column, k) += slack == 0 ? 1 : 0;
  };
  for (Index j = 0; j < at.columns.single(); ++j) {
    note(j, block.slack(row, j), block.margin(row, j));
    tally.multiplier(j) += block.multiplier(row, j);
    tally.square(j) += std::pow(block.multiplier(row, j), 2);
  }
  for (std::size_t c = 0; c < at.columns.of_constraint.size(); ++c) {
    const auto& [first, number] = at.columns.of_constraint[c];
    note(at.columns.single() + static_cast<Index>(c),
         block.slack.row(row).segment(first, number).minCoeff(),
         block.margin.row(row).segment(first, number).maxCoeff());
  }
  for (const Index k : decile) ++tally.in_decile(0, k);
}

// The columns of by_decile that a θ belongs to, one for each parameter.
std::vector<Index> deciles_of(const Measure& law, const Vector& theta) {
  std::vector<Index> result;
  for (Index k = 0; k < theta.size(); ++k) {
    const double p = law.marginals()[static_cast<std::size_t>(k)].cdf(theta(k));
    result.push_back(k * deciles +
                     std::clamp<Index>(static_cast<Index>(p * deciles), 0, deciles - 1));
  }
  return result;
}

}  // namespace

BindingColumns columns_of(const Constraints& constraints) {
  BindingColumns columns{bindings_of(constraints), {}};
  columns.of_constraint.resize(constraints.list().size(), {0, 0});
  for (Index j = 0; j < columns.single(); ++j) {
    auto& [first, count] =
        columns.of_constraint[columns.bindings[static_cast<std::size_t>(j)].constraint];
    if (count++ == 0) first = j;
  }
  return columns;
}

void BindingTally::add(const BindingTally& other) {
  samples += other.samples;
  if (infeasible == 0) infeasible_theta = other.infeasible_theta;
  infeasible += other.infeasible;
  violation = std::max(violation, other.violation);
  active += other.active;
  multiplier += other.multiplier;
  square += other.square;
  weak += other.weak;
  possible += other.possible;
  for (std::size_t k = 0; k < reaches; ++k) {
    let_go[k] += other.let_go[k];
    take_hold[k] += other.take_hold[k];
  }
  by_decile += other.by_decile;
  in_decile += other.in_decile;
}

BindingTally tally_of(const BindingSampling& at, const Matrix& u) {
  const Index n = u.rows(), d = u.cols();
  Matrix eta(n, d), theta(n, d);
  parameters_from_uniform(at.law, u, eta, theta);
  const LiftedBlock lifted = at.expansion.evaluate_lifted(theta);
  const BindingBlock block =
      bindings_at(at.constraints, at.columns.bindings, at.errors, theta, lifted);
  BindingTally tally(at.columns.size(), d);
  for (Index b = 0; b < n; ++b) {
    if (!lifted.x.row(b).allFinite()) {
      if (tally.infeasible++ == 0) tally.infeasible_theta = theta.row(b).transpose();
      continue;
    }
    const Vector point = theta.row(b).transpose();
    ++tally.samples;
    tally.violation = std::max(
        tally.violation, state_at(at.constraints, point, lifted.x.row(b).transpose()).violation);
    add_sample(at, block, b, deciles_of(at.law, point), tally);
  }
  return tally;
}

}  // namespace chaosgrad::internal
