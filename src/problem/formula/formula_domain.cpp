#include "problem/formula/formula_domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chaosgrad/error.h"

namespace chaosgrad::internal {
namespace {

constexpr std::size_t most_names = 4, longest_text = 60;

// The texts of a problem by their number; one that is used twice names none.
std::map<int, std::string> texts_of(const FormulaSpec& spec) {
  std::map<int, std::string> texts;
  std::map<int, int> seen;
  const auto add = [&](const FormulaText& formula) {
    if (++seen[formula.id] == 1 && formula.id >= 0)
      texts[formula.id] = formula.text;
    else
      texts.erase(formula.id);
  };
  add(spec.objective);
  for (const auto& [name, formula] : spec.constraints) add(formula);
  for (const auto& [name, formula] : spec.definitions) add(formula);
  for (const NoiseSpec& noise : spec.noise) {
    for (const auto& [key, formula] : noise.arguments) add(formula);
  }
  return texts;
}

std::string text_in(const std::map<int, std::string>& texts, SourceSpan span) {
  const auto found = texts.find(span.text);
  if (found == texts.end() || span.begin < 0 || span.end <= span.begin) return {};
  std::string text = found->second.substr(static_cast<std::size_t>(span.begin),
                                          static_cast<std::size_t>(span.end - span.begin));
  std::ranges::replace(text, '\n', ' ');
  const auto is_outer = [&] {  // one pair of brackets around all of it
    if (text.front() != '(' || text.back() != ')') return false;
    int depth = 0;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (depth == 0) return false;
    }
    return true;
  };
  while (text.size() > 2 && is_outer()) text = text.substr(1, text.size() - 2);
  return text.size() > longest_text ? std::string{} : text;
}

NamedCondition named(const FormulaData& data, const DomainCondition& condition,
                     const std::map<int, std::string>& texts) {
  NamedCondition result{condition, text_in(texts, data.graph.span(condition.argument))};
  result.shape = data.graph.shape(condition.argument);
  const Dependence found = dependence(data.graph, condition.argument);
  for (const auto& [slot, column] : found.inputs) {
    if (slot == slot_x) result.variables.push_back(column);
  }
  for (std::size_t k = 0; k < data.noise_numbers.size(); ++k) {
    if (std::ranges::binary_search(found.nodes, data.noise_numbers[k].second.id))
      result.noise.push_back(k);
  }
  result.is_variable = found.nodes.size() == 1;
  return result;
}

// The outputs of the program that evaluates the conditions: each margin and argument, then the
// argument at the start and the exponent (or the argument again, where there are none), and after
// all conditions the noise numbers.
constexpr std::size_t outputs_each = 4;

struct Evaluated {
  std::vector<Matrix> values;  // of the outputs, one row each
  [[nodiscard]] const Matrix& margin(std::size_t k) const { return values[outputs_each * k]; }
  // A number stands for all components of a vector.
  [[nodiscard]] double at(std::size_t k, std::size_t output, Index component) const {
    const Matrix& row = values[outputs_each * k + output];
    return row(0, row.size() == 1 ? 0 : component);
  }
};

Evaluated evaluate_conditions(const FormulaData& data, std::span<const Block> inputs) {
  Evaluated found;
  for (const Index width : data.condition_widths) found.values.emplace_back(1, width);
  std::vector<BlockOut> outputs(found.values.begin(), found.values.end());
  Program::Workspace workspace;
  data.condition_program.evaluate(inputs, outputs, workspace);
  return found;
}

// "w[1] = -0.2", "1 + r*w = -0.2 with w = 3, v = 1"; the number alone where there is no text.
std::string value_in_words(const FormulaData& data, std::size_t k, Index component,
                           std::span<const Block> inputs, const Evaluated& found) {
  const NamedCondition& named = data.conditions[k];
  const double value = found.at(k, 1, component);
  if (named.is_variable) {
    const auto column = static_cast<std::size_t>(named.variables[0] + component);
    return fmt::format("{} = {:.6g}", data.component_names[column], value);
  }
  std::string text = fmt::format("{:.6g}", value);
  if (!named.text.empty()) {
    const bool is_vector = named.shape.size() > 1;
    text = fmt::format("{}{} = {}", is_vector ? fmt::format("component {} of ", component) : "",
                       named.text, text);
  }
  std::vector<std::string> names;
  for (const Index column : named.variables) {
    names.push_back(fmt::format("{} = {:.6g}",
                                data.component_names[static_cast<std::size_t>(column)],
                                inputs[slot_x](0, column)));
  }
  for (const std::size_t j : named.noise) {
    const Matrix& number = found.values[outputs_each * data.conditions.size() + j];
    names.push_back(fmt::format("{} = {:.6g}", data.noise_numbers[j].first, number(0, 0)));
  }
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i)
    text += (i == 0 ? " with " : ", ") + names[i];
  return names.size() > most_names ? text + ", …" : text;
}

struct Violation {
  double value, at_start, exponent;
  std::string words;  // the value, what it is of, and where
};

