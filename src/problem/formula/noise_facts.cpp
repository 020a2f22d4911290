#include "problem/formula/noise_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

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

namespace {

// Origin: about a tenth of a second to expand and differentiate; ridge regression on 100 columns
// makes 5,000.
constexpr Index most_terms = 40000;

// E of a product of columns of the table: columns of one noise number are drawn together, those of
// different ones independently.
double table_moment(const FormulaData& data, const std::vector<Index>& columns) {
  const auto finite = static_cast<Index>(data.finite.size());
  std::map<Index, std::vector<Index>> by_number;
  for (const Index column : columns)
    by_number[data.noise_number(slot_table, column)].push_back(column);
  double moment = 1;
  for (const auto& [number, own] : by_number) {
    if (number == data.row_source) {
      Vector products = Vector::Ones(data.rows.rows());
      for (const Index column : own) products.array() *= data.rows.col(column - finite).array();
      moment *= products.mean();
      continue;
    }
    const auto& law =
        std::get<Discrete>(data.finite[static_cast<std::size_t>(own[0])].parameters());
    double mean = 0, weights = 0;
    for (std::size_t i = 0; i < law.values.size(); ++i) {
      mean += law.weights[i] * std::pow(law.values[i], static_cast<double>(own.size()));
      weights += law.weights[i];
    }
    moment *= mean / weights;
  }
  return moment;
}

}  // namespace

void compile_moments(FormulaData& data) {
  if (!data.graph.depends_on(data.objective, slot_table) ||
      data.graph.depends_on(data.objective, slot_noise))
    return;
  std::map<std::vector<Index>, double> known;
  const std::optional<Node> objective = expected_polynomial(
      data.graph, data.objective, slot_table,
      [&](const std::vector<Index>& columns) {
        const auto [at, made] = known.try_emplace(columns, 0);
        if (made) at->second = table_moment(data, columns);
        return at->second;
      },
      most_terms);
  if (!objective) return;
  const std::vector<Node> slopes = gradient(data.graph, *objective, data.variables);
  FormulaData::Expected expected{
      .objective = *objective, .gradient = slopes, .value_program = {}, .gradient_program = {}};
  expected.value_program = Program(data.graph, std::array{*objective}, {}, data.domain.inside);
  expected.gradient_program = Program(data.graph, slopes, {}, data.domain.inside);
  data.expected = std::move(expected);
}

std::shared_ptr<const Expectation> shared_expectation(
    const std::shared_ptr<const FormulaData>& data) {
  if (!data->expected) return {};
  auto result = std::make_shared<Expectation>();
  result->gradient = [data](const Block& x, const Block& theta, BlockOut g) {
    data->run(data->expected->gradient_program, data->variable_widths, x, theta, Matrix(), Matrix(),
              g);
  };
  result->value = [data](const Block& x, const Block& theta, BlockOut f) {
    data->run(data->expected->value_program, {1}, x, theta, Matrix(), Matrix(), f);
  };
  result->hessian = [data](const Block& x, const Block& theta, BlockOut h) {
    data->run(data->expected_hessian_program(), data->hessian_widths(), x, theta, Matrix(),
              Matrix(), h);
  };
  result->operations = data->expected->gradient_program.operations();
  return result;
}

}  // namespace chaosgrad::internal
