#include <cmath>

#include "basis/family/stieltjes.h"

namespace chaosgrad::internal {
namespace {

// Makes v orthogonal to the first `count` columns of q and of norm 1, even when almost nothing of v
// is left.
void orthonormalise(const Matrix& q, Index count, Vector& v) {
  constexpr int passes = 6;
  for (int pass = 0; pass < passes; ++pass) {
    const double before = v.norm();
    v -= q.leftCols(count) * (q.leftCols(count).transpose() * v);
    const double after = v.norm();
    v /= after;
    if (after > 0.7 * before && pass > 0) break;
  }
}

}  // namespace

DiscretePolynomials lanczos_polynomials(const Discrete& points, Index degree) {
  const auto count = static_cast<Index>(points.values.size());
  // Copies, because the order of Eigen's sums depends on the alignment of the data.
  const Vector theta = Eigen::Map<const Vector>(points.values.data(), count);
  const Vector weights = Eigen::Map<const Vector>(points.weights.data(), count);
  const Eigen::ArrayXd mass = weights.array() / weights.sum();

  DiscretePolynomials result;
  Recurrence& r = result.recurrence;
  r = {Vector::Zero(degree), Vector::Zero(degree + 1), 0, 1};
  r.center = theta[0] + (mass * (theta.array() - theta[0])).sum();
  const double sd = std::sqrt((mass * (theta.array() - r.center).square()).sum());
  if (sd > 0) r.scale = sd;
  const Vector t = (theta.array() - r.center) / r.scale;

  Matrix& v = result.values;  // v_n = p_n √w until the end
  v.resize(count, degree + 1);
  v.col(0) = mass.sqrt();
  v.col(0).normalize();
  const Eigen::ArrayXd root_mass = v.col(0);
  for (Index n = 0; n < degree; ++n) {
    const Vector tv = t.cwiseProduct(v.col(n));
    r.a[n] = v.col(n).dot(tv);
    Vector next = tv - r.a[n] * v.col(n);
    if (n > 0) next -= r.b[n] * v.col(n - 1);
    orthonormalise(v, n + 1, next);
    r.b[n + 1] = next.dot(tv);
    if (r.b[n + 1] < 0) {
      next = -next;
      r.b[n + 1] = -r.b[n + 1];
    }
    v.col(n + 1) = next;
  }
  v.array().colwise() /= root_mass;
  return result;
}

}  // namespace chaosgrad::internal