std::string division_reason(const DomainCondition& condition, const Violation& at) {
  const bool power = condition.op == Op::power;
  if (at.value == 0)
    return fmt::format("{} ({})", power ? "zero to a negative power" : "division by zero",
                       at.words);
  return fmt::format(
      "{} a number that has passed zero since the start ({}; it is {:.6g} at the "
      "start)",
      power ? "negative power of" : "division by", at.words, at.at_start);
}

std::string reason(const DomainCondition& condition, bool is_matrix, const Violation& at) {
  const auto either = [&](const char* zero, const char* negative) {
    return fmt::format("{} ({})", at.value == 0 ? zero : negative, at.words);
  };
  switch (condition.op) {
    case Op::log:
      return either("log of zero", "log of a negative number");
    case Op::sqrt:
      return either("square root of zero, the border of its domain",
                    "square root of a negative number");
    case Op::power:
      if (at.exponent == std::floor(at.exponent)) return division_reason(condition, at);
      return fmt::format("{} to the fractional power {:.6g} ({})",
                         at.value == 0 ? "zero" : "negative number", at.exponent, at.words);
    case Op::divide:
      return division_reason(condition, at);
    case Op::solve:
      if (is_matrix)
        return "solve with a matrix that is singular here or on the way from the start";
      return division_reason(condition, at);
    case Op::tan:
      return fmt::format("tan beyond a pole since the start ({}; it is {:.6g} at the start)",
                         at.words, at.at_start);
    case Op::asin:
    case Op::acos:
      return fmt::format("{} of a number outside [-1, 1] ({})",
                         condition.op == Op::asin ? "asin" : "acos", at.words);
    default:
      return fmt::format(
          "quantile at a level outside (0, 1) or of a shape that is not positive "
          "({})",
          at.words);
  }
}

}  // namespace

Range input_range(const FormulaData& data, int slot, Index column, Index count) {
  const auto bounds = [](double lower, double upper, bool nonzero) {
    return Range{lower, upper, nonzero || lower > 0 || upper < 0};
  };
  const auto of = [&](const Distribution& law) {
    if (!law.is_discrete()) return bounds(law.lower(), law.upper(), law.lower() == 0);
    const auto& values = std::get<Discrete>(law.parameters()).values;
    return bounds(law.lower(), law.upper(), std::ranges::find(values, 0.0) == values.end());
  };
  if (slot == slot_theta && count == 1)
    return of(data.measure.marginals()[static_cast<std::size_t>(column)]);
  if (slot == slot_x && data.least_x.size() > 0)
    return bounds(data.least_x.segment(column, count).minCoeff(),
                  data.most_x.segment(column, count).maxCoeff(), false);
  if (slot == slot_noise) return bounds(0x1p-53, 1 - 0x1p-53, true);
  if (slot != slot_table || count != 1) return {};
  if (const auto finite = static_cast<Index>(data.finite.size()); column >= finite) {
    const auto values = data.rows.col(column - finite).array();
    return bounds(values.minCoeff(), values.maxCoeff(), (values != 0).all());
  }
  return of(data.finite[static_cast<std::size_t>(column)]);
}

std::string text_at(const FormulaSpec& spec, SourceSpan span) {
  return text_in(texts_of(spec), span);
}

void add_domain(FormulaData& data, const FormulaSpec& spec) {
  data.conditions.clear();
  data.condition_widths.clear();
  data.domain = find_domain(
      data.graph, data.objective, slot_x, data.facts.start,
      [&](int slot, Index column, Index count) { return input_range(data, slot, column, count); });
  const std::map<int, std::string> texts = texts_of(spec);
  std::vector<Node> outputs;
  for (const DomainCondition& condition : data.domain.conditions) {
    data.conditions.push_back(named(data, condition, texts));
    const auto present = [&](Node node) { return node.id >= 0 ? node : condition.argument; };
    for (const Node node : {condition.margin, condition.argument, present(condition.at_start),
                            present(condition.exponent)})
      outputs.push_back(node);
  }
  if (data.conditions.empty()) return;
  for (const auto& [name, node] : data.noise_numbers) outputs.push_back(node);
  for (const Node node : outputs) data.condition_widths.push_back(data.graph.shape(node).size());
  data.condition_program = Program(data.graph, outputs);
}

std::optional<OutsideDomain> why_outside(const FormulaData& data, std::span<const Block> inputs,
                                         bool border) {
  if (data.conditions.empty()) return std::nullopt;
  const Evaluated found = evaluate_conditions(data, inputs);
  for (std::size_t k = 0; k < data.conditions.size(); ++k) {
    const DomainCondition& condition = data.conditions[k].condition;
    const Matrix& margin = found.margin(k);
    for (Index i = 0; i < margin.size(); ++i) {
      const bool inside = border || condition.strict ? margin(0, i) > 0 : margin(0, i) >= 0;
      if (inside) continue;
      const Violation at{found.at(k, 1, i), found.at(k, 2, i), found.at(k, 3, i),
                         value_in_words(data, k, i, inputs, found)};
      const bool is_matrix = data.conditions[k].shape.cols > 1;
      return OutsideDomain{condition.span, reason(condition, is_matrix, at)};
    }
  }
  return std::nullopt;
}

}  // namespace chaosgrad::internal
