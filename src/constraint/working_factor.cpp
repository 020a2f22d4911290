#include "constraint/working_factor.h"

#include <Eigen/Jacobi>
#include <cmath>

namespace chaosgrad::internal {
namespace {

// Rounding of Jᵀ a after many updates, relative to the terms that it is a sum of.
constexpr double dependence = 1e-13;

Matrix inverse_transpose(const Matrix& L) {
  Matrix J = Matrix::Identity(L.rows(), L.rows());
  L.triangularView<Eigen::Lower>().transpose().solveInPlace(J);
  return J;
}

}  // namespace

WorkingFactor::WorkingFactor(const Matrix& factor)
    : J_(inverse_transpose(factor)),
      R_(factor.rows(), factor.rows()),
      norms_(J_.rowwise().norm()),
      scratch_(factor.rows()) {}

void WorkingFactor::direction(const Vector& a, Direction& to) const {
  to.d.noalias() = J_.transpose() * a;
  to.weight = a.cwiseAbs().dot(norms_);
  finish(to);
}

void WorkingFactor::direction(Index j, Direction& to) const {
  to.d = J_.row(j).transpose();
  to.weight = norms_(j);
  finish(to);
}

// J₂ᵀ a is J₂ᵀ (a − Σ_i dual_i a_i): each row brings its own rounding, and below it a depends on them.
void WorkingFactor::finish(Direction& to) const {
  const Index q = J_.rows(), k = size_;
  to.dual = to.d.head(k);
  solve_r(to.dual);
  to.terms = to.weight;
  for (Index i = 0; i < k; ++i)
    to.terms += std::abs(to.dual(i)) * weights_[static_cast<std::size_t>(i)];
  const double noise = dependence * to.terms;
  to.square = to.d.tail(q - k).squaredNorm();
  if (to.square <= noise * noise) {
    to.square = 0;
    return;
  }
  to.primal.noalias() = J_.rightCols(q - k) * to.d.tail(q - k);
}

void WorkingFactor::solve_r(Vector& b) const {
  R_.topLeftCorner(size_, size_).triangularView<Eigen::Upper>().solveInPlace(b);
}

// The reflection I − β v vᵀ with v = d₂ − σ e₁ takes d₂ to σ e₁; J₂ v is known from the direction.
void WorkingFactor::append(const Direction& along) {
  const Index q = J_.rows(), k = size_, free = q - k;
  const double norm = std::sqrt(along.square), first = along.d(k);
  const double sigma = first > 0 ? -norm : norm;
  R_.col(k).head(k) = along.d.head(k);
  R_(k, k) = sigma;
  scratch_.head(free) = along.d.tail(free);
  scratch_(0) -= sigma;
  scratch_.head(free) *= 1 / (along.square - sigma * first);  // β v, as |v|² = 2 (σ² − σ d₂₁)
  const Vector Jv = along.primal - sigma * J_.col(k);
  J_.rightCols(free).noalias() -= Jv * scratch_.head(free).transpose();
  weights_.push_back(along.weight);
  ++size_;
}

void WorkingFactor::remove(Index position) {
  const Index k = size_;
  for (Index i = position; i + 1 < k; ++i) R_.col(i).head(i + 2) = R_.col(i + 1).head(i + 2);
  for (Index i = position; i + 1 < k; ++i) {
    Eigen::JacobiRotation<double> rotation;
    rotation.makeGivens(R_(i, i), R_(i + 1, i), &R_(i, i));
    R_(i + 1, i) = 0;
    const Index right = k - 2 - i;
    if (right > 0) R_.block(i, i + 1, 2, right).applyOnTheLeft(0, 1, rotation.adjoint());
    J_.applyOnTheRight(i, i + 1, rotation);
  }
  weights_.erase(weights_.begin() + position);
  --size_;
}

// With e = Jᵀ g and s = R⁻ᵀ r:  Δx = J₁ s + J₂ e₂,  Δλ = R⁻¹ (e₁ − s).
void WorkingFactor::solve(Vector& g, Vector& r) {
  const Index k = size_;
  scratch_.noalias() = J_.transpose() * g;
  R_.topLeftCorner(k, k).triangularView<Eigen::Upper>().transpose().solveInPlace(r);
  const Vector dual = scratch_.head(k) - r;
  scratch_.head(k) = r;
  g.noalias() = J_ * scratch_;
  r = dual;
  solve_r(r);
}

}  // namespace chaosgrad::internal
