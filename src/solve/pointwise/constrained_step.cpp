#include "solve/pointwise/constrained_step.h"

#include "numeric/decompositions.h"

namespace chaosgrad::internal {
namespace {

Matrix updated_factor(const Matrix& factor, const std::vector<Secant>& pairs, double rescale_from) {
  Matrix H = factor * factor.transpose();
  const Secant& last = pairs.back();
  const double scale = last.s.dot(last.y) / (factor.transpose() * last.s).squaredNorm();
  if (scale > rescale_from || scale < 1 / rescale_from) H *= scale;
  for (const Secant& pair : pairs) {
    const Vector Hs = H * pair.s;
    H += pair.y * pair.y.transpose() / pair.y.dot(pair.s) - Hs * Hs.transpose() / pair.s.dot(Hs);
  }
  return cholesky_factor(H);
}

}  // namespace

Projection constrained_step(const Constraints& set, const Vector& theta, const Matrix& factor,
                            double rescale_from, const Vector& x, const Vector& g,
                            std::vector<Secant>& pairs) {
  if (!pairs.empty()) {
    const Matrix own = updated_factor(factor, pairs, rescale_from);
    if (own.size() > 0) return project(set, theta, own, x - solve_cholesky(own, g));
    pairs.clear();
  }
  return project(set, theta, factor, x - solve_cholesky(factor, g));
}

}  // namespace chaosgrad::internal
