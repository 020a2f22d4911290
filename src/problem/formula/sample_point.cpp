#include "problem/formula/sample_point.h"

#include <fmt/format.h>

#include <cmath>

#include "problem/formula/formula_domain.h"
#include "random/random.h"
#include "samples/parameters.h"

namespace chaosgrad::internal {
namespace {

double away_from_bounds(double x, double lower, double upper) {
  if (x > lower && x < upper) return x;
  const bool below = std::isfinite(lower), above = std::isfinite(upper);
  if (below && above) return 0.5 * (lower + upper);
  return below ? lower + 0.1 * (1 + std::abs(lower)) : upper - 0.1 * (1 + std::abs(upper));
}

}  // namespace

Vector between_bounds(const FormulaData& data, const Vector& x, const Matrix& theta, bool inside) {
  if (!data.facts.constraints) return x;
  ConstraintBlock at;
  data.facts.constraints->evaluate(x.transpose(), theta, at);
  Vector moved = x.cwiseMax(at.lower.row(0).transpose()).cwiseMin(at.upper.row(0).transpose());
  for (Index j = 0; inside && j < x.size(); ++j)
    moved(j) = away_from_bounds(moved(j), at.lower(0, j), at.upper(0, j));
  return moved;
}

Point sample_point(const FormulaData& data, Index i) {
  Point point;
  point.theta =
      draw_parameters(data.measure, make_stream(0, Purpose::model_parameters), i, 1).theta;
  point.noise = draw_noise(data.noise_dimension, make_stream(0, Purpose::model_noise), i, 1);
  point.table.resize(1, data.table_columns());
  if (data.noise_dimension > 0) data.fill_table(point.noise, point.table);
  point.x = between_bounds(data, data.facts.start, point.theta).transpose();
  return point;
}

std::string describe(const FormulaData& data, const Point& point) {
  std::string text;
  const auto append = [&](const std::string& name, double value) {
    text += fmt::format("{}{} = {:.6g}", text.empty() ? "" : ", ", name, value);
  };
  for (std::size_t i = 0; i < data.component_names.size() && i < 4; ++i) {
    append(data.component_names[i], point.x(0, static_cast<Index>(i)));
  }
  for (std::size_t k = 0; k < data.parameter_names.size() && k < 4; ++k) {
    append(data.parameter_names[k], point.theta(0, static_cast<Index>(k)));
  }
  return text;
}

void evaluate_at(const Program& program, const Point& point, const std::vector<Index>& widths,
                 Matrix& out, Program::Workspace& workspace) {
  std::vector<BlockOut> outputs;
  for (Index column = 0; const Index width : widths) {
    outputs.emplace_back(out.middleCols(column, width));
    column += width;
  }
  const std::array<Block, 4> inputs = point.inputs();
  program.evaluate(inputs, outputs, workspace);
}

void scatter(const FormulaData& data, Index i, Point& point, double size) {
  Matrix offset(1, data.dimension);
  fill_uniform(make_stream(0, Purpose::model_offset), i, offset);
  point.x.array() += size * (1 + point.x.norm()) * (2 * offset.array() - 1);
}

bool walk_to_kink(const FormulaData& data, const Program& switching, Point& point, Matrix& normal,
                  Program::Workspace& workspace) {
  std::vector<Index> widths = {1};
  widths.insert(widths.end(), data.variable_widths.begin(), data.variable_widths.end());
  Matrix out(1, 1 + data.dimension);
  for (int step = 0; step < 60; ++step) {
    evaluate_at(switching, point, widths, out, workspace);
    if (!out.allFinite()) return false;
    const double s = out(0, 0);
    const double slope = out.rightCols(data.dimension).squaredNorm();
    if (slope > 0) normal = out.rightCols(data.dimension) / std::sqrt(slope);
    if (std::abs(s) <= 1e-13 * (1 + point.x.norm()) * std::sqrt(slope)) return normal.size() > 0;
    if (slope == 0) return s == 0 && normal.size() > 0;
    point.x -= out.rightCols(data.dimension) * (s / slope);
  }
  return false;
}

namespace {

// Whether F, its gradient and the rows are there at the start, not on the border of the domain, at
// samples.
bool is_start_inside(const FormulaData& data) {
  ConstraintBlock at;
  for (Index i = 0; i < 8; ++i) {
    const Point point = sample_point(data, i);
    data.facts.constraints->evaluate(point.x, point.theta, at);
    if (!at.value.allFinite() || !at.jacobian.allFinite()) return false;
    if (why_outside(data, point.inputs(), true)) return false;
    for (const Program* program : {&data.value_program, &data.gradient_program}) {
      if (program->first_non_finite(point.inputs())) return false;
    }
  }
  return true;
}

}  // namespace

bool move_start_inside(FormulaData& data) {
  if ((data.lower.empty() && data.upper.empty()) || is_start_inside(data)) return false;
  const Vector start = data.facts.start;
  Vector inside = between_bounds(data, start, sample_point(data, 0).theta, true);
  // Where bounds vary with θ, a point between all of them.
  for (Index i = 1; i < 8; ++i) inside = between_bounds(data, inside, sample_point(data, i).theta);
  data.facts.start = inside;
  return inside != start;
}

}  // namespace chaosgrad::internal
