#include "estimate/reference.h"

#include <algorithm>
#include <cmath>

#include "basis/kernels.h"
#include "problem/problem_samples.h"

namespace chaosgrad::internal {
namespace {

constexpr Index max_points = Index{1} << 20;

struct Sums {
  Coefficients u;
  double norm_squared = 0;
  auto members() { return std::tie(u, norm_squared); }
};

Sums sum_chunk(const Oracle& oracle, const Basis& basis, const QuadratureSource& source,
               Index first) {
  SampleBlock samples;
  samples.resize(oracle.parameters().dimension(), 0);
  samples.count = std::min(block_size, source.size() - first);
  source.fill(first, samples);
  Matrix x(samples.count, oracle.dimension());
  oracle.facts().reference(samples.theta.topRows(samples.count), x);
  const auto weights = samples.weights.head(samples.count);
  Sums sums;
  sums.norm_squared = weights.dot(x.rowwise().squaredNorm());
  x.array().colwise() *= weights.array();
  BasisBlock psi;
  basis.evaluate(samples.eta.topRows(samples.count), basis.size(), psi);
  sums.u = Coefficients::Zero(basis.size(), oracle.dimension());
  project(psi, x, sums.u);
  return sums;
}

// x* is not a polynomial: leave room beyond the degree of the basis, within what is affordable. 0:
// not affordable.
Index sufficient_nodes(const Oracle& oracle, const Basis& basis) {
  Index degree = 0;
  for (const MultiIndex& index : basis.indices().indices()) {
    for (const int n : index) degree = std::max<Index>(degree, n);
  }
  double pieces = 1;
  for (const std::vector<double>& breakpoints : oracle.facts().breakpoints) {
    pieces *= static_cast<double>(1 + breakpoints.size());
  }
  const double affordable = std::pow(static_cast<double>(max_points) / pieces,
                                     1.0 / static_cast<double>(basis.dimension()));
  Index nodes = std::min(std::max<Index>(64, degree + 33), static_cast<Index>(affordable));
  for (const Family& family : basis.families()) nodes = std::min(nodes, family.max_nodes());
  return nodes >= degree + 8 ? nodes : 0;
}

}  // namespace

double ReferenceExpansion::error_squared(const Coefficients& coefficients) const {
  return (coefficients - u.topRows(coefficients.rows())).squaredNorm();
}

double ReferenceExpansion::true_error(const Coefficients& coefficients) const {
  return std::sqrt(error_squared(coefficients) + remainder_squared[coefficients.rows()]);
}

std::optional<ReferenceExpansion> expand_reference(const Oracle& oracle, const Basis& basis,
                                                   Index nodes, Executor& executor) {
  if (!oracle.facts().reference) return std::nullopt;
  if (nodes == 0) nodes = sufficient_nodes(oracle, basis);
  if (nodes == 0) return std::nullopt;
  const QuadratureSource source = problem_quadrature(oracle, basis.families(), nodes, false);
  Sums sums = executor.reduce(
      (source.size() + block_size - 1) / block_size,
      [&](Index block) { return sum_chunk(oracle, basis, source, block * block_size); },
      [](Sums& left, Sums&& right) {
        left.u += right.u;
        left.norm_squared += right.norm_squared;
      });
  Vector remainder(basis.size() + 1);
  double left = remainder[0] = sums.norm_squared;
  for (Index m = 0; m < basis.size(); ++m)
    remainder[m + 1] = std::max(0.0, left -= sums.u.row(m).squaredNorm());
  return ReferenceExpansion{std::move(sums.u), sums.norm_squared, std::move(remainder)};
}

}  // namespace chaosgrad::internal
