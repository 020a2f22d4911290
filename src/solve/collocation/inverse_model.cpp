#include "solve/collocation/inverse_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numeric/decompositions.h"

namespace chaosgrad::internal {
namespace {

struct Pairs {
  Matrix eta, s, z;  // n×d, n×q, n×q with z = H̄⁻¹ y; scaled to |z| = 1
};

// The latest pairs, at most about `most`.
Pairs collect(const Points& points, const Curvature& mean, Index most) {
  std::vector<std::pair<Index, const Secant*>> list;
  for (Index i = points.size(); i-- > 0 && static_cast<Index>(list.size()) < most;) {
    for (const Secant& pair : points.secants[static_cast<std::size_t>(i)])
      list.emplace_back(i, &pair);
  }
  const auto n = static_cast<Index>(list.size());
  Pairs pairs{Matrix(n, points.eta.cols()), Matrix(n, points.x.cols()), Matrix(n, points.x.cols())};
  for (Index i = 0; i < n; ++i) {
    const auto& [point, secant] = list[static_cast<std::size_t>(i)];
    pairs.eta.row(i) = points.eta.row(point);
    pairs.s.row(i) = secant->s.transpose();
    pairs.z.row(i) = secant->y.transpose();
  }
  if (n == 0) return pairs;
  pairs.z = mean.solve(pairs.z);
  const Vector scale = pairs.z.rowwise().norm().cwiseInverse();
  pairs.z = scale.asDiagonal() * pairs.z;
  pairs.s = scale.asDiagonal() * pairs.s;
  return pairs;
}

// The h indices with the largest coefficients, closed downward, the constant first.
IndexSet largest(const IndexSet& indices, const Coefficients& u, Index h) {
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

// `ridge` is relative to the mean of the diagonal.
Matrix ridge_regression(const Matrix& features, const Matrix& targets, double ridge) {
  Matrix gram = Matrix::Zero(features.cols(), features.cols());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(features.transpose());
  gram.diagonal().array() += ridge * gram.diagonal().mean();
  return solve_positive(gram, features.transpose() * targets);
}

}  // namespace

Matrix InverseModel::features(const Matrix& eta, const Matrix& z) const {
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

void InverseModel::fit(const Basis& basis, const Coefficients& u, const Points& points,
                       const std::optional<double>& operations) {
  basis_.reset();
  const Index q = points.x.cols();
  const Pairs pairs = collect(points, mean_, tuning_.model_pairs);
  const Index n = pairs.s.rows();
  Index most = tuning_.model_features;
  if (operations && n > 0) {  // n·features² for the normal equations
    const double affordable =
        tuning_.model_gradients * *operations * static_cast<double>(points.size());
    most = std::min(most, static_cast<Index>(std::sqrt(affordable / static_cast<double>(n))));
  }
  const Index h = std::min({u.rows(), n / (tuning_.model_pairs_per_feature * q), most / q});
  if (h < 1 || n < 2 * tuning_.model_held_out) return;
  std::vector<Index> kept, tested;
  for (Index i = 0; i < n; ++i) (i % tuning_.model_held_out == 0 ? tested : kept).push_back(i);
  const Matrix targets = pairs.s - pairs.z;
  const double mean_error = std::sqrt(targets(tested, Eigen::all).rowwise().squaredNorm().mean());
  basis_.emplace(basis.families(), largest(basis.indices(), u, h));
  const Matrix all = features(pairs.eta, pairs.z);
  weights_ =
      ridge_regression(all(kept, Eigen::all), targets(kept, Eigen::all), tuning_.model_ridge);
  const Matrix predicted = all(tested, Eigen::all) * weights_;
  const double error =
      std::sqrt((targets(tested, Eigen::all) - predicted).rowwise().squaredNorm().mean());
  if (!(error < mean_error)) {
    basis_.reset();
    return;
  }
  weights_ = ridge_regression(all, targets, tuning_.model_ridge);
}

double InverseModel::operations() const {
  const auto q = static_cast<double>(mean_.vectors.rows());
  const auto k = static_cast<double>(mean_.vectors.cols());
  return 4 * q * k + (basis_ ? 2 * static_cast<double>(weights_.size()) : 0);
}

void InverseModel::apply(Block eta, Block g, BlockOut r) const {
  const Matrix z = mean_.solve(g);
  r = z;
  if (!basis_) return;
  r += features(eta, z) * weights_;
  // Far from the pairs the model extrapolates: a step that is not downhill, or much longer than
  // that of the mean, is not trusted.
  for (Index i = 0; i < r.rows(); ++i) {
    const bool sane =
        r.row(i).dot(g.row(i)) > 0 && r.row(i).norm() <= tuning_.model_longest * z.row(i).norm();
    if (!sane) r.row(i) = z.row(i);
  }
}

}  // namespace chaosgrad::internal
