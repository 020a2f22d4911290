#include "problem/formula/noise.h"

#include <algorithm>
#include <array>

#include "chaosgrad/error.h"
#include "measure/distribution_table.h"
#include "problem/formula/formula_data.h"
#include "problem/names.h"

namespace chaosgrad::internal {
namespace {

Node parse_number(Graph& graph, const FormulaText& formula, const Scope& names) {
  const Node node = parse(graph, formula.text, names, formula.id);
  if (!graph.shape(node).is_scalar())
    throw FormulaError("expected a number, found a vector", span_of(formula));
  return node;
}

// The arguments as nodes, by their keys: formulas in `names`, or defaults.
Scope parse_arguments(Graph& graph, const NoiseSpec& spec, const DistributionEntry& entry,
                      const Scope& names) {
  Scope arguments;
  for (const DistributionArgument& argument : entry.arguments) {
    const std::string key(argument.key);
    const auto found = spec.arguments.find(key);
    if (found != spec.arguments.end()) {
      arguments[key] = parse_number(graph, found->second, names);
    } else if (argument.fallback) {
      arguments[key] = graph.constant(*argument.fallback);
    } else {
      throw InputError("noise." + spec.name,
                       "the " + spec.distribution + " distribution needs '" + key + "'");
    }
  }
  return arguments;
}

// What must be positive wherever θ may be.
std::vector<PositiveArgument> positive_arguments(Graph& graph, const NoiseSpec& spec,
                                                 const DistributionEntry& entry,
                                                 const Scope& arguments) {
  std::vector<PositiveArgument> result;
  for (const DistributionArgument& argument : entry.arguments) {
    const std::string key(argument.key);
    const bool above_lower = argument.rule == ArgumentRule::above_lower ||
                             argument.rule == ArgumentRule::extended_above_lower;
    if (argument.rule != ArgumentRule::positive && !above_lower) continue;
    Node value = arguments.at(key);
    if (above_lower) value = graph.apply(Op::subtract, std::array{value, arguments.at("lower")});
    const auto given = spec.arguments.find(key);
    result.push_back({value, key + " must be " + std::string(in_words(argument.rule)),
                      given == spec.arguments.end() ? SourceSpan{} : span_of(given->second)});
  }
  return result;
}

void add_table(FormulaData& data, const NoiseTable& table, Names& names) {
  const Index first = static_cast<Index>(data.finite.size());
  data.rows = table.rows;
  data.row_source = data.noise_dimension++;
  data.noise_values.emplace_back();
  const auto count = static_cast<double>(table.rows.rows());
  data.facts.noise_axes.push_back(
      {NoiseAxis::Kind::cases, Vector::Constant(table.rows.rows(), 1.0 / count)});
  std::map<std::string, Node> columns;
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const Node node = data.graph.input(slot_table, first + static_cast<Index>(j));
    columns[table.columns[j]] = node;
    // A column may have a name that is not a word of the formula language; it is then reachable
    // through `vectors` only.
    names.add(table.columns[j], node, "noise.data");
    data.noise_numbers.emplace_back(table.columns[j], node);
  }
  for (const auto& [name, members] : table.vectors) {
    std::vector<Node> parts;
    for (const std::string& member : members) {
      const auto found = columns.find(member);
      if (found == columns.end()) {
        const auto near = nearest_name(member, table.columns);
        throw InputError("noise.vectors." + name,
                         "the data has no column '" + member + "'" +
                             (near ? "; did you mean '" + *near + "'?" : ""));
      }
      parts.push_back(found->second);
    }
    if (parts.empty())
      throw InputError("noise.vectors." + name, "expected at least one column name");
    names.add(name, data.graph.apply(Op::stack, parts), "noise.vectors");
  }
}

}  // namespace

NoiseFormula make_noise(Graph& graph, const NoiseSpec& spec, Node uniform, const Scope& names) {
  const DistributionEntry* entry = find_distribution(spec.distribution);
  if (!entry || entry->quantile.empty())
    throw InputError("noise", "unknown distribution '" + spec.distribution + "'");
  Scope arguments = parse_arguments(graph, spec, *entry, names);
  NoiseFormula noise;
  noise.positive = positive_arguments(graph, spec, *entry, arguments);
  arguments["u"] = uniform;
  noise.value = parse(graph, entry->quantile, arguments);
  noise.axis = {entry->in_normal_score ? NoiseAxis::Kind::normal : NoiseAxis::Kind::uniform};
  return noise;
}

void add_noise(FormulaData& data, const FormulaSpec& spec, const Scope& argument_names,
               Names& names) {
  for (const NoiseSpec& noise : spec.noise) {
    const Index column = data.noise_dimension++;
    if (noise.finite) {
      const auto& discrete = std::get<Discrete>(noise.finite->parameters());
      data.facts.noise_axes.push_back(
          {NoiseAxis::Kind::cases,
           Eigen::Map<const Vector>(discrete.weights.data(),
                                    static_cast<Index>(discrete.weights.size()))});
      names.add(noise.name, data.graph.input(slot_table, static_cast<Index>(data.finite.size())),
                "noise");
      data.noise_numbers.emplace_back(
          noise.name, data.graph.input(slot_table, static_cast<Index>(data.finite.size())));
      data.finite.push_back(*noise.finite);
      data.finite_source.push_back(column);
      data.noise_values.emplace_back();
      continue;
    }
    NoiseFormula formula =
        make_noise(data.graph, noise, data.graph.input(slot_noise, column), argument_names);
    data.facts.noise_axes.push_back(formula.axis);
    data.positive.insert(data.positive.end(), formula.positive.begin(), formula.positive.end());
    names.add(noise.name, formula.value, "noise");
    data.noise_numbers.emplace_back(noise.name, formula.value);
    data.noise_values.push_back(formula.value);
  }
  if (spec.table) add_table(data, *spec.table, names);
}

void find_noise_degrees(FormulaData& data) {
  for (Index column = 0; column < data.noise_dimension; ++column) {
    NoiseAxis& axis = data.facts.noise_axes[static_cast<std::size_t>(column)];
    if (axis.kind == NoiseAxis::Kind::cases) continue;
    const Node uniform = data.graph.input(slot_noise, column);
    const Node variable = axis.kind == NoiseAxis::Kind::normal
                              ? data.graph.apply(Op::normal_quantile, std::array{uniform})
                              : uniform;
    axis.degree = 0;
    for (const Node part : data.gradient) {
      const std::optional<int> degree = polynomial_degree(data.graph, part, uniform, variable);
      axis.degree =
          axis.degree && degree ? std::optional(std::max(*axis.degree, *degree)) : std::nullopt;
    }
  }
}

void drop_noise(FormulaData& data) {
  data.noise_dimension = 0;
  data.facts.noise_axes.clear();
  data.finite.clear();
  data.finite_source.clear();
  data.rows.resize(0, 0);
  data.row_source = -1;
  data.noise_numbers.clear();
  data.noise_values.clear();
}

}  // namespace chaosgrad::internal
