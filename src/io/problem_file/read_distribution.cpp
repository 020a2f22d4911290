#include "io/problem_file/read_distribution.h"

#include <fmt/format.h>

#include "io/problem_file/csv.h"
#include "measure/distribution_table.h"

namespace chaosgrad::internal {
namespace {

const toml::node& required_key(const TomlDocument& document, const toml::table& table,
                               const std::string& what, std::string_view key) {
  if (const toml::node* node = table.get(key)) return *node;
  document.fail(table, fmt::format("{}: '{}' is missing", what, key));
}

void require_known_keys(const TomlDocument& document, const toml::table& table,
                        const std::string& what, const DistributionEntry& entry,
                        const std::vector<std::string>& other_keys) {
  std::vector<std::string> keys = {"distribution"};
  for (const DistributionArgument& argument : entry.arguments) keys.emplace_back(argument.key);
  keys.insert(keys.end(), other_keys.begin(), other_keys.end());
  document.require_keys(table, what, keys);
}

// discrete(values, weights) and data(file, column), which do not depend on θ; nothing for the
// others.
std::optional<Distribution> read_finite(TomlDocument& document, const toml::table& table,
                                        const DistributionEntry& entry, const std::string& what,
                                        const std::vector<std::string>& other_keys,
                                        DataFiles& files) {
  if (entry.make) return std::nullopt;
  require_known_keys(document, table, what, entry, other_keys);
  if (entry.name == "discrete") {
    Discrete discrete{
        document.numbers(required_key(document, table, what, "values"), what + ".values"), {}};
    if (const toml::node* weights = table.get("weights"))
      discrete.weights = document.numbers(*weights, what + ".weights");
    return Distribution(std::move(discrete));
  }
  const toml::node& file = required_key(document, table, what, "file");
  const toml::node& column_node = required_key(document, table, what, "column");
  const CsvTable csv = parse_csv(files.content(document, file, what + ".file"),
                                 document.string(file, what + ".file"));
  const std::string name = document.string(column_node, what + ".column");
  const Index column = csv.column(name);
  if (column < 0) {
    const auto near = nearest_name(name, csv.columns);
    document.fail(column_node, fmt::format("{}: the file has no column '{}'{}", what, name,
                                           near ? fmt::format("; did you mean '{}'?", *near) : ""));
  }
  const Vector values = csv.rows.col(column);
  return Distribution(Discrete{{values.begin(), values.end()}, {}});
}

const DistributionEntry& read_entry(const TomlDocument& document, const toml::table& table,
                                    const std::string& what) {
  const toml::node& kind = required_key(document, table, what, "distribution");
  return distribution_table()[document.choice(kind, what + ".distribution", distribution_names())];
}

void require_arguments(const TomlDocument& document, const toml::table& table,
                       const std::string& what, const DistributionEntry& entry,
                       const std::vector<std::string>& other_keys) {
  require_known_keys(document, table, what, entry, other_keys);
  for (const DistributionArgument& argument : entry.arguments) {
    if (!table.get(argument.key) && !argument.fallback) {
      document.fail(
          table, fmt::format("{}: the {} distribution needs '{}'", what, entry.name, argument.key));
    }
  }
}

// An invalid distribution, told at the argument that is wrong.
[[noreturn]] void fail_at_argument(const TomlDocument& document, const toml::table& table,
                                   const std::string& what, const InputError& error) {
  const toml::node* node = table.get(error.field());
  document.fail(node ? *node : table, fmt::format("{}.{}", what, error.what()));
}

}  // namespace

const std::string& DataFiles::content(const TomlDocument& document, const toml::node& node,
                                      std::string_view what) {
  const std::string name = document.string(node, what);
  if (const auto found = source_.files.find(name); found != source_.files.end())
    return found->second;
  const std::string path =
      name.starts_with('/') || source_.directory.empty() ? name : source_.directory + "/" + name;
  try {
    return source_.files.emplace(name, read_file(path)).first->second;
  } catch (const IoError& error) {
    document.fail(node, fmt::format("{}: {}", what, error.what()));
  }
}

Matrix ConstantScope::evaluate(TomlDocument& document, const toml::node& node,
                               std::string_view what) {
  const FormulaText formula = document.formula(node, what);
  try {
    // All names are constants, and so is what is made of them.
    return *graph.constant_value(parse(graph, formula.text, names, formula.id));
  } catch (const FormulaError& error) {
    document.fail(error);
  }
}

double ConstantScope::number(TomlDocument& document, const toml::node& node,
                             std::string_view what) {
  const Matrix value = evaluate(document, node, what);
  if (value.size() == 1) return value(0, 0);
  document.fail(node, fmt::format("{}: expected a number, found a vector", what));
}

Distribution read_distribution(TomlDocument& document, const toml::table& table,
                               const std::string& what, const std::vector<std::string>& other_keys,
                               ConstantScope& constants, DataFiles& files) {
  const DistributionEntry& entry = read_entry(document, table, what);
  try {
    if (auto finite = read_finite(document, table, entry, what, other_keys, files)) return *finite;
    require_arguments(document, table, what, entry, other_keys);
    std::vector<double> values;
    for (const DistributionArgument& argument : entry.arguments) {
      const toml::node* node = table.get(argument.key);
      values.push_back(
          node ? constants.number(document, *node, fmt::format("{}.{}", what, argument.key))
               : *argument.fallback);
    }
    return entry.make(values);
  } catch (const InputError& error) {
    fail_at_argument(document, table, what, error);
  }
}

NoiseSpec read_noise(TomlDocument& document, const std::string& name, const toml::table& table,
                     ConstantScope& constants, DataFiles& files) {
  const std::string what = "noise." + name;
  const DistributionEntry& entry = read_entry(document, table, what);
  NoiseSpec spec{
      .name = name, .finite = {}, .distribution = std::string(entry.name), .arguments = {}};
  try {
    spec.finite = read_finite(document, table, entry, what, {}, files);
    if (spec.finite) return spec;
    require_arguments(document, table, what, entry, {});
    bool constant = true;
    for (const DistributionArgument& argument : entry.arguments) {
      const toml::node* node = table.get(argument.key);
      if (!node) continue;
      spec.arguments[std::string(argument.key)] =
          document.formula(*node, fmt::format("{}.{}", what, argument.key));
      constant = constant && node->is_number();
    }
    // Plain numbers are checked here, with the distribution's own words; formulas when θ is known.
    if (constant) static_cast<void>(read_distribution(document, table, what, {}, constants, files));
    return spec;
  } catch (const InputError& error) {
    fail_at_argument(document, table, what, error);
  }
}

}  // namespace chaosgrad::internal
