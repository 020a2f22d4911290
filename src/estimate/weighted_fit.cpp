#include "estimate/weighted_fit.h"

#include <algorithm>

#include "numeric/decompositions.h"

namespace chaosgrad::internal {
namespace {

constexpr Index chunk = 512;  // rows per partial sum
// 1 − h_j is positive where it is not lost to rounding.
constexpr double least_slack = 1e-9;

struct NormalEquations {
  Matrix gram;  // lower triangle
  Matrix right;
  auto members() { return std::tie(gram, right); }
};

NormalEquations normal_equations(const Matrix& psi, const Vector& weights, const Matrix& x,
                                 Executor& executor) {
  const Index n = psi.rows(), m = psi.cols();
  return executor.reduce(
      (n + chunk - 1) / chunk,
      [&](Index c) {
        const Index first = c * chunk, count = std::min(chunk, n - first);
        const Matrix weighted =
            weights.segment(first, count).cwiseSqrt().asDiagonal() * psi.middleRows(first, count);
        NormalEquations part{Matrix::Zero(m, m), {}};
        part.gram.selfadjointView<Eigen::Lower>().rankUpdate(weighted.transpose());
        part.right = psi.middleRows(first, count).transpose() *
                     (weights.segment(first, count).asDiagonal() * x.middleRows(first, count));
        return part;
      },
      [](NormalEquations& left, NormalEquations&& right) {
        left.gram += right.gram;
        left.right += right.right;
      });
}

}  // namespace

Matrix WeightedFit::left_out() const {
  return slack.cwiseInverse().asDiagonal() * residuals;
}

// The columns are scaled such that A has ones on its diagonal: penalties of very different sizes
// then do no harm to its condition.
WeightedFit fit_weighted(const Matrix& psi, const Vector& weights, const Matrix& x,
                         const Vector& penalties, Executor& executor) {
  const Index n = psi.rows(), m = psi.cols();
  WeightedFit fit;
  NormalEquations equations = normal_equations(psi, weights, x, executor);
  equations.gram.diagonal() += penalties;
  if (!(equations.gram.diagonal().minCoeff() > 0)) return fit;
  const Vector scale = equations.gram.diagonal().cwiseSqrt().cwiseInverse();
  for (Index j = 0; j < m; ++j)
    equations.gram.col(j).tail(m - j).array() *= scale(j) * scale.tail(m - j).array();
  const Matrix factor = cholesky_factor(equations.gram);
  if (factor.size() == 0) return fit;
  fit.u = scale.asDiagonal() * solve_cholesky(factor, Matrix(scale.asDiagonal() * equations.right));
  fit.residuals.resize(n, x.cols());
  fit.slack.resize(n);
  executor.for_each((n + chunk - 1) / chunk, [&](Index c) {
    const Index first = c * chunk, count = std::min(chunk, n - first);
    const auto rows = psi.middleRows(first, count);
    fit.residuals.middleRows(first, count) = x.middleRows(first, count) - rows * fit.u;
    const Matrix half = solve_lower(factor, scale.asDiagonal() * rows.transpose());
    const Vector leverages =
        weights.segment(first, count).cwiseProduct(half.colwise().squaredNorm().transpose());
    fit.slack.segment(first, count) = (1 - leverages.array()).max(least_slack);
  });
  fit.determined.resize(m);
  executor.for_each((m + chunk - 1) / chunk, [&](Index c) {
    const Index first = c * chunk, count = std::min(chunk, m - first);
    // Columns first … of L⁻¹ are zero above their diagonal.
    const Matrix columns = solve_lower(Matrix(factor.bottomRightCorner(m - first, m - first)),
                                       Matrix::Identity(m - first, count));
    for (Index i = 0; i < count; ++i) {
      const Index j = first + i;
      const double inverse = scale(j) * scale(j) * columns.col(i).squaredNorm();
      fit.determined(j) = std::clamp(1 - penalties(j) * inverse, 0.0, 1.0);
    }
  });
  return fit;
}

}  // namespace chaosgrad::internal
