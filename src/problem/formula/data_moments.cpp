#include "problem/formula/data_moments.h"

#include <array>
#include <map>

namespace chaosgrad::internal {
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
    data->run(data->expected->gradient_program, data->variable_widths, x, theta,
              Matrix(), Matrix(), g);
  };
  result->value = [data](const Block& x, const Block& theta, BlockOut f) {
    data->run(data->expected->value_program, {1}, x, theta, Matrix(), Matrix(), f);
  };
  result->hessian = [data](const Block& x, const Block& theta, BlockOut h) {
    data->run(data->expected_hessian_program(), data->hessian_widths(), x, theta,
              Matrix(), Matrix(), h);
  };
  result->operations = data->expected->gradient_program.operations();
  return result;
}

}  // namespace chaosgrad::internal
