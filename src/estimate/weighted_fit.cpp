#include "estimate/weighted_fit.h"

#include <algorithm>

#include "numeric/decompositions.h"

namespace chaosgrad::internal {
namespace {

constexpr Index chunk = 512;  // rows per partial sum

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

Vector WeightedFit::left_out_squares(const Vector& weights, double least_slack) const {
  const Vector slack = (1 - leverages.array()).max(least_slack);
  return (weights.array() * residuals.rowwise().squaredNorm().array() / slack.array().square());
}

WeightedFit fit_weighted(const Matrix& psi, const Vector& weights, const Matrix& x,
                         Executor& executor) {
  const Index n = psi.rows();
  WeightedFit fit;
  const NormalEquations equations = normal_equations(psi, weights, x, executor);
  const Cholesky gram = cholesky(equations.gram);
  if (gram.factor.size() == 0) return fit;
  fit.condition = gram.reciprocal_condition;
  fit.u = solve_cholesky(gram.factor, equations.right);
  fit.residuals.resize(n, x.cols());
  fit.leverages.resize(n);
  executor.for_each((n + chunk - 1) / chunk, [&](Index c) {
    const Index first = c * chunk, count = std::min(chunk, n - first);
    const auto rows = psi.middleRows(first, count);
    fit.residuals.middleRows(first, count) = x.middleRows(first, count) - rows * fit.u;
    const Matrix half = solve_lower(gram.factor, rows.transpose());
    fit.leverages.segment(first, count) =
        weights.segment(first, count).cwiseProduct(half.colwise().squaredNorm().transpose());
  });
  return fit;
}

}  // namespace chaosgrad::internal
