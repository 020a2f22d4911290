#include "problem/formula/constraint_checks.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "expression/convexity/curvature.h"
#include "problem/formula/formula_domain.h"
#include "random/random.h"

namespace chaosgrad::internal {
namespace {

const std::string& component_name(const FormulaData& data, Index j) {
  return data.component_names[static_cast<std::size_t>(j)];
}

// Where the bound of component j is written.
SourceSpan bound_span(const std::vector<BoundNode>& bounds, Index j) {
  for (const BoundNode& bound : bounds) {
    if (j < bound.first || j >= bound.first + bound.count) continue;
    return bound.spans[bound.spans.size() == 1 ? 0 : static_cast<std::size_t>(j - bound.first)];
  }
  return {};
}

std::string parameters_in_words(const FormulaData& data, const Matrix& theta) {
  std::string text;
  for (std::size_t k = 0; k < data.parameter_names.size() && k < 4; ++k)
    text += fmt::format("{}{} = {:.6g}", k == 0 ? "" : ", ", data.parameter_names[k],
                        theta(0, static_cast<Index>(k)));
  return text;
}

void check_bounds(const FormulaData& data, const Point& point, const ConstraintBlock& at) {
  const std::string where = parameters_in_words(data, point.theta);
  for (Index j = 0; j < data.dimension; ++j) {
    const double lower = at.lower(0, j), upper = at.upper(0, j);
    for (const auto& [value, bounds, key] :
         {std::tuple(lower, &data.lower, "lower"), std::tuple(upper, &data.upper, "upper")}) {
      if (!std::isnan(value)) continue;
      throw FormulaError(fmt::format("the {} bound of {} is not a number at {}", key,
                                     component_name(data, j), where),
                         bound_span(*bounds, j));
    }
    if (lower > upper) {
      throw FormulaError(
          fmt::format("the lower bound of {} ({:.6g}) is above its upper bound ({:.6g}) at {}",
                      component_name(data, j), lower, upper, where),
          bound_span(data.upper, j));
    }
  }
}

void check_weights(const FormulaData& data, const Point& point, const ConstraintBlock& at,
                   const RowNodes& row) {
  if (!row.check_weight) return;
  const Index count = row.what.count * row.case_count(data.graph);
  const double least = at.most.row(0).segment(row.what.first, count).minCoeff();
  if (least >= 0) return;
  throw FormulaError(
      fmt::format("the weight of this term is negative ({:.6g}) at {}: the objective is not convex "
                  "there",
                  least, parameters_in_words(data, point.theta)),
      row.span);
}

void check_row(const FormulaData& data, const Point& point, const ConstraintBlock& at,
               const RowNodes& row) {
  const Index q = data.dimension;
  for (Index i = 0; i < row.what.count; ++i) {
    const Index r = row.what.first + i;
    const auto slopes = at.jacobian.row(0).segment(r * q, q);
    if (!std::isfinite(at.value(0, r)) || !slopes.allFinite()) {
      const std::array nodes = {row.value};
      const auto bad = Program(data.graph, nodes).first_non_finite(point.inputs());
      throw FormulaError(
          fmt::format("the constraint '{}' is not defined at the start: {} at {}", row.what.name,
                      bad ? bad->reason : "its slope is not a number", describe(data, point)),
          bad && bad->span.text >= 0 ? bad->span : row.span);
    }
    const bool equality = row.what.kind == Constraint::Kind::equality;
    if (row.what.affine && slopes.isZero(0) &&
        (equality ? at.value(0, r) != 0 : at.value(0, r) > 0)) {
      throw FormulaError(
          fmt::format(
              "component {} of '{}' does not depend on the variables, and is violated at {}", i,
              row.what.name, parameters_in_words(data, point.theta)),
          row.span);
    }
  }
}

// Places to look at: near the start and far, between the bounds.
Matrix scattered(const FormulaData& data, const Point& point, Index sample) {
  constexpr double sizes[] = {0.01, 0.1, 1, 10};
  Matrix offset(1, data.dimension);
  fill_uniform(make_stream(0, Purpose::model_offset), sample, offset);
  Vector x = point.x.transpose();
  x += sizes[sample % 4] * (1 + x.norm()) * (2 * offset.array() - 1).matrix().transpose();
  return between_bounds(data, x, point.theta).transpose();
}

// The lowest eigenvalue of ∇²c for row r, if it is below 0 by more than rounding.
std::optional<double> downward(const FormulaData& data, const Point& point, Index r) {
  const Constraints& constraints = *data.facts.constraints;
  const Index q = data.dimension;
  Matrix multipliers = Matrix::Zero(1, constraints.rows()), h(1, q * q);
  multipliers(0, r) = 1;
  constraints.curvature(point.x, point.theta, multipliers, h);
  ConstraintBlock at;
  constraints.evaluate(point.x, point.theta, at);
  if (!h.allFinite() || !std::isfinite(at.value(0, r))) return std::nullopt;
  const Vector values =
      Eigen::SelfAdjointEigenSolver<Matrix>(h.reshaped(q, q), Eigen::EigenvaluesOnly).eigenvalues();
  const double lowest = values.minCoeff();
  const double size = values.cwiseAbs().maxCoeff();
  const double effect =
      -lowest * (1 + point.x.squaredNorm());  // on c, at distances of the size of x
  if (lowest > -1e-8 * size || effect < 1e-10 * (1 + std::abs(at.value(0, r)))) return std::nullopt;
  return lowest;
}

}  // namespace

void check_equalities(const FormulaData& data) {
  for (const RowNodes& row : data.row_nodes) {
    if (row.what.kind != Constraint::Kind::equality || row.what.affine) continue;
    throw FormulaError(
        fmt::format("'{}' is an equality, and not affine in the variables: the x that "
                    "satisfy it form no convex set",
                    row.what.name),
        row.span);
  }
}

void check_constraints_at(const FormulaData& data, const Point& point) {
  if (!data.facts.constraints) return;
  ConstraintBlock at;
  data.facts.constraints->evaluate(point.x, point.theta, at);
  check_bounds(data, point, at);
  for (const RowNodes& row : data.row_nodes) {
    if (row.what.kind == Constraint::Kind::kink)
      check_weights(data, point, at, row);
    else
      check_row(data, point, at, row);
  }
}

void check_convexity(const FormulaData& data) {
  const Index samples = data.dimension > 50 ? 20 : 200;
  for (const RowNodes& row : data.row_nodes) {
    if (row.what.affine || row.is_convex) continue;
    for (Index i = 0; i < samples; ++i) {
      Point point = sample_point(data, i);
      point.x = scattered(data, point, i);
      for (Index r = row.what.first; r < row.what.first + row.what.count; ++r) {
        const std::optional<double> curvature = downward(data, point, r);
        if (!curvature) continue;
        throw FormulaError(
            fmt::format(
                "'{}' is not convex in the variables: written as c <= 0, c bends downwards "
                "(curvature {:.3g}) at {}; keep convex functions below limits, concave ones "
                "above",
                row.what.name, *curvature, describe(data, point)),
            row.span);
      }
    }
  }
}

}  // namespace chaosgrad::internal
