#include "solve/collocation/curvature/secant_regression.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numeric/decompositions.h"
#include "samples/basis_table.h"

namespace chaosgrad::internal {
namespace {

// `ridge` is relative to the mean of the diagonal.
Matrix ridge_regression(const Matrix& features, const Matrix& targets, double ridge) {
  Matrix gram = Matrix::Zero(features.cols(), features.cols());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(features.transpose());
  gram.diagonal().array() += ridge * gram.diagonal().mean();
  return solve_positive(gram, features.transpose() * targets);
}

}  // namespace

SecantPairs collect_pairs(const Points& points, Index most) {
  std::vector<std::pair<Index, const Secant*>> list;
  for (Index i = points.size(); i-- > 0 && static_cast<Index>(list.size()) < most;) {
    for (const Secant& pair : points.secants[static_cast<std::size_t>(i)])
      list.emplace_back(i, &pair);
  }
  const auto n = static_cast<Index>(list.size());
  SecantPairs pairs{Matrix(n, points.eta.cols()), Matrix(n, points.x.cols()),
                    Matrix(n, points.x.cols())};
  for (Index i = 0; i < n; ++i) {
    const auto& [point, secant] = list[static_cast<std::size_t>(i)];
    pairs.eta.row(i) = points.eta.row(point);
    pairs.s.row(i) = secant->s.transpose();
    pairs.y.row(i) = secant->y.transpose();
  }
  return pairs;
}

IndexSet largest_indices(const IndexSet& indices, const Coefficients& u, Index h) {
  std::vector<Index> order(static_cast<std::size_t>(u.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin() + 1, order.end(), [&](Index a, Index b) {
    return u.row(a).squaredNorm() > u.row(b).squaredNorm();
  });
  IndexSet result;
  for (const Index i : order) {
    if (result.size() >= h) break;
    result.add_closed(indices[i]);
  }
  return result;
}

Index SecantRegression::affordable_functions(Index n, Index q, Index points,
                                             const std::optional<double>& operations,
                                             const CurvatureTuning& tuning) {
  Index most = tuning.model_features;
  if (operations && n > 0) {  // n·features² for the normal equations
    const double affordable = tuning.model_gradients * *operations * static_cast<double>(points);
    most = std::min(most, static_cast<Index>(std::sqrt(affordable / static_cast<double>(n))));
  }
  if (n < 2 * tuning.model_held_out) return 0;
  return std::min(n / (tuning.model_pairs_per_feature * q), most / q);
}

Matrix SecantRegression::features(const Matrix& eta, const Matrix& z) const {
  const Index h = basis_->size(), q = z.cols(), n = eta.rows();
  Matrix result(n, h * q);
  BasisBlock psi;
  for (Index first = 0; first < n; first += block_size) {
    const Index count = std::min(block_size, n - first);
    basis_->evaluate(eta.middleRows(first, count), h, psi);
    for (Index j = 0; j < h; ++j) {
      for (Index i = 0; i < count; ++i)
        result.block(first + i, j * q, 1, q) = psi(i, j) * z.row(first + i);
    }
  }
  return result;
}

void SecantRegression::fit(const Basis& basis, const Matrix& eta, const Matrix& z,
                           const Matrix& targets, const CurvatureTuning& tuning) {
  const Index n = z.rows();
  std::vector<Index> kept, tested;
  for (Index i = 0; i < n; ++i) (i % tuning.model_held_out == 0 ? tested : kept).push_back(i);
  const double mean_error = std::sqrt(targets(tested, Eigen::all).rowwise().squaredNorm().mean());
  basis_.emplace(basis);
  const Matrix all = features(eta, z);
  weights_ = ridge_regression(all(kept, Eigen::all), targets(kept, Eigen::all), tuning.model_ridge);
  const Matrix predicted = all(tested, Eigen::all) * weights_;
  const double error =
      std::sqrt((targets(tested, Eigen::all) - predicted).rowwise().squaredNorm().mean());
  if (!(error < mean_error)) {
    basis_.reset();
    return;
  }
  weights_ = ridge_regression(all, targets, tuning.model_ridge);
}

void SecantRegression::fit_kernel(const Basis& basis, const Vector& variances, const Matrix& eta,
                                  const Matrix& z, const Matrix& targets) {
  const Index n = z.rows(), q = z.cols(), h = basis.size();
  basis_.reset();
  Executor alone(1);
  const Matrix psi = basis_table(basis, eta, h, alone);
  const Matrix kernel =
      (psi * variances.asDiagonal() * psi.transpose()).cwiseProduct(z * z.transpose());
  double least = targets.squaredNorm();
  Matrix solution;
  for (const double noise : {1e-6, 1e-4, 1e-2}) {
    Matrix noisy = kernel;
    noisy.diagonal().array() += noise * kernel.diagonal().mean();
    const Matrix factor = cholesky_factor(noisy);
    if (factor.size() == 0) continue;
    const Matrix half = solve_lower(factor, Matrix::Identity(n, n));
    const Matrix found = half.transpose() * (half * targets);
    const Vector precisions = half.colwise().squaredNorm().transpose();
    const double left_out = (precisions.cwiseInverse().asDiagonal() * found).squaredNorm();
    if (!(left_out < least)) continue;
    least = left_out;
    solution = found;
  }
  if (solution.size() == 0) return;
  basis_.emplace(basis);
  weights_.resize(h * q, q);
  for (Index j = 0; j < h; ++j)
    weights_.middleRows(j * q, q) =
        variances(j) * (z.transpose() * (psi.col(j).asDiagonal() * solution));
}

Matrix SecantRegression::predict(const Matrix& eta, const Matrix& z) const {
  return features(eta, z) * weights_;
}

Matrix SecantRegression::matrix(const Matrix& eta) const {
  const Index q = weights_.cols();
  return predict(eta.replicate(q, 1), Matrix::Identity(q, q)).transpose();
}

}  // namespace chaosgrad::internal
