#include "constraint/projection_task.h"

#include <algorithm>
#include <cmath>

namespace chaosgrad::internal {

RowLayout::RowLayout(const Constraints& constraints)
    : affine(static_cast<std::size_t>(constraints.rows()), true), in_norm(affine.size(), false) {
  for (const Constraint& entry : constraints.list()) {
    if (entry.kind == Constraint::Kind::lower || entry.kind == Constraint::Kind::upper) continue;
    const bool is_norm = entry.norm && entry.count > 1;
    for (Index i = entry.first; i < entry.first + entry.count; ++i) {
      affine[static_cast<std::size_t>(i)] = entry.affine;
      in_norm[static_cast<std::size_t>(i)] = is_norm;
    }
    if (is_norm) norms.push_back({entry.first, entry.count});
    all_affine = all_affine && entry.affine;
  }
}

ProjectionTask::ProjectionTask(const RowLayout& rows, const Matrix& metric_factor, Vector from,
                               const ConstraintBlock& at, Index sample)
    : layout(rows),
      factor(metric_factor),
      M(metric_factor.triangularView<Eigen::Lower>() * metric_factor.transpose()),
      y(std::move(from)),
      lower(at.lower.row(sample)),
      upper(at.upper.row(sample)),
      least(at.least.row(sample)),
      most(at.most.row(sample)),
      right(-at.value.row(sample)),
      size_of_y(y.lpNorm<Eigen::Infinity>()) {}

bool ProjectionTask::is_hard_curved(Index row) const {
  return most(row) == infinity && !layout.affine[static_cast<std::size_t>(row)];
}

RowValues row_values(const ConstraintBlock& at, Index sample, const Vector& x) {
  const Index p = at.value.cols(), q = x.size();
  RowValues result{x, at.value.row(sample), Matrix(p, q), Matrix()};
  for (Index i = 0; i < p; ++i) result.J.row(i) = at.jacobian.row(sample).segment(i * q, q);
  return result;
}

Vector row_scales(const ProjectionTask& task, const RowValues& at) {
  const double largest = at.x.lpNorm<Eigen::Infinity>() + 0.1 * task.size_of_y;
  const Vector extent = (at.x.cwiseAbs().array() + 1e-3 * largest).matrix();
  return (at.J * at.x - at.c).cwiseAbs() + at.J.cwiseAbs() * extent;
}

Vector norm_multipliers(const NormTerm& term, double weight, const Vector& c) {
  Vector lambda = term.shift + c / term.compliance;
  const double size = lambda.norm();
  if (size > weight) lambda *= weight / size;
  return lambda;
}

double merit(const ProjectionTask& task, const Vector& most, const ProjectionIterate& iterate) {
  const RowValues& at = iterate.at;
  const Vector z = task.factor.triangularView<Eigen::Lower>().transpose() * (at.x - task.y);
  double sum = 0.5 * z.squaredNorm();
  for (Index i = 0; i < at.c.size(); ++i) {
    const double limit = at.c(i) > 0 ? most(i) : task.least(i);
    if (std::isfinite(limit) && !task.layout.in_norm[static_cast<std::size_t>(i)])
      sum += limit * at.c(i);
  }
  for (std::size_t n = 0; n < iterate.norms.size(); ++n) {
    const auto [first, count] = task.layout.norms[n];
    const NormTerm& term = iterate.norms[n];
    const Vector c = at.c.segment(first, count);
    const Vector lambda = norm_multipliers(term, task.weight(task.layout.norms[n]), c);
    sum += lambda.dot(c) - 0.5 * term.compliance * (lambda - term.shift).squaredNorm();
  }
  return sum;
}

namespace {

// 0 / 0 is no violation.
double relative(double violation, double scale) { return violation > 0 ? violation / scale : 0; }

double row_residual(double c, double multiplier, double least, double most) {
  if (c > 0) return multiplier < most ? c : 0;
  return multiplier > least ? -c : 0;
}

// Forces that cancel leave their rounding.
double force_residual(const ProjectionTask& task, const ProjectionIterate& iterate) {
  const auto L = task.factor.triangularView<Eigen::Lower>();
  const Vector& x = iterate.at.x;
  Vector force = task.M * (x - task.y) + iterate.bound_multipliers +
                 iterate.at.J.transpose() * iterate.row_multipliers;
  Vector terms = iterate.at.J.transpose().cwiseAbs() * iterate.row_multipliers.cwiseAbs() +
                 iterate.bound_multipliers.cwiseAbs();
  L.solveInPlace(force);
  L.solveInPlace(terms);
  const double distance = (L.transpose() * (x - task.y)).norm(), size = (L.transpose() * x).norm();
  return relative(force.norm(), distance + 1e-3 * size + terms.norm());
}

double bound_residual(const ProjectionTask& task, const ProjectionIterate& iterate) {
  const Vector& x = iterate.at.x;
  double worst = 0;
  for (Index j = 0; j < x.size(); ++j) {
    const double mu = iterate.bound_multipliers(j);
    if (mu == 0) continue;
    const double bound = mu > 0 ? task.upper(j) : task.lower(j);
    worst = std::max(worst, relative(std::abs(x(j) - bound), std::abs(x(j)) + std::abs(bound)));
  }
  return worst;
}

}  // namespace

Residual residual(const ProjectionTask& task, const Vector& most,
                  const ProjectionIterate& iterate) {
  const Vector scale = row_scales(task, iterate.at), &c = iterate.at.c;
  const Vector& lambda = iterate.row_multipliers;
  Residual result{.force = force_residual(task, iterate), .rows = bound_residual(task, iterate)};
  for (Index i = 0; i < c.size(); ++i) {
    if (task.layout.in_norm[static_cast<std::size_t>(i)]) continue;
    const double violation = row_residual(c(i), lambda(i), task.least(i), most(i));
    result.rows = std::max(result.rows, relative(violation, scale(i)));
  }
  for (std::size_t n = 0; n < iterate.norms.size(); ++n) {
    const auto [first, count] = task.layout.norms[n];
    const NormTerm& term = iterate.norms[n];
    const double change = (lambda.segment(first, count) - term.shift).norm();
    result.norms = std::max(result.norms,
                            relative(term.compliance * change, scale.segment(first, count).norm()));
  }
  return result;
}

}  // namespace chaosgrad::internal
