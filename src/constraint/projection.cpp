#include "constraint/projection.h"

#include <fmt/format.h>

#include <cmath>

namespace chaosgrad::internal {
namespace {

using Kind = Constraint::Kind;

// c(x) = A x − b about one row of a block.
struct AffineRows {
  Matrix A;  // p×q
  Vector b;
};

AffineRows affine_rows(const ConstraintBlock& at, Index sample, const Vector& x) {
  const Index p = at.value.cols(), q = x.size();
  AffineRows rows{Matrix(p, q), Vector(p)};
  for (Index i = 0; i < p; ++i) rows.A.row(i) = at.jacobian.row(sample).segment(i * q, q);
  rows.b.noalias() = rows.A * x;
  rows.b -= at.value.row(sample).transpose();
  return rows;
}

Projection project_affine(const ConstraintBlock& at, Index sample, const Matrix& factor,
                          const Vector& y, const std::vector<Index>& guess) {
  const AffineRows rows = affine_rows(at, sample, y);
  const Vector lower = at.lower.row(sample), upper = at.upper.row(sample);
  const Vector least = at.least.row(sample), most = at.most.row(sample);
  QuadraticSolution solution = solve({factor, y, lower, upper, rows.A, rows.b, least, most}, guess);
  Projection result;
  result.outcome = solution.outcome;
  result.x = std::move(solution.x);
  result.force = solution.bound_multipliers;
  result.force.noalias() += rows.A.transpose() * solution.row_multipliers;
  result.bound_multipliers = std::move(solution.bound_multipliers);
  result.row_multipliers = std::move(solution.row_multipliers);
  result.violated = solution.violated;
  result.working = std::move(solution.working);
  return result;
}

}  // namespace

Projection project(const Constraints& constraints, const Vector& theta, const Matrix& factor,
                   const Vector& y, const std::vector<Index>& guess) {
  ConstraintBlock at;
  constraints.evaluate(y.transpose(), theta.transpose(), at);
  return project_affine(at, 0, factor, y, guess);
}

// Nothing is guessed from one sample to the next: the answer does not depend on how samples are
// put into blocks.
std::vector<Projection> project_block(const Constraints& constraints, const Block& theta,
                                      const std::vector<Matrix>& factors, const Block& y) {
  ConstraintBlock at;
  constraints.evaluate(y, theta, at);
  std::vector<Projection> result;
  for (Index b = 0; b < y.rows(); ++b) {
    const Matrix& factor = factors[factors.size() == 1 ? 0 : static_cast<std::size_t>(b)];
    result.push_back(project_affine(at, b, factor, y.row(b), {}));
  }
  return result;
}

namespace {

// max { λ c : least ≤ λ ≤ most }, limits that are finite.
double kink_value(const Constraint& kink, const ConstraintBlock& at) {
  const auto c = at.value.row(0).segment(kink.first, kink.count);
  if (kink.norm) return at.most(0, kink.first) * c.norm();
  const auto least = at.least.row(0).segment(kink.first, kink.count);
  const auto most = at.most.row(0).segment(kink.first, kink.count);
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
  const AffineRows rows = affine_rows(at, 0, x);
  const Index p = constraints.rows(), q = x.size();
  ConstraintState state;
  for (const Constraint& entry : constraints.list()) {
    if (entry.kind == Kind::kink) state.kinks += kink_value(entry, at);
    if (entry.kind != Kind::inequality && entry.kind != Kind::equality) continue;
    for (Index i = entry.first; i < entry.first + entry.count; ++i) {
      const double c = at.value(0, i);
      keep_worst(state, i, entry.kind == Kind::equality ? std::abs(c) : c, rows.b(i));
    }
  }
  for (Index j = 0; j < q; ++j) {
    keep_worst(state, p + j, x(j) - at.upper(0, j), at.upper(0, j));
    keep_worst(state, p + j, at.lower(0, j) - x(j), at.lower(0, j));
  }
  return state;
}

std::string name_of(const Constraints& constraints, Index violated, bool above) {
  const Index p = constraints.rows();
  const Kind side = above ? Kind::upper : Kind::lower;
  const Index number = violated < p ? violated : violated - p;
  for (const Constraint& entry : constraints.list()) {
    const bool is_bound = entry.kind == Kind::lower || entry.kind == Kind::upper;
    if (is_bound != (violated >= p) || (is_bound && entry.kind != side)) continue;
    const Index at = number - entry.first;
    if (at < 0 || at >= entry.count) continue;
    return entry.is_list ? fmt::format("{}[{}]", entry.name, at) : entry.name;
  }
  return violated < p ? fmt::format("row {}", number) : fmt::format("x[{}]", number);
}

}  // namespace chaosgrad::internal
