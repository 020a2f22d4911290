#include "samples/noise_rule.h"

#include <algorithm>
#include <cmath>

#include "random/random.h"
#include "samples/tensor_grid.h"

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

double exact_noise_draws(const std::vector<NoiseAxis>& axes) {
  double draws = 1;
  for (const NoiseAxis& axis : axes) draws *= exact_nodes(axis);
  return draws;
}

NoiseRule exact_noise_rule(const std::vector<NoiseAxis>& axes) {
  std::vector<Quadrature> rules;
  for (const NoiseAxis& axis : axes)
    rules.push_back(noise_quadrature(axis, static_cast<Index>(exact_nodes(axis))));
  const TensorGrid grid(std::move(rules));
  NoiseRule rule{Matrix(grid.size(), static_cast<Index>(axes.size())), Vector(grid.size())};
  grid.fill(0, rule.nodes, rule.weights);
  return rule;
}

}  // namespace chaosgrad::internal
