#include "problem/averaged_problem.h"

#include <algorithm>

namespace chaosgrad::internal {

AveragedProblem::AveragedProblem(const Oracle& oracle)
    : oracle_(oracle), rule_(exact_noise_rule(oracle.facts().noise_axes)) {}

ProblemFacts AveragedProblem::facts() const {
  ProblemFacts facts = oracle_.facts();
  facts.noise_axes.clear();
  facts.draws = rule_.weights.size();
  facts.row_group = 1;  // one row is many gradients
  return facts;
}

// Pairs (point i, node k), k the faster, a block at a time; each point sums its nodes in their
// order.
void AveragedProblem::gradient(Block x, Block theta, Block /*noise*/, BlockOut g) const {
  const Index nodes = rule_.weights.size(), pairs = x.rows() * nodes;
  const Index most = std::min(block_size, pairs);
  Matrix pair_x(most, x.cols()), pair_theta(most, theta.cols()), noise(most, rule_.nodes.cols()),
      pair_g(most, x.cols());
  g.setZero();
  for (Index first = 0; first < pairs; first += block_size) {
    const Index n = std::min(block_size, pairs - first);
    for (Index j = 0; j < n; ++j) {
      const Index i = (first + j) / nodes, k = (first + j) % nodes;
      pair_x.row(j) = x.row(i);
      pair_theta.row(j) = theta.row(i);
      noise.row(j) = rule_.nodes.row(k);
    }
    oracle_.gradient(pair_x.topRows(n), pair_theta.topRows(n), noise.topRows(n), pair_g.topRows(n));
    for (Index j = 0; j < n; ++j)
      g.row((first + j) / nodes) += rule_.weights((first + j) % nodes) * pair_g.row(j);
  }
}

}  // namespace chaosgrad::internal
