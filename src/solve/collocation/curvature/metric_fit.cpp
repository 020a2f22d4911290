#include "solve/collocation/curvature/metric_fit.h"

#include <algorithm>
#include <cmath>

#include "constraint/metric_factor.h"
#include "numeric/decompositions.h"
#include "samples/basis_table.h"
#include "solve/common/growth.h"

namespace chaosgrad::internal {
namespace {

bool is_unbounded(const Family& family) {
  const Distribution& germ = family.distribution();
  return !(std::isfinite(germ.lower()) && std::isfinite(germ.upper()));
}

Index unbounded_degree(const MultiIndex& index, const std::vector<Family>& families) {
  Index degree = 0;
  for (std::size_t k = 0; k < index.size(); ++k)
    if (is_unbounded(families[k])) degree += index[k];
  return degree;
}

// Least squares on the first h functions of a table, and what it leaves.
struct Stage {
  Coefficients u;
  Matrix rest;
  double left_out = 0;  // mean square of a row that is left out
};

Stage fit_stage(const Matrix& psi, const Matrix& targets) {
  const ThinQR qr = thin_qr(psi);
  const Matrix projected = qr.q.transpose() * targets;
  Stage stage;
  stage.u = qr.r.triangularView<Eigen::Upper>().solve(projected);
  stage.rest = targets - qr.q * projected;
  constexpr double least_slack = 0.02;  // as in the fit of the expansion
  const Vector slack = (1 - qr.q.rowwise().squaredNorm().array()).max(least_slack);
  stage.left_out = (stage.rest.rowwise().squaredNorm().array() / slack.array().square()).mean();
  return stage;
}

// The indices and, of their neighbours, those with the largest share of the residual.
IndexSet grown(const IndexSet& indices, const std::vector<Family>& families, const Matrix& eta,
               const Vector& roots, const Matrix& rest, const MetricFunctions& limits) {
  const std::vector<char> all(static_cast<std::size_t>(indices.size()), 1);
  std::vector<MultiIndex> beyond = candidates(indices, all, families, 1);
  std::erase_if(beyond, [&](const MultiIndex& index) {
    return unbounded_degree(index, families) > limits.unbounded_degree;
  });
  if (beyond.empty()) return indices;
  Executor serial(1);
  const Basis wide = widened(Basis(families, indices), beyond);
  const Matrix psi = roots.asDiagonal() * basis_table(wide, eta, wide.size(), serial);
  std::vector<std::pair<double, Index>> gains;
  for (Index i = indices.size(); i < wide.size(); ++i)
    gains.emplace_back(-(rest.transpose() * psi.col(i)).squaredNorm() / psi.col(i).squaredNorm(),
                       i);
  std::sort(gains.begin(), gains.end());
  IndexSet result = indices;
  const Index goal = std::min(limits.most, indices.size() + std::max<Index>(1, indices.size() / 3));
  constexpr double least_gain = 0.3;  // of the largest: less may be chance
  for (const auto& [gain, i] : gains) {
    if (result.size() >= goal || gain > least_gain * gains.front().first) break;
    result.add_closed(wide.indices()[i]);
  }
  return result;
}

}  // namespace

FittedFactors fit_factors(const std::vector<Family>& families, const Matrix& eta,
                          const Vector& weights, const std::vector<Matrix>& factors,
                          const Matrix& mean, const MetricFunctions& limits) {
  const Index n = eta.rows(), q = mean.rows();
  Matrix targets(n, q * (q + 1) / 2);  // R̄⁻¹R
  for (Index j = 0; j < n; ++j)
    targets.row(j) =
        packed_factor(solve_lower(mean, factors[static_cast<std::size_t>(j)])).transpose();
  const Vector roots = weights.cwiseSqrt();
  targets = roots.asDiagonal() * targets;
  Executor serial(1);
  const auto table = [&](const IndexSet& indices) -> Matrix {
    return roots.asDiagonal() * basis_table(Basis(families, indices), eta, indices.size(), serial);
  };
  IndexSet indices = IndexSet::first(static_cast<Index>(families.size()), 1), best = indices;
  Stage stage = fit_stage(table(indices), targets);
  Stage kept = stage;
  while (indices.size() < limits.most) {
    IndexSet next = grown(indices, families, eta, roots, stage.rest, limits);
    if (next.size() == indices.size() || next.size() >= n) break;
    indices = std::move(next);
    stage = fit_stage(table(indices), targets);
    if (!(stage.left_out < kept.left_out)) continue;
    kept = stage;
    best = indices;
  }
  Coefficients entries(best.size(), targets.cols());
  for (Index i = 0; i < best.size(); ++i)
    entries.row(i) =
        packed_factor(mean * unpacked_factor(kept.u.row(i).transpose(), q)).transpose();
  return {Basis(families, best), std::move(entries),
          std::sqrt(kept.left_out / static_cast<double>(q))};
}

}  // namespace chaosgrad::internal
