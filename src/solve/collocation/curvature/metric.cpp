#include "solve/collocation/curvature/metric.h"

#include <algorithm>
#include <cmath>

#include "constraint/metric_factor.h"
#include "numeric/decompositions.h"
#include "numeric/symmetric.h"
#include "samples/basis_table.h"
#include "samples/mixture.h"
#include "solve/collocation/curvature/metric_fit.h"
#include "solve/collocation/curvature/secant_regression.h"
#include "solve/collocation/curvature/symmetric_regression.h"

namespace chaosgrad::internal {
namespace {

// Equalities always bind: x*(θ) has no kinks, and y needs no better metric.
bool only_equalities(const Constraints& constraints) {
  return std::ranges::all_of(constraints.list(), [](const Constraint& one) {
    return one.kind == Constraint::Kind::equality;
  });
}

// V diag(max(λ, least)) Vᵀ.
Matrix with_floor(const Matrix& H, double least) {
  const SymmetricEigen eigen = symmetric_eigen(symmetric_part(H));
  return eigen.vectors * eigen.values.cwiseMax(least).asDiagonal() * eigen.vectors.transpose();
}

// With these weights means over points are means over π: far out there are more points than π has.
Vector weights_at(const Matrix& eta, const MetricData& data) {
  Executor serial(1);
  const Index m = data.u.rows();
  return defensive_weights(basis_table(data.basis, eta, m, serial).rowwise().squaredNorm(), m);
}

// The mean of |s − M⁻¹y|²_H̄/|s|²_H̄ over the pairs, its root: what M lets through of the kinks of x.
double misfit(const Lift& lift, const SecantPairs& pairs, const MetricData& data) {
  Matrix rest = pairs.s;
  for (Index first = 0; first < rest.rows(); first += block_size) {
    const Index n = std::min(block_size, rest.rows() - first);
    const std::vector<Matrix> factors = lift.factors(pairs.eta.middleRows(first, n));
    for (Index i = 0; i < n; ++i) {
      const Matrix& L = factors[factors.size() == 1 ? 0 : static_cast<std::size_t>(i)];
      rest.row(first + i) -=
          solve_cholesky(L, Vector(pairs.y.row(first + i).transpose())).transpose();
    }
  }
  const Matrix H = data.mean.matrix();
  const Vector sizes = (pairs.s * H).cwiseProduct(pairs.s).rowwise().sum();
  const Vector rests = (rest * H).cwiseProduct(rest).rowwise().sum();
  const Vector weights = weights_at(pairs.eta, data);
  return std::sqrt(weights.dot(rests.cwiseQuotient(sizes)) / weights.sum());
}

std::vector<Matrix> unpacked_rows(const Matrix& entries, Index q) {
  std::vector<Matrix> result;
  for (Index i = 0; i < entries.rows(); ++i)
    result.push_back(unpacked_factor(entries.row(i).transpose(), q));
  return result;
}

// H̄, and what equalities add to it.
Matrix mean_metric(const MetricData& data) {
  return with_equalities(data.mean.matrix(), *data.oracle.facts().constraints,
                         data.points.value.row(0).transpose(),
                         data.points.theta.row(0).transpose());
}

// H̄⁻¹ = R̄ R̄ᵀ.
Matrix mean_factor(const MetricData& data) {
  return inverse_factor(positive_factor(mean_metric(data), data.tuning.metric_floor));
}

std::shared_ptr<const Lift> lift_of(const Lift& before, FittedFactors fitted) {
  return std::make_shared<Lift>(before.shared_constraints(), std::move(fitted.basis),
                                std::move(fitted.entries));
}

// Exact Hessians at the first points, until there are `wanted`; those that are not positive are left
// out.
void add_hessians(const MetricData& data, Index wanted, HessianPoints& hessians,
                  std::int64_t& gradients) {
  const Index q = data.points.x.cols();
  Index next = hessians.points.empty() ? 0 : hessians.points.back() + 1;
  for (; static_cast<Index>(hessians.points.size()) < wanted && next < data.points.size(); ++next) {
    if (data.points.trouble[static_cast<std::size_t>(next)] != Trouble::none) continue;
    Matrix h(1, q * q);
    data.oracle.hessian(data.points.value.row(next), data.points.theta.row(next), Matrix(1, 0), h);
    gradients += q * data.oracle.facts().draws;
    if (!h.allFinite()) continue;
    const Matrix H = with_equalities(
        Eigen::Map<const Matrix>(h.data(), q, q), *data.oracle.facts().constraints,
        data.points.value.row(next).transpose(), data.points.theta.row(next).transpose());
    const Matrix factor = inverse_factor(positive_factor(H, data.tuning.metric_floor));
    if (factor.size() == 0 || !factor.allFinite()) continue;
    hessians.points.push_back(next);
    hessians.entries.conservativeResize(static_cast<Index>(hessians.points.size()),
                                        q * (q + 1) / 2);
    hessians.entries.bottomRows(1) = packed_factor(factor).transpose();
  }
}

// Where f is much flatter than at the nominal point M⁻¹ = R Rᵀ is so large that nothing follows it:
// the eigenvalues κ of R̄⁻¹ M⁻¹ R̄⁻ᵀ become κ/√(1 + (κ/most)²), at every point if they do at one.
void limit_factors(const Matrix& mean, double most, std::vector<Matrix>& factors) {
  std::vector<SymmetricEigen> relative;
  double largest = 0;
  for (const Matrix& R : factors) {
    const Matrix S = solve_lower(mean, R);
    relative.push_back(symmetric_eigen(S * S.transpose()));
    largest = std::max(largest, relative.back().values.maxCoeff());
  }
  if (largest <= most) return;
  for (std::size_t j = 0; j < factors.size(); ++j) {
    const SymmetricEigen& eigen = relative[j];
    const Vector limited =
        eigen.values.array() / (1 + (eigen.values.array() / most).square()).sqrt();
    const Matrix S =
        cholesky_factor(eigen.vectors * limited.asDiagonal() * eigen.vectors.transpose());
    if (S.size() > 0) factors[j] = mean * S;
  }
}

FittedFactors fit_hessians(const MetricData& data, const HessianPoints& hessians) {
  const auto n = static_cast<double>(hessians.points.size());
  const auto most = static_cast<Index>(n / 2.0);
  const Matrix eta = data.points.eta(hessians.points, Eigen::all);
  std::vector<Matrix> factors = unpacked_rows(hessians.entries, data.points.x.cols());
  const Matrix mean = mean_factor(data);
  limit_factors(mean, 1 / data.tuning.metric_least, factors);
  return fit_factors(data.basis.families(), eta, weights_at(eta, data), factors, mean,
                     {.most = std::clamp<Index>(std::min(most, (data.u.rows() + 1) / 2), 1,
                                                data.tuning.metric_functions),
                      .unbounded_degree = data.tuning.metric_degree});
}

// From Hessians at points: as many as a share of the gradients so far pays for, unless those that
// there are tell enough about the pairs.
std::shared_ptr<const Lift> from_hessians(const MetricData& data, const Lift& before,
                                          const SecantPairs& pairs, HessianPoints& hessians,
                                          std::int64_t& gradients) {
  const auto fitted = [&]() -> std::shared_ptr<const Lift> {
    const auto few = static_cast<std::size_t>(2 * data.tuning.hessians_per_function);
    return hessians.points.size() < few ? nullptr : lift_of(before, fit_hessians(data, hessians));
  };
  if (std::shared_ptr<const Lift> found = fitted();
      found && misfit(*found, pairs, data) <= data.enough)
    return found;
  const auto price = static_cast<double>(data.points.x.cols() * data.oracle.facts().draws);
  const auto affordable =
      static_cast<Index>(data.tuning.metric_share * static_cast<double>(gradients) / price);
  const auto most = static_cast<Index>(data.tuning.hessians_per_function *
                                       static_cast<double>(data.tuning.metric_functions));
  add_hessians(data, std::min(affordable, most), hessians, gradients);
  return fitted();
}

// How many functions of θ a regression on n pairs can have within its operations.
Index affordable_functions(const CollocationTuning& tuning, Index n, Index q) {
  const double step = 4.0 * static_cast<double>(n * q * q);  // of one function
  return static_cast<Index>(tuning.metric_operations / (step * tuning.metric_steps));
}

// From secants: s ≈ H̄^{−½} (I + Σ W_ν ψ_ν) H̄^{−½} y by regression, made symmetric and positive at
// the points, whose factors are fitted. Where a bound holds a component at all points no step tells
// about its own curvature; but M⁻¹H s = s along all that is ever free, and only there x* has kinks.
std::shared_ptr<const Lift> from_secants(const MetricData& data, const Lift& before,
                                         const SecantPairs& pairs) {
  const Index n = pairs.s.rows(), q = pairs.s.cols();
  const Index h = std::min({data.u.rows(), n / q, affordable_functions(data.tuning, n, q)});
  if (h < 1) return {};
  const Matrix mean = with_floor(mean_metric(data), data.tuning.metric_floor * data.mean.highest());
  const SymmetricEigen eigen = symmetric_eigen(mean);
  const Matrix root =
      eigen.vectors * eigen.values.cwiseSqrt().asDiagonal() * eigen.vectors.transpose();
  const Matrix inverse_root = eigen.vectors * eigen.values.cwiseSqrt().cwiseInverse().asDiagonal() *
                              eigen.vectors.transpose();
  Matrix s = pairs.s * root, y = pairs.y * inverse_root;
  const Vector scale = weights_at(pairs.eta, data).cwiseSqrt().cwiseQuotient(y.rowwise().norm());
  s = scale.asDiagonal() * s;
  y = scale.asDiagonal() * y;
  const SymmetricRegression regression =
      fit_symmetric(Basis(data.basis.families(), largest_indices(data.basis.indices(), data.u, h)),
                    pairs.eta, y, s - y, data.tuning.model_ridge, data.tuning.metric_steps);
  const Index N = std::min(data.points.size(), data.tuning.metric_points);
  const Matrix eta = data.points.eta.bottomRows(N);
  std::vector<Matrix> factors;
  for (const Matrix& change : regression.matrices(eta)) {
    const Matrix inverse = inverse_root *
                           with_floor(Matrix::Identity(q, q) + change, data.tuning.metric_least) *
                           inverse_root;
    factors.push_back(cholesky_factor(inverse));
    if (factors.back().size() == 0 || !factors.back().allFinite()) return {};
  }
  return lift_of(before, fit_factors(data.basis.families(), eta, weights_at(eta, data), factors,
                                     mean_factor(data),
                                     {.most = std::min(h, data.tuning.metric_functions),
                                      .unbounded_degree = data.tuning.metric_degree}));
}

// Every so many pairs one is not learnt from, and judges what was learnt from the others.
struct SplitPairs {
  SecantPairs learnt, tested;
};

SplitPairs split(const SecantPairs& pairs, Index held_out) {
  std::vector<Index> learnt, tested;
  for (Index i = 0; i < pairs.s.rows(); ++i) (i % held_out == 0 ? tested : learnt).push_back(i);
  const auto part = [&](const std::vector<Index>& rows) -> SecantPairs {
    return {pairs.eta(rows, Eigen::all), pairs.s(rows, Eigen::all), pairs.y(rows, Eigen::all)};
  };
  return {part(learnt), part(tested)};
}

}  // namespace

std::shared_ptr<const Lift> constant_metric(std::shared_ptr<const Constraints> constraints,
                                            const std::vector<Family>& families,
                                            const Matrix& hessian,
                                            const CollocationTuning& tuning) {
  Matrix factor = positive_factor(hessian, tuning.metric_floor);
  if (only_equalities(*constraints)) factor *= std::sqrt(tuning.stiff_metric);
  return constant_lift(std::move(constraints), families, factor);
}

std::shared_ptr<const Lift> learn_metric(const MetricData& data, std::shared_ptr<const Lift> before,
                                         HessianPoints& hessians, std::int64_t& gradients) {
  if (data.points.x.cols() > data.tuning.metric_variables || only_equalities(before->constraints()))
    return before;
  const SplitPairs pairs =
      split(collect_pairs(data.points, data.tuning.model_pairs), data.tuning.model_held_out);
  if (pairs.learnt.s.rows() == 0) return before;
  const double old_misfit = misfit(*before, pairs.tested, data);
  if (!(old_misfit > data.tuning.metric_misfit)) return before;
  double least = old_misfit;
  std::shared_ptr<const Lift> best = before;
  const auto consider = [&](const std::shared_ptr<const Lift>& found) {
    const double own = found ? misfit(*found, pairs.tested, data) : infinity;
    if (!(own < least)) return;
    least = own;
    best = found;
  };
  consider(from_secants(data, *before, pairs.learnt));
  if (least > data.enough && data.oracle.has_hessian())
    consider(from_hessians(data, *before, pairs.tested, hessians, gradients));
  return best;
}

}  // namespace chaosgrad::internal
