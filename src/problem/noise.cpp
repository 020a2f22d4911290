#include "problem/noise.h"

#include "problem/names.h"

#include <array>

#include "chaosgrad/error.h"
#include "measure/distribution_table.h"

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

}  // namespace chaosgrad::internal
