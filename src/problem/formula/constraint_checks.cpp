#include "problem/formula/constraint_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "expression/convexity/curvature.h"
#include "numeric/decompositions.h"
#include "problem/formula/formula_domain.h"

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
      fmt::format("the weight of this kink is negative ({:.6g}) at {}: the objective is not convex "
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
  const Vector values = symmetric_eigenvalues(h.reshaped(q, q));
  const double lowest = values.minCoeff();
  const double size = values.cwiseAbs().maxCoeff();
  const double effect =
      -lowest * (1 + point.x.squaredNorm());  // on c, at distances of the size of x
  if (lowest > -1e-8 * size || effect < 1e-10 * (1 + std::abs(at.value(0, r)))) return std::nullopt;
  return lowest;
}

// Whether c ≥ 0 at a point on the surface of a kink, and its gradient jumps there: a jump stays when
// the two sides come closer, the change of a smooth gradient shrinks.
bool jumps_at_limit(const FormulaData& data, const Program& row, const Point& at,
                    const Matrix& normal) {
  std::vector<Index> widths = {1};
  widths.insert(widths.end(), data.variable_widths.begin(), data.variable_widths.end());
  Program::Workspace workspace;
  Matrix out[2] = {Matrix(1, 1 + data.dimension), Matrix(1, 1 + data.dimension)};
  double jump[2], size = 0;
  for (int step = 0; step < 2; ++step) {
    const double h = (step == 0 ? 1e-6 : 1e-8) * (1 + at.x.norm());
    for (int side = 0; side < 2; ++side) {
      Point beside = at;
      beside.x += normal * (side == 0 ? -h : h);
      evaluate_at(row, beside, widths, out[side], workspace);
      if (!out[side].allFinite() || out[side](0, 0) < -1e-6) return false;
    }
    jump[step] = (out[1] - out[0]).rightCols(data.dimension).norm();
    size = out[0].rightCols(data.dimension).norm() + out[1].rightCols(data.dimension).norm();
  }
  return jump[1] > 0.5 * jump[0] && jump[1] > 1e-7 * size;
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

void check_row_kinks(const FormulaData& data, const Point& point, Index i) {
  Program::Workspace workspace;
  for (const RowKinkProgram& kink : data.row_kink_programs) {
    Point there = point;
    Matrix normal;
    constexpr double sizes[] = {1, 4, 16};
    scatter(data, i, there, sizes[i % 3]);
    if (!walk_to_kink(data, kink.switching, there, normal, workspace)) continue;
    const RowNodes& row = data.row_nodes[kink.row_nodes];
    if (!jumps_at_limit(data, kink.row, there, normal)) continue;
    throw FormulaError(
        fmt::format("'{}' has a kink where it reaches its limit, as at {}: write a constraint for "
                    "each side, [a, b, c] <= d for max(a, b, c) <= d",
                    row.what.name, describe(data, there)),
        row.span);
  }
}

void check_convexity(const FormulaData& data) {
  const Index samples = data.dimension > 50 ? 20 : 200;
  for (const RowNodes& row : data.row_nodes) {
    if (row.what.affine || row.is_convex) continue;
    for (Index i = 0; i < samples; ++i) {
      // Near the start and far, between the bounds.
      constexpr double sizes[] = {0.01, 0.1, 1, 10};
      Point point = sample_point(data, i);
      scatter(data, i, point, sizes[i % 4]);
      point.x = between_bounds(data, point.x.transpose(), point.theta).transpose();
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
