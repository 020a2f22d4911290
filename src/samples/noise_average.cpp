#include "samples/noise_average.h"

#include <algorithm>
#include <cmath>

#include "random/random.h"

namespace chaosgrad::internal {
namespace {

// Nodes of the exact rule on one axis: Gauss with n nodes is exact to degree 2n − 1.
double exact_nodes(const NoiseAxis& axis) {
  if (axis.kind == NoiseAxis::Kind::cases) return static_cast<double>(axis.weights.size());
  return axis.degree ? *axis.degree / 2 + 1 : infinity;
}

}  // namespace

Quadrature noise_quadrature(const NoiseAxis& axis, Index nodes) {
  if (axis.kind == NoiseAxis::Kind::uniform) return gauss_legendre(nodes, 0, 1);
  if (axis.kind == NoiseAxis::Kind::normal) {
    Quadrature rule = Family(Normal{0, 1}).gauss(nodes);
    // Noise is in the open interval (0, 1); nodes so far out that Φ(z) rounds to 1 have no weight
    // to speak of.
    for (double& z : rule.nodes) z = std::min(normal_cdf(z), std::nextafter(1.0, 0.0));
    return rule;
  }
  Quadrature rule{Vector(axis.weights.size()), axis.weights};
  double below = 0;
  for (Index i = 0; i < axis.weights.size(); ++i) {
    rule.nodes(i) = below + 0.5 * axis.weights(i);
    below += axis.weights(i);
  }
  return rule;
}

double exact_noise_draws(const ProblemFacts& facts) {
  double draws = 1;
  for (const NoiseAxis& axis : facts.noise_axes) draws *= exact_nodes(axis);
  return draws;
}

NoiseRule exact_noise_rule(const ProblemFacts& facts) {
  const auto total = static_cast<Index>(exact_noise_draws(facts));
  NoiseRule rule{Matrix(total, static_cast<Index>(facts.noise_axes.size())), Vector::Ones(total)};
  Index repeat = 1;  // how long each node of this axis stays
  for (Index column = 0; column < rule.nodes.cols(); ++column) {
    const NoiseAxis& axis = facts.noise_axes[static_cast<std::size_t>(column)];
    const Quadrature part = noise_quadrature(axis, static_cast<Index>(exact_nodes(axis)));
    for (Index k = 0; k < total; ++k) {
      const Index node = k / repeat % part.nodes.size();
      rule.nodes(k, column) = part.nodes(node);
      rule.weights(k) *= part.weights(node);
    }
    repeat *= part.nodes.size();
  }
  return rule;
}

AveragedProblem::AveragedProblem(const Oracle& oracle)
    : oracle_(oracle), rule_(exact_noise_rule(oracle.facts())) {}

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
