#include "problem/averaged_problem.h"

#include <algorithm>

namespace chaosgrad::internal {

AveragedProblem::AveragedProblem(const Oracle& oracle)
    : AveragedProblem(oracle, exact_noise_rule(oracle.facts().noise_axes)) {}

AveragedProblem::AveragedProblem(const Oracle& oracle, NoiseRule rule)
    : oracle_(oracle), rule_(std::move(rule)) {}

ProblemFacts AveragedProblem::facts() const {
  ProblemFacts facts = oracle_.facts();
  facts.noise_axes.clear();
  facts.noise_shape = {};
  facts.expectation = {};
  facts.draws = rule_.weights.size();
  if (facts.operations) *facts.operations *= static_cast<double>(facts.draws);
  facts.row_group = 1;  // one row is many gradients
  return facts;
}

// Pairs (point i, node k), k the faster, a block at a time; each point sums its nodes in their
// order.
template <class Call>
void AveragedProblem::average(const Block& x, const Block& theta, BlockOut& out,
                              const Call& call) const {
  const Index nodes = rule_.weights.size(), pairs = x.rows() * nodes;
  const Index most = std::min(block_size, pairs);
  Matrix pair_x(most, x.cols()), pair_theta(most, theta.cols()), noise(most, rule_.nodes.cols()),
      pair_out(most, out.cols());
  out.setZero();
  for (Index first = 0; first < pairs; first += block_size) {
    const Index n = std::min(block_size, pairs - first);
    for (Index j = 0; j < n; ++j) {
      const Index i = (first + j) / nodes, k = (first + j) % nodes;
      pair_x.row(j) = x.row(i);
      pair_theta.row(j) = theta.row(i);
      noise.row(j) = rule_.nodes.row(k);
    }
    call(pair_x.topRows(n), pair_theta.topRows(n), noise.topRows(n), pair_out.topRows(n));
    for (Index j = 0; j < n; ++j)
      out.row((first + j) / nodes) += rule_.weights((first + j) % nodes) * pair_out.row(j);
  }
}

void AveragedProblem::gradient(Block x, Block theta, Block /*noise*/, BlockOut g) const {
  average(x, theta, g,
          [&](const Block& at, const Block& theta_at, const Block& noise, BlockOut out) {
            oracle_.gradient(at, theta_at, noise, out);
          });
}

void AveragedProblem::value(Block x, Block theta, Block /*noise*/, BlockOut f) const {
  average(x, theta, f,
          [&](const Block& at, const Block& theta_at, const Block& noise, BlockOut out) {
            oracle_.value(at, theta_at, noise, out);
          });
}

void AveragedProblem::hessian(Block x, Block theta, Block /*noise*/, BlockOut h) const {
  average(x, theta, h,
          [&](const Block& at, const Block& theta_at, const Block& noise, BlockOut out) {
            oracle_.hessian(at, theta_at, noise, out);
          });
}

std::string AveragedProblem::explain(const Block& x, const Block& theta,
                                     const Block& /*noise*/) const {
  for (Index k = 0; k < rule_.weights.size(); ++k) {
    std::string reason = oracle_.explain(x, theta, rule_.nodes.row(k));
    if (!reason.empty()) return reason;
  }
  return {};
}

}  // namespace chaosgrad::internal
