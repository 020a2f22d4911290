#include "estimate/weighted_fit.h"

#include <algorithm>
#include <utility>

#include "numeric/decompositions.h"

namespace chaosgrad::internal {
namespace {

constexpr Index chunk = 512;  // rows per partial sum
// 1 − h_j is positive where it is not lost to rounding.
constexpr double least_slack = 1e-9;

Index chunks(Index n) { return (n + chunk - 1) / chunk; }

// Σ w ψ ψᵀ, the lower triangle.
Matrix gram_of(const Matrix& psi, const Vector& weights, Executor& executor) {
  const Index n = psi.rows(), m = psi.cols();
  return executor.reduce(
      chunks(n),
      [&](Index c) {
        const Index first = c * chunk, count = std::min(chunk, n - first);
        const Matrix weighted =
            weights.segment(first, count).cwiseSqrt().asDiagonal() * psi.middleRows(first, count);
        Matrix part = Matrix::Zero(m, m);
        part.selfadjointView<Eigen::Lower>().rankUpdate(weighted.transpose());
        return part;
      },
      [](Matrix& left, Matrix&& right) { left += right; });
}

}  // namespace

std::optional<WeightedDesign> WeightedDesign::make(Matrix psi, Vector weights, Vector penalties,
                                                   Executor& executor) {
  WeightedDesign design;
  design.psi_ = std::move(psi);
  design.weights_ = std::move(weights);
  design.gram_ = gram_of(design.psi_, design.weights_, executor);
  if (!design.penalise(penalties, executor)) return {};
  return design;
}

bool WeightedDesign::penalise(const Vector& penalties, Executor& executor) {
  const Index n = psi_.rows(), m = psi_.cols();
  Matrix gram = gram_;
  gram.diagonal() += penalties;
  if (!(gram.diagonal().minCoeff() > 0)) return false;
  scale_ = gram.diagonal().cwiseSqrt().cwiseInverse();
  for (Index j = 0; j < m; ++j)
    gram.col(j).tail(m - j).array() *= scale_(j) * scale_.tail(m - j).array();
  factor_ = cholesky_factor(gram);
  if (factor_.size() == 0) return false;
  slack_.resize(n);
  executor.for_each(chunks(n), [&](Index c) {
    const Index first = c * chunk, count = std::min(chunk, n - first);
    const Matrix half =
        solve_lower(factor_, scale_.asDiagonal() * psi_.middleRows(first, count).transpose());
    const Vector leverages =
        weights_.segment(first, count).cwiseProduct(half.colwise().squaredNorm().transpose());
    slack_.segment(first, count) = (1 - leverages.array()).max(least_slack);
  });
  determined_.resize(m);
  executor.for_each(chunks(m), [&](Index c) {
    const Index first = c * chunk, count = std::min(chunk, m - first);
    // These columns of the inverse factor are zero above row `first`.
    const Matrix columns = solve_lower(Matrix(factor_.bottomRightCorner(m - first, m - first)),
                                       Matrix::Identity(m - first, count));
    for (Index i = 0; i < count; ++i) {
      const Index j = first + i;
      const double inverse = scale_(j) * scale_(j) * columns.col(i).squaredNorm();
      determined_(j) = std::clamp(1 - penalties(j) * inverse, 0.0, 1.0);
    }
  });
  return true;
}

WeightedFit WeightedDesign::fit(const Matrix& x, Executor& executor) const {
  const Index n = psi_.rows();
  const Matrix right = executor.reduce(
      chunks(n),
      [&](Index c) {
        const Index first = c * chunk, count = std::min(chunk, n - first);
        return Matrix(psi_.middleRows(first, count).transpose() *
                      (weights_.segment(first, count).asDiagonal() * x.middleRows(first, count)));
      },
      [](Matrix& left, Matrix&& more) { left += more; });
  WeightedFit fit;
  fit.u = scale_.asDiagonal() * solve_cholesky(factor_, Matrix(scale_.asDiagonal() * right));
  fit.residuals.resize(n, x.cols());
  executor.for_each(chunks(n), [&](Index c) {
    const Index first = c * chunk, count = std::min(chunk, n - first);
    fit.residuals.middleRows(first, count) =
        x.middleRows(first, count) - psi_.middleRows(first, count) * fit.u;
  });
  return fit;
}

Vector WeightedDesign::unexplained(const Matrix& columns) const {
  const Matrix weighted = weights_.asDiagonal() * columns;
  const Matrix half = solve_lower(factor_, scale_.asDiagonal() * (psi_.transpose() * weighted));
  return (columns.cwiseProduct(weighted).colwise().sum() - half.colwise().squaredNorm())
      .transpose();
}

}  // namespace chaosgrad::internal
