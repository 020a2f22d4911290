#include "constraint/metric_factor.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "constraint/projection.h"
#include "numeric/decompositions.h"
#include "numeric/symmetric.h"

namespace chaosgrad::internal {
namespace {

constexpr double singular = 1e-8;      // λ_min/λ_max below, in units of their own: flat
constexpr double same_step = 0.05;     // |difference of two steps|/|step|
constexpr int most_enlargements = 14;  // of R, by 4 each

// How hard f and its kinks can pull at x: |g| + Σ |λ_i ∇c_i| with the largest multipliers of kinks.
double largest_pull(const Vector& g, const Constraints& constraints, const Vector& theta,
                    const Vector& x) {
  double pull = g.norm();
  if (!constraints.has_kinks()) return pull;
  const Index q = x.size();
  ConstraintBlock block;
  constraints.evaluate(x.transpose(), theta.transpose(), block);
  for (const Constraint& one : constraints.list()) {
    if (one.kind != Constraint::Kind::kink) continue;
    for (Index i = one.first; i < one.first + one.count; ++i)
      pull += block.most(0, i) * block.jacobian.block(0, i * q, 1, q).norm();
  }
  return pull;
}

}  // namespace

Vector own_units(const Matrix& H) {
  const Vector curvature = H.diagonal();
  const double largest = curvature.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return Vector::Ones(H.rows());
  return (curvature.array() > 0).select(curvature, largest).cwiseSqrt().cwiseInverse();
}

Vector eigenvalues_in_own_units(const Matrix& H) {
  const Vector unit = own_units(H);
  return symmetric_eigenvalues(unit.asDiagonal() * symmetric_part(H) * unit.asDiagonal());
}

Matrix positive_factor(const Matrix& H, double least) {
  const Vector unit = own_units(H);
  const SymmetricEigen eigen =
      symmetric_eigen(unit.asDiagonal() * symmetric_part(H) * unit.asDiagonal());
  const double floor = least * std::max(eigen.values.cwiseAbs().maxCoeff(), 1e-300);
  const Matrix vectors = unit.cwiseInverse().asDiagonal() * eigen.vectors;
  return cholesky_factor(vectors * eigen.values.cwiseMax(floor).asDiagonal() * vectors.transpose());
}

Matrix with_equalities(const Matrix& H, const Constraints& constraints, const Vector& x,
                       const Vector& theta) {
  const std::vector<Constraint>& list = constraints.list();
  const auto is_equality = [](const Constraint& one) {
    return one.kind == Constraint::Kind::equality;
  };
  if (std::ranges::none_of(list, is_equality)) return H;
  const Index q = H.rows();
  ConstraintBlock block;
  constraints.evaluate(x.transpose(), theta.transpose(), block);
  Matrix result = H;
  const double mean = H.trace() / static_cast<double>(q);
  for (const Constraint& one : list) {
    if (!is_equality(one)) continue;
    for (Index i = one.first; i < one.first + one.count; ++i) {
      const Vector a = block.jacobian.block(0, i * q, 1, q).transpose();
      if (a.squaredNorm() > 0) result += (mean / a.squaredNorm()) * a * a.transpose();
    }
  }
  return result;
}

ProximalWeight proximal_weight(const Matrix& H, const Vector& g, const Constraints& constraints,
                               const Vector& theta, const Vector& x) {
  const Index q = x.size();
  const Vector eigenvalues = eigenvalues_in_own_units(with_equalities(H, constraints, x, theta));
  const double size = eigenvalues.cwiseAbs().maxCoeff();
  const double pull = largest_pull(g, constraints, theta, x);
  if (std::abs(eigenvalues(0)) > singular * size || !(pull > 0)) return {};
  const double least = pull / (1 + x.norm());
  std::optional<Vector> before;
  double weight = least;
  for (int k = 0; k < most_enlargements; ++k, weight /= 4) {
    const Matrix M =
        with_equalities(symmetric_part(H) + weight * Matrix::Identity(q, q), constraints, x, theta);
    const Matrix factor = positive_factor(M, 0);
    const Projection end = project(constraints, theta, factor, x - solve_cholesky(factor, g));
    if (end.outcome != QuadraticSolution::Outcome::solved) break;
    const Vector step = end.x - x;
    if (before && (step - *before).norm() <= same_step * step.norm()) return {4 * weight, true};
    before = step;
  }
  return {least / 10, false};
}

Matrix inverse_factor(const Matrix& factor) {
  if (factor.size() == 0) return {};
  const Matrix inverse = solve_lower(factor, Matrix::Identity(factor.rows(), factor.cols()));
  const Matrix M = inverse.transpose() * inverse;
  Matrix result = cholesky_factor(M);
  if (result.size() > 0 || !M.allFinite()) return result;
  return positive_factor(M, 1e-14);  // singular to rounding
}

Vector packed_factor(const Matrix& R) {
  const Index q = R.rows();
  Vector entries(q * (q + 1) / 2);
  Index column = 0;
  for (Index i = 0; i < q; ++i) {
    for (Index j = 0; j <= i; ++j) entries(column++) = R(i, j);
  }
  return entries;
}

Matrix unpacked_factor(const Vector& entries, Index q) {
  Matrix R = Matrix::Zero(q, q);
  Index column = 0;
  for (Index i = 0; i < q; ++i) {
    for (Index j = 0; j <= i; ++j) R(i, j) = entries(column++);
  }
  return R;
}

std::shared_ptr<const Lift> constant_lift(std::shared_ptr<const Constraints> constraints,
                                          const std::vector<Family>& families,
                                          const Matrix& factor) {
  return std::make_shared<Lift>(
      std::move(constraints),
      Basis(families, IndexSet::first(static_cast<Index>(families.size()), 1)),
      Coefficients(packed_factor(inverse_factor(factor)).transpose()));
}

}  // namespace chaosgrad::internal
