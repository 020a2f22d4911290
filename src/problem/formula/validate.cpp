// What no solver could survive, found before it starts: values that are not real numbers, and kinks
// that no noise smooths.
#include "problem/formula/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "problem/formula/constraint_checks.h"
#include "problem/formula/formula_domain.h"
#include "problem/formula/sample_point.h"

namespace chaosgrad {
using namespace internal;
namespace {

[[noreturn]] void fail(const FormulaData& data, const Point& point, const std::string& reason,
                       SourceSpan span) {
  throw FormulaError(reason + " at " + describe(data, point),
                     span.text < 0 ? data.objective_span : span);
}

void require_finite(const FormulaData& data, const Point& point) {
  const std::array<Block, 4> inputs = point.inputs();
  for (const Program* program : {&data.value_program, &data.gradient_program}) {
    if (const auto bad = program->first_non_finite(inputs))
      fail(data, point, bad->reason, bad->span);
  }
}

// Whether value and gradient are, at the sample with other variables (rows of x).
bool all_finite_beside(const FormulaData& data, const Point& point, const Matrix& x) {
  Matrix value(x.rows(), 1), slope(x.rows(), data.dimension);
  const Matrix theta = point.theta.replicate(x.rows(), 1);
  const Matrix noise = point.noise.replicate(x.rows(), 1);
  BlockOut value_out(value), slope_out(slope);
  data.run(data.value_program, {1}, x, theta, noise, noise, value_out);
  data.run(data.gradient_program, data.variable_widths, x, theta, noise, noise, slope_out);
  return value.allFinite() && slope.allFinite();
}

// The start must lie inside of the domain, not on its border, and the value and the gradient must
// be real numbers there and right beside it in each coordinate, as far as the domain reaches; with
// many coordinates in some of them at each sample, all samples together in each.
void check_finite(const FormulaData& data, const Point& point, Index sample) {
  constexpr Index most_coordinates = 64;
  const Index stride = (data.dimension + most_coordinates - 1) / most_coordinates;
  std::vector<Index> coordinates;
  for (Index j = sample % stride; j < data.dimension; j += stride) coordinates.push_back(j);
  const Index neighbours = 2 * static_cast<Index>(coordinates.size());
  if (const auto outside = why_outside(data, point.inputs(), true))
    fail(data, point, outside->reason, outside->span);
  require_finite(data, point);
  for (Index first = 0; first < neighbours; first += block_size) {
    const Index rows = std::min(block_size, neighbours - first);
    Matrix x = point.x.replicate(rows, 1);
    for (Index i = 0; i < rows; ++i) {
      double& moved = x(i, coordinates[static_cast<std::size_t>((first + i) / 2)]);
      moved += ((first + i) % 2 == 0 ? -1e-6 : 1e-6) * (1 + std::abs(moved));
      x.row(i) = between_bounds(data, x.row(i).transpose(), point.theta).transpose();
    }
    if (all_finite_beside(data, point, x)) continue;
    for (Index i = 0; i < rows; ++i) {
      Point beside = point;
      beside.x = x.row(i);
      if (!why_outside(data, beside.inputs())) require_finite(data, beside);
    }
  }
}

// The jump of (F, ∇F) across the kink at distance h on either side, and the size of ∇F there.
std::pair<double, double> jump(const FormulaData& data, const Point& at, const Matrix& normal,
                               double h, Program::Workspace& workspace) {
  Matrix value[2] = {Matrix(1, 1), Matrix(1, 1)};
  Matrix slope[2] = {Matrix(1, data.dimension), Matrix(1, data.dimension)};
  for (int side = 0; side < 2; ++side) {
    Point point = at;
    point.x += normal * (side == 0 ? -h : h);
    evaluate_at(data.value_program, point, {1}, value[side], workspace);
    evaluate_at(data.gradient_program, point, data.variable_widths, slope[side], workspace);
    if (!value[side].allFinite() || !slope[side].allFinite())
      return {0, 0};  // the edge of the domain, not a kink
  }
  return {std::abs(value[1](0, 0) - value[0](0, 0)) + (slope[1] - slope[0]).norm(),
          slope[0].norm() + slope[1].norm()};
}

void check_kink(const FormulaData& data, const KinkProgram& program, Point point, Index i) {
  Program::Workspace workspace;
  Matrix normal;
  scatter(data, i, point);
  point.x = between_bounds(data, point.x.transpose(), point.theta, true).transpose();
  if (!walk_to_kink(data, program.switching, point, normal, workspace)) return;
  const Vector there = point.x.transpose();
  if (between_bounds(data, there, point.theta) != there) return;
  // A jump stays when the two sides come closer; the change of a smooth gradient shrinks with the
  // distance.
  const double h = 1e-6 * (1 + point.x.norm());
  const auto [far, size] = jump(data, point, normal, h, workspace);
  const auto [near, unused] = jump(data, point, normal, h / 100, workspace);
  if (near > 0.5 * far && near > 1e-7 * size) {
    throw FormulaError(
        fmt::format(
            "the objective is not differentiable in the variables: its gradient jumps at {}. Kinks "
            "are understood where abs, max(a, b), norm1 or norm2 of affine functions are added "
            "with weights >= 0, those at the same place together; here smooth the kink, let noise "
            "enter it, or give the largest of "
            "several terms a variable of its own: minimize t with constraints a <= t, b <= t, …",
            describe(data, point)),
        program.span.text < 0 ? data.objective_span : program.span);
  }
}

void check_noise_arguments(const FormulaData& data, const Point& point) {
  Program::Workspace workspace;
  Matrix value(1, 1);
  for (std::size_t j = 0; j < data.positive.size(); ++j) {
    evaluate_at(data.positive_programs[j], point, {1}, value, workspace);
    if (!(value(0, 0) > 0)) {
      const PositiveArgument& argument = data.positive[j];
      throw FormulaError(fmt::format("{}; it is {:.6g} at {}", argument.description, value(0, 0),
                                     describe(data, point)),
                         argument.span);
    }
  }
}

}  // namespace

std::string FormulaProblem::explain(const Block& x, const Block& theta, const Block& noise) const {
  Point point{x, theta, noise, Matrix(1, data_->table_columns())};
  if (data_->noise_dimension > 0) data_->fill_table(point.noise, point.table);
  const std::array<Block, 4> inputs = point.inputs();
  if (const auto outside = why_outside(*data_, inputs)) return outside->reason;
  for (const Program* program : {&data_->value_program, &data_->gradient_program}) {
    if (const auto bad = program->first_non_finite(inputs)) return bad->reason;
  }
  return {};
}

void FormulaProblem::validate(Index points) const { validate_formulas(*data_, points); }

void internal::validate_formulas(const FormulaData& data, Index points) {
  for (Index i = 0; i < points; ++i) {
    const Point point = sample_point(data, i);
    check_noise_arguments(data, point);
    check_constraints_at(data, point);
    check_finite(data, point, i);
    for (const KinkProgram& program : data.kink_programs) check_kink(data, program, point, i);
    check_row_kinks(data, point, i);
  }
  check_convexity(data);
}

}  // namespace chaosgrad
