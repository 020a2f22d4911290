#include "io/export/evaluator_lift.h"

#include <algorithm>

namespace chaosgrad::internal {
namespace {

using Kind = Constraint::Kind;

constexpr double step = 1e-5;  // as sensitivities take them, in standard deviations of θ_k

void add_columns(const Constraints& constraints, EvaluatorLift& lift) {
  using Column = EvaluatorLift::Column;
  lift.names = multiplier_names(constraints);
  for (const Constraint& one : constraints.list()) {
    if (one.kind == Kind::kink) continue;
    const Column::Kind kind = one.kind == Kind::lower   ? Column::Kind::lower
                              : one.kind == Kind::upper ? Column::Kind::upper
                                                        : Column::Kind::row;
    for (Index i = 0; i < one.count; ++i) lift.columns.push_back({kind, one.first + i});
  }
}

void add_groups(const Constraints& constraints, EvaluatorLift& lift) {
  lift.groups.assign(static_cast<std::size_t>(constraints.rows()), -1);
  for (const Constraint& one : constraints.list()) {
    if (!one.norm) continue;
    for (Index i = 0; i < one.count; ++i)
      lift.groups[static_cast<std::size_t>(one.first + i)] = lift.norms;
    ++lift.norms;
    lift.norm_rows += one.count;
  }
}

}  // namespace

LiftedParts lifted_parts(const Expansion& expansion) {
  const Lift& lift = *expansion.lift();
  const Coefficients& u = expansion.coefficients();
  std::vector<MultiIndex> indices(expansion.basis().indices().indices().begin(),
                                  expansion.basis().indices().indices().begin() + u.rows());
  EvaluatorLift parts{.constraints = &lift.constraints(), .factor = lift.factor()};
  for (Index i = 0; i < lift.factor().rows(); ++i) {
    const MultiIndex& index = lift.basis().indices()[i];
    const auto found = std::find(indices.begin(), indices.end(), index);
    parts.functions.push_back(found - indices.begin());
    if (found == indices.end()) indices.push_back(index);
  }
  Coefficients all = Coefficients::Zero(static_cast<Index>(indices.size()), u.cols());
  all.topRows(u.rows()) = u;
  add_columns(lift.constraints(), parts);
  add_groups(lift.constraints(), parts);
  const std::vector<Distribution>& marginals = expansion.measure().marginals();
  parts.step.resize(static_cast<Index>(marginals.size()));
  std::ranges::transform(marginals, parts.step.begin(),
                         [](const Distribution& marginal) { return step * marginal.sd(); });
  return {Expansion(expansion.measure(),
                    Basis(expansion.basis().families(), IndexSet::from(std::move(indices))), all),
          std::move(parts)};
}

void add_lifted_test(const Expansion& expansion, Evaluator& parts) {
  const Index d = parts.thetas.cols();
  std::vector<Index> kept;
  std::vector<Matrix> slopes;
  for (Index i = 0; i < parts.thetas.rows(); ++i) {
    const Vector theta = parts.thetas.row(i).transpose();
    const Expansion::Sides sides = expansion.sensitivity_sides(theta);
    bool smooth = expansion(theta).allFinite();
    for (Index k = 0; k < d; ++k) smooth = smooth && !sides.differ(k);
    if (!smooth) continue;
    kept.push_back(i);
    slopes.push_back(sides.sensitivity());
  }
  parts.thetas = Matrix(parts.thetas(kept, Eigen::all));
  const LiftedBlock at = expansion.evaluate_lifted(parts.thetas);
  parts.x = at.x;
  parts.slopes.resize(parts.x.rows(), parts.x.cols() * d);
  for (std::size_t i = 0; i < slopes.size(); ++i)
    parts.slopes.row(static_cast<Index>(i)) = slopes[i].reshaped<Eigen::RowMajor>().transpose();
  EvaluatorLift& lift = *parts.lift;
  lift.multipliers = multipliers(*lift.constraints, at);
  // C has no lists without entries.
  if (lift.columns.empty()) lift.multipliers = Matrix::Zero(parts.x.rows(), 1);
  // Each is compared with the largest of its kind.
  const auto largest = [](const Matrix& values) {
    return Vector::Constant(values.cols(), values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0);
  };
  parts.x_scale = largest(parts.x);
  parts.slope_scale = largest(parts.slopes);
  lift.multiplier_scale = largest(lift.multipliers);
}

}  // namespace chaosgrad::internal
