#include <algorithm>
#include <cmath>
#include <limits>

#include "basis/kernels.h"
#include "chaosgrad/solution.h"
#include "constraint/projection.h"

namespace chaosgrad {
using namespace internal;
namespace {

// Sides that differ by less, relative to the larger one, are one derivative with two roundings.
constexpr double same_side = 1e-5;

// What P depends on at θ, and how that moves with θ: y and the entries of the metric's factor by
// the derivatives of their expansions. The constraints are evaluated beside θ.
struct MovingProjection {
  const Lift& lift;
  Vector theta, y, entries;
  Matrix y_slopes, entry_slopes;  // by θ_k in columns

  // x with θ_k moved by `step`; NaN where there is none.
  [[nodiscard]] Vector at(Index k, double step) const {
    const Constraints& constraints = lift.constraints();
    const Index q = constraints.dimension();
    Vector there = theta;
    there(k) += step;
    const Projection found =
        project(constraints, there, lift.factor_of(entries + step * entry_slopes.col(k)),
                y + step * y_slopes.col(k));
    if (found.outcome == QuadraticSolution::Outcome::solved) return found.x;
    return Vector::Constant(q, std::numeric_limits<double>::quiet_NaN());
  }

  // The derivative to one side, to second order in the step.
  [[nodiscard]] Vector slope(Index k, double step) const {
    return (-3 * at(k, 0) + 4 * at(k, step) - at(k, 2 * step)) / (2 * step);
  }
};

Vector values_at(const Basis& basis, const Coefficients& u, const Matrix& eta) {
  BasisBlock psi;
  basis.evaluate(eta, u.rows(), psi);
  Matrix values(1, u.cols());
  expand(psi, u, values);
  return values.transpose();
}

}  // namespace

bool Expansion::Sides::differ(Index k) const {
  const double size =
      std::max(growing.col(k).cwiseAbs().maxCoeff(), falling.col(k).cwiseAbs().maxCoeff());
  const double apart = (growing.col(k) - falling.col(k)).cwiseAbs().maxCoeff();
  return !(apart <= same_side * size + rounding(k));
}

Matrix Expansion::Sides::sensitivity() const {
  Matrix result = growing;
  for (Index k = 0; k < growing.cols(); ++k) {
    if (!differ(k)) result.col(k) = 0.5 * (growing.col(k) + falling.col(k));
    if (!growing.col(k).allFinite()) result.col(k) = falling.col(k);
  }
  return result;
}

Expansion::Sides Expansion::sensitivity_sides(const Vector& theta) const {
  const Index q = u_.cols(), d = theta.size();
  Sides sides{Matrix(q, d), Matrix(q, d), Vector::Zero(d)};
  Matrix eta(1, d);
  measure_.germ_from_parameters(theta.transpose(), eta);
  const Matrix jacobian = measure_.germ_jacobian(theta);
  const Vector germ = eta.transpose();
  const Matrix slopes = u_.transpose() * basis_.gradient(germ, u_.rows()) * jacobian;
  if (!lift_) return {slopes, slopes, Vector::Zero(d)};
  const Coefficients& factor = lift_->factor();
  const MovingProjection moving{
      *lift_,
      theta,
      values_at(basis_, u_, eta),
      values_at(lift_->basis(), factor, eta),
      slopes,
      factor.transpose() * lift_->basis().gradient(germ, factor.rows()) * jacobian};
  // Steps of the cube root of the rounding, where the two errors of a difference balance; where the
  // sides differ a constraint may change within the steps and not at θ: shorter ones tell.
  constexpr double step = 1e-5, short_step = 1e-7, rounding_of_x = 1e-13;
  const double size =
      moving.y.lpNorm<Eigen::Infinity>() + moving.at(0, 0).lpNorm<Eigen::Infinity>();
  for (Index k = 0; k < d; ++k) {
    const double sd = measure_.marginals()[static_cast<std::size_t>(k)].sd();
    for (const double length : {step * sd, short_step * sd}) {
      sides.rounding(k) = rounding_of_x * size / length;
      sides.growing.col(k) = moving.slope(k, length);
      sides.falling.col(k) = moving.slope(k, -length);
      if (!sides.differ(k)) break;
    }
  }
  return sides;
}

}  // namespace chaosgrad
