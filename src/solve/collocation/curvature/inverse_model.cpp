#include "solve/collocation/curvature/inverse_model.h"

#include <algorithm>

namespace chaosgrad::internal {

void InverseModel::fit(const Basis& basis, const Coefficients& u, const Points& points,
                       const std::optional<double>& operations) {
  regression_.clear();
  const SecantPairs pairs = collect_pairs(points, tuning_.model_pairs);
  const Index n = pairs.s.rows();
  const Index h = std::min(u.rows(), SecantRegression::affordable_functions(
                                         n, points.x.cols(), points.size(), operations, tuning_));
  if (h < 1) return;
  Matrix z = mean_.solve(pairs.y);
  const Vector scale = z.rowwise().norm().cwiseInverse();
  z = scale.asDiagonal() * z;
  const Matrix s = scale.asDiagonal() * pairs.s;
  regression_.fit(Basis(basis.families(), largest_indices(basis.indices(), u, h)), pairs.eta, z,
                  s - z, tuning_);
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
