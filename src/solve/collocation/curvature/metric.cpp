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

namespace chaosgrad::internal {

void HessianPoints::remove(const std::vector<Index>& numbers) {
  std::vector<Index> kept;
  std::vector<Index> rows;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (std::ranges::binary_search(numbers, points[i])) continue;
    kept.push_back(points[i] - (std::ranges::lower_bound(numbers, points[i]) - numbers.begin()));
    rows.push_back(static_cast<Index>(i));
  }
  if (!points.empty()) entries = entries(rows, Eigen::all).eval();
  points = std::move(kept);
}

namespace {

// How many functions of θ memory and time allow.
Index most_functions(const MetricData& data) {
  const Index q = data.points.x.cols();
  return std::max<Index>(1, data.tuning.metric_numbers / (q * (q + 1) / 2));
}

// The functions of θ in a metric: those on which the expansion is largest, of low degrees where a
// germ is unbounded: far out M must not be anything.
IndexSet metric_indices(const MetricData& data, Index h) {
  const std::vector<MultiIndex>& all = data.basis.indices().indices();
  std::vector<MultiIndex> low;
  std::vector<Index> rows;
  for (Index i = 0; i < data.u.rows(); ++i) {
    const MultiIndex& index = all[static_cast<std::size_t>(i)];
    Index degree = 0;
    for (std::size_t k = 0; k < index.size(); ++k) {
      const Distribution& germ = data.basis.families()[k].distribution();
      if (!(std::isfinite(germ.lower()) && std::isfinite(germ.upper()))) degree += index[k];
    }
    if (degree > data.tuning.metric_degree) continue;
    low.push_back(index);
    rows.push_back(i);
  }
  return largest_indices(IndexSet::from(std::move(low)), data.u(rows, Eigen::all), h);
}

// V diag(max(λ, least)) Vᵀ.
Matrix with_floor(const Matrix& H, double least) {
  const SymmetricEigen eigen = symmetric_eigen(symmetric_part(H));
  return eigen.vectors * eigen.values.cwiseMax(least).asDiagonal() * eigen.vectors.transpose();
}

// √(Σ|y − M s|²_{H̄⁻¹}/Σ|y|²_{H̄⁻¹}): how far M is from the Hessians that the secants have seen.
double misfit(const Lift& lift, const SecantPairs& pairs, const Curvature& mean) {
  Matrix rest = pairs.y;
  for (Index first = 0; first < rest.rows(); first += block_size) {
    const Index n = std::min(block_size, rest.rows() - first);
    const std::vector<Matrix> factors = lift.factors(pairs.eta.middleRows(first, n));
    for (Index i = 0; i < n; ++i) {
      const Matrix& L = factors[factors.size() == 1 ? 0 : static_cast<std::size_t>(i)];
      rest.row(first + i) -= (L * (L.transpose() * pairs.s.row(first + i).transpose())).transpose();
    }
  }
  const double size = mean.solve(pairs.y).cwiseProduct(pairs.y).sum();
  return std::sqrt(mean.solve(rest).cwiseProduct(rest).sum() / size);
}

// With these weights means over points are means over π: far out there are more points than π has.
Vector weights_at(const Matrix& eta, const MetricData& data) {
  Executor serial(1);
  const Index m = data.u.rows();
  return defensive_weights(basis_table(data.basis, eta, m, serial).rowwise().squaredNorm(), m);
}

// The root of the mean of |s − M⁻¹y|²_H̄/|s|²_H̄ over the pairs: what M lets through of kinks of x.
double leak(const Lift& lift, const SecantPairs& pairs, const MetricData& data) {
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

// H̄, and what equalities add to it.
Matrix mean_metric(const MetricData& data) {
  return with_equalities(data.mean.matrix(), *data.oracle.facts().constraints,
                         data.points.value.row(0).transpose(),
                         data.points.theta.row(0).transpose());
}

// Entries at germs (n×d) fitted by functions of the basis; ridge against functions that the germs
// hardly determine.
Coefficients fit_entries(const Basis& basis, const Matrix& eta, const Matrix& entries,
                         double ridge) {
  Executor serial(1);
  const Matrix psi = basis_table(basis, eta, basis.size(), serial);
  const Vector mean = entries.colwise().mean().transpose();
  Matrix gram = psi.transpose() * psi;
  gram.diagonal().tail(gram.rows() - 1).array() += ridge * static_cast<double>(eta.rows());
  Coefficients u = solve_positive(gram, psi.transpose() * (entries.rowwise() - mean.transpose()));
  u.row(0) += mean.transpose();
  return u;
}

// Exact Hessians at the first points, until there are `wanted`; those that are not positive are left
// out.
void add_hessians(const MetricData& data, Index wanted, HessianPoints& hessians) {
  const Index q = data.points.x.cols();
  Index next = hessians.points.empty() ? 0 : hessians.points.back() + 1;
  for (; static_cast<Index>(hessians.points.size()) < wanted && next < data.points.size(); ++next) {
    if (data.points.trouble[static_cast<std::size_t>(next)] != Trouble::none) continue;
    Matrix h(1, q * q);
    data.oracle.hessian(data.points.value.row(next), data.points.theta.row(next), Matrix(1, 0), h);
    ++hessians.evaluations;
    if (!h.allFinite()) continue;
    const Matrix H = with_equalities(
        Eigen::Map<const Matrix>(h.data(), q, q) + data.proximal * Matrix::Identity(q, q),
        *data.oracle.facts().constraints, data.points.value.row(next).transpose(),
        data.points.theta.row(next).transpose());
    const Matrix factor = inverse_factor(positive_factor(H, data.tuning.metric_floor));
    if (factor.size() == 0 || !factor.allFinite()) continue;
    hessians.points.push_back(next);
    hessians.entries.conservativeResize(static_cast<Index>(hessians.points.size()),
                                        q * (q + 1) / 2);
    hessians.entries.bottomRows(1) = packed_factor(factor).transpose();
  }
}

// From Hessians at points: at most as many functions as half of the expansion's; the Hessians may
// take a share of the gradients so far.
std::shared_ptr<const Lift> from_hessians(const MetricData& data, const Lift& before,
                                          HessianPoints& hessians) {
  const auto affordable = static_cast<Index>(static_cast<double>(data.points.size()) /
                                             data.tuning.hessians_per_function);
  const Index functions = std::min({(data.u.rows() + 1) / 2, affordable, most_functions(data)});
  if (functions < 2) return {};
  const IndexSet indices = metric_indices(data, functions);
  const auto wanted = static_cast<Index>(
      std::ceil(data.tuning.hessians_per_function * static_cast<double>(indices.size())));
  add_hessians(data, wanted, hessians);
  if (static_cast<Index>(hessians.points.size()) < wanted) return {};
  const Basis basis(data.basis.families(), indices);
  return std::make_shared<Lift>(before.shared_constraints(), basis,
                                fit_entries(basis, data.points.eta(hessians.points, Eigen::all),
                                            hessians.entries, data.tuning.metric_ridge));
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

// Whether the Hessian is the same at another x: then M can be H itself, as smooth as H is.
bool is_quadratic(const MetricData& data) {
  const Index q = data.points.x.cols();
  const Matrix theta = data.points.theta.row(0), here = data.points.value.row(0);
  Matrix there = here, at_here(1, q * q), at_there(1, q * q);
  for (Index j = 0; j < q; ++j) there(0, j) += (j % 2 == 0 ? 0.1 : -0.07) * (1 + here.norm());
  data.oracle.hessian(here, theta, Matrix(1, 0), at_here);
  data.oracle.hessian(there, theta, Matrix(1, 0), at_there);
  return (at_here - at_there).norm() <= 1e-12 * at_here.norm();
}

// From the Hessians that there are, on at most so many functions that are chosen for them.
std::shared_ptr<const Lift> on_own_functions(const MetricData& data, const Lift& before,
                                             const HessianPoints& hessians, Index most) {
  const Index q = data.points.x.cols();
  const Matrix eta = data.points.eta(hessians.points, Eigen::all);
  if (eta.rows() < 4) return {};
  std::vector<Matrix> factors;
  for (Index i = 0; i < eta.rows(); ++i)
    factors.push_back(unpacked_factor(hessians.entries.row(i).transpose(), q));
  const Matrix mean = inverse_factor(positive_factor(mean_metric(data), data.tuning.metric_floor));
  limit_factors(mean, 1 / data.tuning.metric_least, factors);
  most = std::min({most, eta.rows() / 2, (data.u.rows() + 1) / 2, most_functions(data)});
  FittedFactors found = fit_factors(
      data.basis.families(), eta, weights_at(eta, data), factors, mean,
      {.most = std::max<Index>(1, most), .unbounded_degree = data.tuning.exact_metric_degree});
  return std::make_shared<Lift>(before.shared_constraints(), std::move(found.basis),
                                std::move(found.entries));
}

// From Hessians that do not depend on x, on functions of their own: at all points, unless those that
// there are tell enough about the pairs.
std::shared_ptr<const Lift> from_exact_hessians(const MetricData& data, const Lift& before,
                                                const SecantPairs& pairs, HessianPoints& hessians) {
  const Index most = most_functions(data);
  if (std::shared_ptr<const Lift> found = on_own_functions(data, before, hessians, most);
      found && leak(*found, pairs, data) <= data.enough)
    return found;
  add_hessians(data, 2 * most, hessians);
  return on_own_functions(data, before, hessians, most);
}

// From secants: s ≈ H̄^{−½} (I + Σ W_ν ψ_ν) H̄^{−½} y by regression, made symmetric and positive at
// the points, whose factors are fitted. Where a bound holds a component at all points no step tells
// about its own curvature; but M⁻¹H s = s along all that is ever free, and only there x* has kinks.
std::shared_ptr<const Lift> from_secants(const MetricData& data, const Lift& before,
                                         const SecantPairs& pairs) {
  const Index n = pairs.s.rows(), q = pairs.s.cols(), N = data.points.size();
  const Index h = std::min(
      data.u.rows(),
      SecantRegression::affordable_functions(n, q, N, data.oracle.facts().operations, data.tuning));
  if (h < 1) return {};
  const Matrix mean = with_floor(mean_metric(data), data.tuning.metric_floor * data.mean.highest());
  const SymmetricEigen eigen = symmetric_eigen(mean);
  const Matrix root =
      eigen.vectors * eigen.values.cwiseSqrt().asDiagonal() * eigen.vectors.transpose();
  const Matrix inverse_root = eigen.vectors * eigen.values.cwiseSqrt().cwiseInverse().asDiagonal() *
                              eigen.vectors.transpose();
  Matrix s = pairs.s * root, y = pairs.y * inverse_root;
  const Vector scale = y.rowwise().norm().cwiseInverse();
  s = scale.asDiagonal() * s;
  y = scale.asDiagonal() * y;
  SecantRegression regression;
  regression.fit(Basis(data.basis.families(), largest_indices(data.basis.indices(), data.u, h)),
                 pairs.eta, y, s - y, data.tuning);
  if (regression.empty()) return {};
  Matrix entries(N, q * (q + 1) / 2);
  for (Index j = 0; j < N; ++j) {
    const Matrix inner =
        Matrix::Identity(q, q) + symmetric_part(regression.matrix(data.points.eta.row(j)));
    const Matrix inverse =
        inverse_root * with_floor(inner, data.tuning.metric_least) * inverse_root;
    const Matrix factor = cholesky_factor(inverse);
    if (factor.size() == 0) return {};  // not a number far out
    entries.row(j) = packed_factor(factor).transpose();
  }
  const Index functions = std::min({data.u.rows(), N / 3, most_functions(data)});
  const Basis basis(data.basis.families(), metric_indices(data, std::max<Index>(1, functions)));
  return std::make_shared<Lift>(
      before.shared_constraints(), basis,
      fit_entries(basis, data.points.eta, entries, data.tuning.metric_ridge));
}

}  // namespace

bool only_equalities(const Constraints& constraints) {
  return std::ranges::all_of(constraints.list(), [](const Constraint& one) {
    return one.kind == Constraint::Kind::equality;
  });
}

std::shared_ptr<const Lift> scaled(const Lift& lift, double factor) {
  return std::make_shared<Lift>(lift.shared_constraints(), lift.basis(),
                                lift.factor() / std::sqrt(factor));  // of M⁻¹
}

std::shared_ptr<const Lift> constant_metric(std::shared_ptr<const Constraints> constraints,
                                            const std::vector<Family>& families,
                                            const Matrix& hessian, const CurvatureTuning& tuning) {
  Matrix factor = positive_factor(hessian, tuning.metric_floor);
  if (only_equalities(*constraints)) factor *= std::sqrt(tuning.stiff_metric);
  return constant_lift(std::move(constraints), families, factor);
}

LearntMetric learn_metric(const MetricData& data, std::shared_ptr<const Lift> before,
                          HessianPoints& hessians) {
  if (data.points.x.cols() > data.tuning.metric_variables || only_equalities(before->constraints()))
    return {std::move(before)};
  const SecantPairs pairs = collect_pairs(data.points, data.tuning.model_pairs);
  if (pairs.s.rows() == 0) return {std::move(before)};
  if (!(misfit(*before, pairs, data.mean) > data.tuning.metric_misfit)) return {std::move(before)};
  const bool has_hessian = data.oracle.has_hessian();
  if (has_hessian && !hessians.quadratic) {
    hessians.quadratic = is_quadratic(data);
    hessians.evaluations += 2;
  }
  const bool exact = hessians.quadratic.value_or(false);
  const auto rate = [&](const Lift& lift) {
    return exact ? leak(lift, pairs, data) : misfit(lift, pairs, data.mean);
  };
  double least = rate(*before);
  LearntMetric learnt{before};
  const auto consider = [&](const std::shared_ptr<const Lift>& found) {
    const double own = found ? rate(*found) : infinity;
    if (!(own < least)) return;
    least = own;
    learnt.best = found;
  };
  consider(from_secants(data, *before, pairs));
  if (!(least > data.enough && has_hessian)) return learnt;
  if (exact) {
    consider(from_exact_hessians(data, *before, pairs, hessians));
    return learnt;
  }
  const std::shared_ptr<const Lift> found = from_hessians(data, *before, hessians);
  consider(found);
  if (found && found != learnt.best) learnt.others.push_back(found);
  std::shared_ptr<const Lift> own =
      on_own_functions(data, *before, hessians, data.tuning.other_functions);
  if (own) learnt.others.push_back(std::move(own));
  return learnt;
}

}  // namespace chaosgrad::internal
