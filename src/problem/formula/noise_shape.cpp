#include "problem/formula/noise_shape.h"

#include <algorithm>
#include <array>

namespace chaosgrad::internal {
namespace {

// Formulas with more kinks than this are sampled.
// Origin: every kink is looked for on every line, and each takes all switching functions.
constexpr std::size_t most_kinks = 64;

// The number on whose scale an axis is integrated.
Node chart_variable(FormulaData& data, Index column) {
  const Node uniform = data.graph.input(slot_noise, column);
  const bool normal =
      data.facts.noise_axes[static_cast<std::size_t>(column)].kind == NoiseAxis::Kind::normal;
  return normal ? data.graph.apply(Op::normal_quantile, std::array{uniform}) : uniform;
}

// Affine between the kinks before it, in the number or in the noise that is a monotone function of
// it.
bool is_straight(FormulaData& data, Node switching, Index column) {
  const Node uniform = data.graph.input(slot_noise, column);
  for (const Node variable :
       {chart_variable(data, column), data.noise_values[static_cast<std::size_t>(column)]}) {
    const std::optional<int> degree = piecewise_degree(data.graph, switching, uniform, variable);
    if (degree && *degree <= 1) return true;
  }
  return false;
}

std::vector<Index> noise_columns(const FormulaData& data, Node node) {
  std::vector<Index> columns;
  for (const auto& [slot, column] : dependence(data.graph, node).inputs) {
    if (const Index number = data.noise_number(slot, column); number >= 0)
      columns.push_back(number);
  }
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

void add_degrees(FormulaData& data, NoiseShape& shape) {
  for (Index column = 0; column < data.noise_dimension; ++column) {
    std::optional<int> of_gradient = 0, of_value;
    if (data.facts.noise_axes[static_cast<std::size_t>(column)].kind != NoiseAxis::Kind::cases) {
      const Node uniform = data.graph.input(slot_noise, column);
      const Node variable = chart_variable(data, column);
      of_value = piecewise_degree(data.graph, data.objective, uniform, variable);
      for (const Node part : data.gradient) {
        const std::optional<int> degree = piecewise_degree(data.graph, part, uniform, variable);
        of_gradient =
            of_gradient && degree ? std::optional(std::max(*of_gradient, *degree)) : std::nullopt;
      }
    }
    shape.gradient_degrees.push_back(of_gradient);
    shape.value_degrees.push_back(of_value);
  }
}

}  // namespace

void find_noise_shape(FormulaData& data) {
  if (data.noise_dimension == 0) return;
  NoiseShape shape;
  std::vector<Node> switching;
  for (const Kink& kink : kinks(data.graph, data.objective, slot_noise, KinkOrder::any)) {
    if (kink.is_tip) continue;
    if (kink.is_many || switching.size() == most_kinks) return;
    NoiseShape::Kink found{noise_columns(data, kink.switching), {}};
    for (const Index column : found.numbers) {
      const bool cases =
          data.facts.noise_axes[static_cast<std::size_t>(column)].kind == NoiseAxis::Kind::cases;
      found.straight.push_back(cases || is_straight(data, kink.switching, column));
    }
    shape.kinks.push_back(std::move(found));
    switching.push_back(kink.switching);
  }
  std::vector<Node> functions = data.gradient;
  functions.push_back(data.objective);
  shape.groups = coupled_inputs(data.graph, functions, [&](int slot, Index column) {
    return data.noise_number(slot, column);
  });
  add_degrees(data, shape);
  data.switching_program = Program(data.graph, switching);
  data.noise_shape = std::move(shape);
}

std::shared_ptr<const NoiseShape> shared_noise_shape(
    const std::shared_ptr<const FormulaData>& data) {
  if (!data->noise_shape) return {};
  auto shape = std::make_shared<NoiseShape>(*data->noise_shape);
  const std::vector<Index> widths(shape->kinks.size(), 1);
  shape->switching = [data, widths](const Block& x, const Block& theta, const Block& noise,
                                    BlockOut s) {
    data->run(data->switching_program, widths, x, theta, noise, noise, s);
  };
  return shape;
}

}  // namespace chaosgrad::internal
