#include "io/problem_file/read_distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "io/csv.h"

namespace chaosgrad::internal {
namespace {

using Values = std::map<std::string, double>;

// What a distribution takes, and how it is made. Arguments with a default are optional.
struct DistributionForm {
  std::string name;
  std::vector<std::pair<std::string, std::optional<double>>> arguments;
  std::function<Distribution(const Values&)> make;
};

const std::vector<DistributionForm>& forms() {
  static const std::optional<double> required;
  static const std::vector<DistributionForm> table = {
      {"uniform",
       {{"lower", required}, {"upper", required}},
       [](const Values& v) {
         return Uniform{v.at("lower"), v.at("upper")};
       }},
      {"normal",
       {{"mean", required}, {"sd", required}},
       [](const Values& v) {
         return Normal{v.at("mean"), v.at("sd")};
       }},
      {"lognormal",
       {{"mu", required}, {"sigma", required}},
       [](const Values& v) {
         return LogNormal{v.at("mu"), v.at("sigma")};
       }},
      {"beta",
       {{"alpha", required}, {"beta", required}, {"lower", 0.0}, {"upper", 1.0}},
       [](const Values& v) {
         return Beta{v.at("alpha"), v.at("beta"), v.at("lower"), v.at("upper")};
       }},
      {"gamma",
       {{"shape", required}, {"scale", required}},
       [](const Values& v) {
         return Gamma{v.at("shape"), v.at("scale")};
       }},
      {"exponential",
       {{"rate", required}},
       [](const Values& v) { return Exponential{v.at("rate")}; }},
      {"triangular",
       {{"lower", required}, {"mode", required}, {"upper", required}},
       [](const Values& v) {
         return Triangular{v.at("lower"), v.at("mode"), v.at("upper")};
       }},
      {"weibull",
       {{"shape", required}, {"scale", required}},
       [](const Values& v) {
         return Weibull{v.at("shape"), v.at("scale")};
       }},
      {"loguniform",
       {{"lower", required}, {"upper", required}},
       [](const Values& v) {
         return LogUniform{v.at("lower"), v.at("upper")};
       }},
      {"truncated_normal",
       {{"mean", required}, {"sd", required}, {"lower", required}, {"upper", required}},
       [](const Values& v) {
         return TruncatedNormal{v.at("mean"), v.at("sd"), v.at("lower"), v.at("upper")};
       }},
  };
  return table;
}

std::vector<std::string> distribution_names() {
  std::vector<std::string> names;
  for (const DistributionForm& form : forms()) names.push_back(form.name);
  names.insert(names.end(), {"discrete", "data"});
  return names;
}

const toml::node& required_key(const TomlDocument& document, const toml::table& table,
                               const std::string& what, std::string_view key) {
  if (const toml::node* node = table.get(key)) return *node;
  document.fail(table, fmt::format("{}: '{}' is missing", what, key));
}

std::vector<std::string> with(std::vector<std::string> keys, const std::vector<std::string>& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

// discrete(values, weights) and data(file, column), which do not depend on θ; nothing for the
// others.
std::optional<Distribution> read_finite(TomlDocument& document, const toml::table& table,
                                        const std::string& kind, const std::string& what,
                                        const std::vector<std::string>& other_keys,
                                        DataFiles& files) {
  if (kind == "discrete") {
    document.require_keys(table, what, with({"distribution", "values", "weights"}, other_keys));
    Discrete discrete{
        document.numbers(required_key(document, table, what, "values"), what + ".values"), {}};
    if (const toml::node* weights = table.get("weights"))
      discrete.weights = document.numbers(*weights, what + ".weights");
    return Distribution(std::move(discrete));
  }
  if (kind != "data") return std::nullopt;
  document.require_keys(table, what, with({"distribution", "file", "column"}, other_keys));
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

const DistributionForm& find_form(const std::string& kind) {
  return *std::find_if(forms().begin(), forms().end(),
                       [&](const DistributionForm& form) { return form.name == kind; });
}

std::string read_kind(const TomlDocument& document, const toml::table& table,
                      const std::string& what) {
  const toml::node& kind = required_key(document, table, what, "distribution");
  const std::vector<std::string> names = distribution_names();
  return names[document.choice(kind, what + ".distribution", names)];
}

void require_arguments(const TomlDocument& document, const toml::table& table,
                       const std::string& what, const DistributionForm& form,
                       const std::vector<std::string>& other_keys) {
  std::vector<std::string> keys = {"distribution"};
  for (const auto& [name, otherwise] : form.arguments) keys.push_back(name);
  document.require_keys(table, what, with(keys, other_keys));
  for (const auto& [name, otherwise] : form.arguments) {
    if (!table.get(name) && !otherwise) {
      document.fail(table,
                    fmt::format("{}: the {} distribution needs '{}'", what, form.name, name));
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

double ConstantScope::evaluate(TomlDocument& document, const toml::node& node,
                               std::string_view what) {
  const FormulaText formula = document.formula(node, what);
  try {
    const std::optional<Matrix> value =
        graph.constant_value(parse(graph, formula.text, names, formula.id));
    if (value && value->size() == 1) return (*value)(0, 0);
  } catch (const FormulaError& error) {
    document.fail(error);
  }
  document.fail(node, fmt::format("{}: expected a number, found a vector", what));
}

Distribution read_distribution(TomlDocument& document, const toml::table& table,
                               const std::string& what, const std::vector<std::string>& other_keys,
                               ConstantScope& constants, DataFiles& files) {
  const std::string kind = read_kind(document, table, what);
  try {
    if (auto finite = read_finite(document, table, kind, what, other_keys, files)) return *finite;
    const DistributionForm& form = find_form(kind);
    require_arguments(document, table, what, form, other_keys);
    Values values;
    for (const auto& [name, otherwise] : form.arguments) {
      const toml::node* node = table.get(name);
      values[name] = node ? constants.evaluate(document, *node, what + "." + name) : *otherwise;
    }
    return form.make(values);
  } catch (const InputError& error) {
    fail_at_argument(document, table, what, error);
  }
}

NoiseSpec read_noise(TomlDocument& document, const std::string& name, const toml::table& table,
                     ConstantScope& constants, DataFiles& files) {
  const std::string what = "noise." + name;
  NoiseSpec spec{.name = name,
                 .finite = {},
                 .distribution = read_kind(document, table, what),
                 .arguments = {}};
  try {
    spec.finite = read_finite(document, table, spec.distribution, what, {}, files);
    if (spec.finite) return spec;
    const DistributionForm& form = find_form(spec.distribution);
    require_arguments(document, table, what, form, {});
    bool constant = true;
    for (const auto& [argument, otherwise] : form.arguments) {
      const toml::node* node = table.get(argument);
      if (!node) continue;
      spec.arguments[argument] = document.formula(*node, what + "." + argument);
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
