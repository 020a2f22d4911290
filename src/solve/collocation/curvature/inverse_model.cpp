#include "solve/collocation/curvature/inverse_model.h"

#include <algorithm>
#include <cmath>

namespace chaosgrad::internal {

void InverseModel::fit(const Basis& basis, const Coefficients& u, const Points& points,
                       const std::optional<double>& operations) {
  regression_.clear();
  Index most = tuning_.model_pairs;
  if (operations) {  // n³ for a factorisation
    const double affordable =
        tuning_.model_gradients * *operations * static_cast<double>(points.size());
    most = std::min(most, static_cast<Index>(std::cbrt(affordable)));
  }
  const SecantPairs pairs = collect_pairs(points, most);
  const Index h = std::min(u.rows(), tuning_.model_features / points.x.cols());
  if (h < 1 || pairs.s.rows() < tuning_.least_pairs) return;
  Matrix z = mean_.solve(pairs.y);
  const Vector scale = z.rowwise().norm().cwiseInverse();
  z = scale.asDiagonal() * z;
  const Matrix s = scale.asDiagonal() * pairs.s;
  const Basis functions(basis.families(), largest_indices(basis.indices(), u, h));
  Vector variances(functions.size());
  for (Index i = 0; i < functions.size(); ++i)
    variances(i) = u.row(basis.indices().position(functions.indices()[i])).squaredNorm();
  const double varying = variances.tail(variances.size() - 1).sum();
  variances(0) = varying > 0 ? varying : 1;
  regression_.fit_kernel(functions, variances / variances(0), pairs.eta, z, s - z);
}

double InverseModel::operations() const {
  const auto q = static_cast<double>(mean_.vectors.rows());
  const auto k = static_cast<double>(mean_.vectors.cols());
  return 4 * q * k +
         (regression_.empty() ? 0 : 2 * static_cast<double>(regression_.weights().size()));
}

void InverseModel::apply(Block eta, Block g, BlockOut r) const {
  const Matrix z = mean_.solve(g);
  r = z;
  if (regression_.empty()) return;
  r += regression_.predict(eta, z);
  // Far from the pairs the model extrapolates: a step that is not downhill, or much longer than
  // that of the mean, is not trusted.
  for (Index i = 0; i < r.rows(); ++i) {
    const bool sane =
        r.row(i).dot(g.row(i)) > 0 && r.row(i).norm() <= tuning_.model_longest * z.row(i).norm();
    if (!sane) r.row(i) = z.row(i);
  }
}

}  // namespace chaosgrad::internal
