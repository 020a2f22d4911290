#include <algorithm>

#include "chaosgrad/error.h"
#include "samples/tensor_grid.h"
#include "solution/statistics/coefficients.h"

namespace chaosgrad::internal {
namespace {

// A rule for products of four functions of degree at most n.
std::optional<Quadrature> axis_rule(const Family& family, int n) {
  if (family.kind() == Family::Kind::fourier) {
    // n functions reach harmonic h = ⌈n/2⌉; 4h + 1 equal steps are exact for harmonics up to 4h.
    const Index count = 4 * ((n + 1) / 2) + 1;
    const double lower = family.distribution().lower(), upper = family.distribution().upper();
    Quadrature rule{Vector(count), Vector::Constant(count, 1.0 / static_cast<double>(count))};
    for (Index j = 0; j < count; ++j)
      rule.nodes(j) =
          lower + (upper - lower) * (static_cast<double>(j) + 0.5) / static_cast<double>(count);
    return rule;
  }
  try {
    return family.gauss(2 * n + 1);
  } catch (const InputError&) {  // beyond the recurrence that this distribution has
    return std::nullopt;
  }
}

}  // namespace

std::optional<GermRule> fourth_power_rule(const Expansion& expansion, Index limit) {
  const Basis& basis = expansion.basis();
  const Index d = basis.dimension(), m = expansion.coefficients().rows();
  std::vector<Quadrature> axes;
  for (Index k = 0; k < d; ++k) {
    int degree = 0;
    for (Index i = 0; i < m; ++i)
      degree = std::max(degree, basis.indices()[i][static_cast<std::size_t>(k)]);
    std::optional<Quadrature> rule =
        axis_rule(basis.families()[static_cast<std::size_t>(k)], degree);
    if (!rule) return std::nullopt;
    axes.push_back(*std::move(rule));
    if (grid_points(axes) > static_cast<double>(limit)) return std::nullopt;
  }
  const TensorGrid grid(std::move(axes));
  GermRule rule{Matrix(grid.size(), d), Vector(grid.size())};
  grid.fill(0, rule.eta, rule.weights);
  return rule;
}

}  // namespace chaosgrad::internal
