// The quadratic program of one step.
#include <algorithm>
#include <cmath>

#include "constraint/sequential_projection.h"
#include "numeric/decompositions.h"

namespace chaosgrad::internal {
namespace {

// w |c|₂ about c ≠ 0: gradient w Jᵀu and Hessian w Jᵀ (I − u uᵀ) J / |c| with u = c / |c|.
void add_smooth_norm(double w, const Vector& c, const Matrix& J, Matrix& hessian,
                     Vector& gradient) {
  const double length = c.norm();
  const Vector force = J.transpose() * (c / length);
  gradient += w * force;
  hessian.noalias() += (w / length) * (J.transpose() * J);
  hessian.noalias() -= (w / length) * (force * force.transpose());
}

// |c|² / (2 compliance), which touches w |c|₂ (from above, but for a constant) at
// |c| = w compliance.
void add_leaving_norm(double compliance, const Vector& c, const Matrix& J, Matrix& hessian,
                      Vector& gradient) {
  gradient += J.transpose() * c / compliance;
  hessian.noalias() += (1 / compliance) * (J.transpose() * J);
}

}  // namespace

SequentialProjection::Model SequentialProjection::model(const std::vector<NormTerm>& norms) const {
  const RowValues& at = base_.at;
  Model result{task_.M, Matrix(), Vector()};
  Vector gradient = task_.M * (at.x - task_.y);
  bool is_metric = at.curvature.size() == 0;
  if (!is_metric) result.hessian += at.curvature;
  for (std::size_t n = 0; n < norms.size(); ++n) {
    const RowLayout::Norm& norm = task_.layout.norms[n];
    if (norms[n].state == NormTerm::State::zero) continue;
    const Vector c = at.c.segment(norm.first, norm.count);
    const Matrix J = at.J.middleRows(norm.first, norm.count);
    if (norms[n].state == NormTerm::State::leaving)
      add_leaving_norm(norms[n].compliance, c, J, result.hessian, gradient);
    else if (task_.weight(norm) > 0)
      add_smooth_norm(task_.weight(norm), c, J, result.hessian, gradient);
    is_metric = false;
  }
  result.factor = is_metric ? task_.factor : cholesky_factor(result.hessian);
  if (result.factor.size() == 0) {  // not positive definite: rows that are not convex, or rounding
    result.hessian = task_.M;
    result.factor = task_.factor;
  }
  result.centre = at.x - solve_cholesky(result.factor, std::move(gradient));
  return result;
}

QuadraticSolution SequentialProjection::solve_model(const Model& model,
                                                    const std::vector<NormTerm>& norms) {
  const RowValues& at = base_.at;
  Matrix rows = at.J;
  Vector right = at.J * at.x - at.c, least = task_.least, most = limits_;
  for (Index i = 0; i < right.size(); ++i)
    if (task_.layout.affine[static_cast<std::size_t>(i)]) right(i) = task_.right(i);
  for (std::size_t n = 0; n < norms.size(); ++n) {
    const auto [first, count] = task_.layout.norms[n];
    // Each multiplier alone is below w: with c = 0 beyond reach the program stays feasible.
    const bool is_row = norms[n].state == NormTerm::State::zero;
    const double w = is_row ? task_.weight(task_.layout.norms[n]) : 0;
    least.segment(first, count).setConstant(-w);
    most.segment(first, count).setConstant(w);
    if (is_row) continue;
    rows.middleRows(first, count).setZero();
    right.segment(first, count).setZero();
  }
  QuadraticSolution solution = solve(
      {model.factor, model.centre, task_.lower, task_.upper, rows, right, least, most}, working_);
  working_ = solution.working;
  return solution;
}

// Norms whose vector would shrink to less than a fifth, or turn round, may be zero at the optimum.
bool SequentialProjection::collapse_norms(const Vector& step, std::vector<NormTerm>& norms) const {
  bool any = false;
  for (std::size_t n = 0; n < norms.size(); ++n) {
    const auto [first, count] = task_.layout.norms[n];
    const Vector c = base_.at.c.segment(first, count);
    const Vector next = c + base_.at.J.middleRows(first, count) * step;
    if (norms[n].state != NormTerm::State::smooth || task_.weight(task_.layout.norms[n]) == 0 ||
        c.dot(next) > 0.2 * c.squaredNorm())
      continue;
    norms[n].state = NormTerm::State::zero;
    any = true;
  }
  return any;
}

// A norm is zero if its rows are, and smooth otherwise; then its multipliers follow from c.
void SequentialProjection::settle_norms(ProjectionIterate& iterate) const {
  if (iterate.norms.empty()) return;
  const Vector scale = row_scales(task_, iterate.at);
  for (std::size_t n = 0; n < iterate.norms.size(); ++n) {
    const auto [first, count] = task_.layout.norms[n];
    const auto c = iterate.at.c.segment(first, count);
    auto lambda = iterate.row_multipliers.segment(first, count);
    const double w = task_.weight(task_.layout.norms[n]), length = c.norm();
    const bool is_zero = length <= 1e-12 * scale.segment(first, count).norm();
    iterate.norms[n].state = is_zero && w > 0 ? NormTerm::State::zero : NormTerm::State::smooth;
    if (w == 0)
      lambda.setZero();
    else if (!is_zero)
      lambda = (w / length) * c;
  }
}

// Norms at zero whose multipliers are beyond their limit by more than the margin: objective falls
// along c ∥ λ. With s = λᵀ J M⁻¹ Jᵀ λ / |λ|² for the compliance of the rows, |λ| is about w where
// c = s (|λ| / w − 1) λ.
bool SequentialProjection::leave_norms(double margin) {
  bool any = false;
  for (std::size_t n = 0; n < base_.norms.size(); ++n) {
    const RowLayout::Norm& norm = task_.layout.norms[n];
    const Vector lambda = base_.row_multipliers.segment(norm.first, norm.count);
    const double w = task_.weight(norm), size = lambda.norm();
    if (base_.norms[n].state != NormTerm::State::zero || size <= w * (1 + margin)) continue;
    const Vector force = base_.at.J.middleRows(norm.first, norm.count).transpose() * lambda;
    const double own = solve_lower(task_.factor, force).squaredNorm() / (size * size);
    base_.norms[n] = {NormTerm::State::leaving, own * (size / w - 1)};
    any = true;
  }
  return any;
}

}  // namespace chaosgrad::internal
