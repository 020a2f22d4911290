#include "constraint/projection.h"

#include <cmath>
#include <functional>
#include <optional>

#include "constraint/bound_active_set.h"
#include "constraint/sequential_projection.h"

namespace chaosgrad::internal {
namespace {

using Kind = Constraint::Kind;

// With more rows than this (those of a data set) the working set of a sample is the guess for the
// next one of its block; with fewer nothing is guessed, so that an answer does not depend, not even
// by its rounding, on how samples are put into blocks.
constexpr Index few_rows = 64;

// Whether x satisfies the rows whose multipliers have no limits. A y so far out that rounding is all
// that is left of x has no projection.
bool satisfies(const Matrix& rows, const Vector& right, const Vector& least, const Vector& most,
               const Vector& x) {
  constexpr double allowed = 1e-9;  // relative
  for (Index i = 0; i < rows.rows(); ++i) {
    if (std::isfinite(most(i))) continue;
    const double c = rows.row(i).dot(x) - right(i);
    const double violation = std::isfinite(least(i)) ? c : std::abs(c);
    if (!(violation <= allowed * (1 + std::abs(right(i))))) return false;
  }
  return true;
}

// `at` holds the rows at x = 0: b = −c(0) for c = A x − b, without the rounding of A y.
Projection project_affine(const ConstraintBlock& at, Index sample, const Matrix& factor,
                          const Vector& y, const std::vector<Index>& guess,
                          const BoundActiveSet* of_metric) {
  const Matrix rows = row_values(at, sample, y).J;
  const Vector right = -at.value.row(sample);
  const Vector lower = at.lower.row(sample), upper = at.upper.row(sample);
  const Vector least = at.least.row(sample), most = at.most.row(sample);
  QuadraticSolution solution =
      solve({factor, y, lower, upper, rows, right, least, most}, guess, of_metric);
  Projection result;
  result.outcome = solution.outcome;
  result.x = std::move(solution.x);
  result.force = solution.bound_multipliers;
  result.force.noalias() += rows.transpose() * solution.row_multipliers;
  result.bound_multipliers = std::move(solution.bound_multipliers);
  result.row_multipliers = std::move(solution.row_multipliers);
  result.violated = solution.violated;
  result.working = std::move(solution.working);
  const bool solved = result.outcome == QuadraticSolution::Outcome::solved;
  if (solved && !satisfies(rows, right, least, most, result.x))
    result.outcome = QuadraticSolution::Outcome::unfinished;
  return result;
}

// All samples that are not finished advance together: rows are evaluated a block at a time.
void advance_all(const Constraints& constraints, const Block& theta, bool all_affine,
                 std::vector<SequentialProjection>& projections) {
  const Index q = constraints.dimension(), p = constraints.rows();
  for (;;) {
    std::vector<Index> open;
    for (std::size_t b = 0; b < projections.size(); ++b)
      if (!projections[b].is_finished()) open.push_back(static_cast<Index>(b));
    if (open.empty()) return;
    const auto n = static_cast<Index>(open.size());
    Matrix x(n, q), multipliers(n, p), curvature(n, all_affine ? 0 : q * q);
    for (Index b = 0; b < n; ++b) {
      const SequentialProjection& one =
          projections[static_cast<std::size_t>(open[static_cast<std::size_t>(b)])];
      x.row(b) = one.point().transpose();
      multipliers.row(b) = one.curvature_multipliers().transpose();
    }
    const Matrix own_theta = theta(open, Eigen::all);
    ConstraintBlock at;
    constraints.evaluate(x, own_theta, at);
    if (!all_affine) constraints.curvature(x, own_theta, multipliers, curvature);
    for (Index b = 0; b < n; ++b) {
      RowValues values = row_values(at, b, x.row(b));
      if (!all_affine) values.curvature = curvature.row(b).reshaped(q, q);
      projections[static_cast<std::size_t>(open[static_cast<std::size_t>(b)])].advance(
          std::move(values));
    }
  }
}

using Factors = std::function<const Matrix&(Index)>;  // of each sample

std::vector<Projection> project_all_affine(const ConstraintBlock& at, const Factors& factor,
                                           const Block& y, const std::vector<Index>& guess) {
  const Index p = at.value.cols(), q = y.cols();
  const bool chained = p > few_rows;
  const Matrix* metric = nullptr;  // that `of_metric` is for
  std::optional<BoundActiveSet> of_metric;
  std::vector<Projection> result;
  for (Index b = 0; b < y.rows(); ++b) {
    const Matrix& L = factor(b);
    if (has_many_bounds(p, q) && metric != &L) {
      of_metric.emplace(L);
      metric = &L;
    }
    result.push_back(project_affine(at, b, L, y.row(b),
                                    chained && b > 0 ? result.back().working : guess,
                                    of_metric ? &*of_metric : nullptr));
  }
  return result;
}

std::vector<Projection> project_all(const Constraints& constraints, const Block& theta,
                                    const Factors& factor, const Block& y,
                                    const std::vector<Index>& guess) {
  const RowLayout layout(constraints);
  ConstraintBlock at;
  constraints.evaluate(Matrix::Zero(y.rows(), y.cols()), theta, at);
  if (layout.is_quadratic()) return project_all_affine(at, factor, y, guess);
  std::vector<SequentialProjection> projections;
  for (Index b = 0; b < y.rows(); ++b)
    projections.emplace_back(layout, factor(b), y.row(b), at, b, guess);
  advance_all(constraints, theta, layout.all_affine, projections);
  std::vector<Projection> result;
  for (SequentialProjection& one : projections) result.push_back(std::move(one).result());
  return result;
}

}  // namespace

Projection project(const Constraints& constraints, const Vector& theta, const Matrix& factor,
                   const Vector& y, const std::vector<Index>& guess) {
  const auto the_factor = [&](Index) -> const Matrix& { return factor; };
  return std::move(
      project_all(constraints, theta.transpose(), the_factor, y.transpose(), guess).front());
}

std::vector<Projection> project_block(const Constraints& constraints, const Block& theta,
                                      const std::vector<Matrix>& factors, const Block& y) {
  const auto factor = [&](Index b) -> const Matrix& {
    return factors[factors.size() == 1 ? 0 : static_cast<std::size_t>(b)];
  };
  return project_all(constraints, theta, factor, y, {});
}

namespace {

// max { λ c : least ≤ λ ≤ most }, limits that are finite.
double kink_value(const Constraint& kink, const ConstraintBlock& at, Index sample) {
  const auto c = at.value.row(sample).segment(kink.first, kink.count);
  if (kink.norm) return at.most(sample, kink.first) * c.norm();
  const auto least = at.least.row(sample).segment(kink.first, kink.count);
  const auto most = at.most.row(sample).segment(kink.first, kink.count);
  return least.cwiseProduct(c).cwiseMax(most.cwiseProduct(c)).sum();
}

void keep_worst(ConstraintState& state, Index number, double violation, double limit) {
  const double relative = violation / (1 + std::abs(limit));
  if (!(relative > state.violation)) return;
  state.violation = relative;
  state.worst = number;
}

}  // namespace

ConstraintState state_at(const Constraints& constraints, const Vector& theta, const Vector& x) {
  ConstraintBlock at;
  constraints.evaluate(x.transpose(), theta.transpose(), at);
  const Vector right = row_values(at, 0, x).J * x - at.value.row(0).transpose();
  const Index p = constraints.rows(), q = x.size();
  ConstraintState state;
  for (const Constraint& entry : constraints.list()) {
    if (entry.kind == Kind::kink) state.kinks += kink_value(entry, at, 0);
    if (entry.kind != Kind::inequality && entry.kind != Kind::equality) continue;
    for (Index i = entry.first; i < entry.first + entry.count; ++i) {
      const double c = at.value(0, i);
      keep_worst(state, i, entry.kind == Kind::equality ? std::abs(c) : c, right(i));
    }
  }
  for (Index j = 0; j < q; ++j) {
    keep_worst(state, p + j, x(j) - at.upper(0, j), at.upper(0, j));
    keep_worst(state, p + j, at.lower(0, j) - x(j), at.lower(0, j));
  }
  return state;
}

Vector kinks_at(const Constraints& constraints, const Block& theta, const Block& x) {
  ConstraintBlock at;
  constraints.evaluate(x, theta, at);
  Vector sums = Vector::Zero(x.rows());
  for (const Constraint& entry : constraints.list()) {
    if (entry.kind != Kind::kink) continue;
    for (Index b = 0; b < x.rows(); ++b) sums(b) += kink_value(entry, at, b);
  }
  return sums;
}

}  // namespace chaosgrad::internal
