// The quadratic program of one step.
#include <algorithm>
#include <cmath>

#include "constraint/sequential_projection.h"
#include "numeric/decompositions.h"

namespace chaosgrad::internal {
namespace {

constexpr double norm_compliance = 1e-4;

// With t = shift + c / compliance: gradient Jᵀ t and Hessian Jᵀ J / compliance where |t| ≤ w, and
// otherwise, u = t / |t|: gradient w Jᵀ u and Hessian w Jᵀ (I − u uᵀ) J / (compliance |t|).
void add_norm(const NormTerm& term, double w, const Vector& c, const Matrix& J, Matrix& hessian,
              Vector& gradient) {
  const Vector t = term.shift + c / term.compliance;
  const double size = t.norm(), share = size > w ? w / size : 1;
  const Vector force = J.transpose() * t;
  gradient += share * force;
  hessian.noalias() += (share / term.compliance) * (J.transpose() * J);
  if (size > w)
    hessian.noalias() -= (share / (term.compliance * size * size)) * (force * force.transpose());
}

}  // namespace

SequentialProjection::Model SequentialProjection::model() const {
  const RowValues& at = base_.at;
  Model result{task_.M, Matrix(), Vector()};
  Vector gradient = task_.M * (at.x - task_.y);
  if (at.curvature.size() > 0) result.hessian += at.curvature;
  for (std::size_t n = 0; n < base_.norms.size(); ++n) {
    const RowLayout::Norm& norm = task_.layout.norms[n];
    add_norm(base_.norms[n], task_.weight(norm), at.c.segment(norm.first, norm.count),
             at.J.middleRows(norm.first, norm.count), result.hessian, gradient);
  }
  const bool is_metric = at.curvature.size() == 0 && base_.norms.empty();
  result.factor = is_metric ? task_.factor : cholesky_factor(result.hessian);
  if (result.factor.size() == 0) {  // not positive definite: rows that are not convex, or rounding
    result.hessian = task_.M;
    result.factor = task_.factor;
  }
  result.centre = at.x - solve_cholesky(result.factor, std::move(gradient));
  return result;
}

QuadraticSolution SequentialProjection::solve_model(const Model& model) {
  const RowValues& at = base_.at;
  Matrix rows = at.J;
  Vector right = at.J * at.x - at.c, least = task_.least, most = limits_;
  for (Index i = 0; i < right.size(); ++i)
    if (task_.layout.affine[static_cast<std::size_t>(i)]) right(i) = task_.right(i);
  for (const auto& [first, count] : task_.layout.norms) {  // they are part of the model
    rows.middleRows(first, count).setZero();
    for (Vector* vector : {&right, &least, &most}) vector->segment(first, count).setZero();
  }
  QuadraticSolution solution = solve(
      {model.factor, model.centre, task_.lower, task_.upper, rows, right, least, most}, working_);
  working_ = solution.working;
  return solution;
}

void SequentialProjection::set_norm_multipliers(ProjectionIterate& iterate) const {
  for (std::size_t n = 0; n < iterate.norms.size(); ++n) {
    const auto [first, count] = task_.layout.norms[n];
    iterate.row_multipliers.segment(first, count) = norm_multipliers(
        iterate.norms[n], task_.weight(task_.layout.norms[n]), iterate.at.c.segment(first, count));
  }
}

// The compliance is a small part of that of the rows, |L⁻¹ ∇c|²: λ gets to its place in few steps.
void SequentialProjection::start_norms() {
  for (std::size_t n = 0; n < trial_.norms.size(); ++n) {
    const RowLayout::Norm& norm = task_.layout.norms[n];
    const auto [first, count] = norm;
    const Matrix normals =
        solve_lower(task_.factor, trial_.at.J.middleRows(first, count).transpose());
    const double own = normals.squaredNorm() / static_cast<double>(count);
    const double compliance = norm_compliance * (own > 0 ? own : 1);
    trial_.norms[n] = {trial_.row_multipliers.segment(first, count), compliance, 1e-6 * compliance};
    const double size = trial_.norms[n].shift.norm();
    if (size > task_.weight(norm)) trial_.norms[n].shift *= task_.weight(norm) / size;
  }
}

}  // namespace chaosgrad::internal
