// A problem written as formulas.
#include <fmt/format.h>

#include "io/problem_file/csv.h"
#include "io/problem_file/file_table.h"
#include "io/problem_file/read_problem.h"
#include "measure/distribution_table.h"

namespace chaosgrad::internal {
namespace {

void read_constants(TomlDocument& document, DataFiles& files, ConstantScope& constants,
                    FormulaSpec& spec) {
  const toml::table* section = document.section("constants");
  if (!section) return;
  for (const TomlDocument::Entry& entry : document.entries(*section)) {
    require_word(document, entry, "constants");
    const std::string what = "constants." + entry.key;
    Matrix value;
    if (const toml::table* table = entry.value->as_table()) {
      document.require_keys(*table, what, keys_of("constants"));
      const toml::node* file = table->get("file");
      if (!file) document.fail(*entry.value, what + ": expected { file = \"…\" }");
      value = parse_csv_matrix(files.content(document, *file, what), document.string(*file, what));
    } else if (entry.value->is_string()) {
      value = constants.evaluate(document, *entry.value, what);
    } else {
      value = document.matrix(*entry.value, what);
    }
    constants.names.insert_or_assign(entry.key, constants.graph.constant(value));
    spec.constants.emplace_back(entry.key, std::move(value));
  }
}

void read_basis(const TomlDocument& document, const toml::node& node, const std::string& what,
                ParameterSpec& parameter) {
  std::vector<std::string> names;
  for (const BasisChoice& choice : basis_choices()) names.emplace_back(choice.name);
  const BasisChoice& choice = basis_choices()[document.choice(node, what, names)];
  const auto require = [&](bool fits, const std::string& needed) {
    if (fits) return;
    document.fail(node, fmt::format("{}: a {} basis needs a {} distribution, found {}", what,
                                    choice.name, needed, parameter.distribution.name()));
  };
  if (choice.kind == Family::Kind::fourier)
    require(std::holds_alternative<Uniform>(parameter.distribution.parameters()), "uniform");
  if (choice.logarithmic)
    require(logarithm(parameter.distribution).has_value(), names_with_logarithm());
  parameter.basis = choice.kind;
  parameter.logarithmic = choice.logarithmic;
}

void read_parameters(TomlDocument& document, DataFiles& files, ConstantScope& constants,
                     FormulaSpec& spec) {
  const toml::table* section = document.section("parameters");
  if (!section || section->empty()) {
    document.fail(section ? *section : document.root(),
                  "[parameters]: at least one uncertain parameter is needed");
  }
  for (const TomlDocument::Entry& entry : document.entries(*section)) {
    require_word(document, entry, "parameters");
    const std::string what = "parameters." + entry.key;
    const toml::table& table = document.table(*entry.value, what);
    ParameterSpec parameter{.name = entry.key,
                            .distribution = read_distribution(
                                document, table, what, keys_of("parameters"), constants, files)};
    if (const toml::node* basis = table.get("basis"))
      read_basis(document, *basis, what + ".basis", parameter);
    if (const toml::node* breakpoints = table.get("breakpoints")) {
      for (const toml::node& point : document.array(*breakpoints, what + ".breakpoints")) {
        parameter.breakpoints.push_back(constants.number(document, point, what + ".breakpoints"));
      }
    }
    spec.parameters.push_back(std::move(parameter));
  }
}

void read_dependence(TomlDocument& document, FormulaSpec& spec) {
  const toml::table* section = document.section("dependence");
  if (!section) return;
  document.require_keys(*section, "[dependence]", keys_of("dependence"));
  if (const toml::node* copula = section->get("copula")) {
    static_cast<void>(document.choice(*copula, "dependence.copula", {"gaussian"}));
  }
  const toml::node* correlation = section->get("correlation");
  if (!correlation) document.fail(*section, "dependence: 'correlation' is missing");
  spec.correlation = document.matrix(*correlation, "dependence.correlation");
}

// Where no basis is chosen. Its moments do not determine the lognormal distribution: polynomials in
// θ are not dense there, those in log θ are. A correlated parameter has normal germs anyway.
void choose_bases(TomlDocument& document, FormulaSpec& spec) {
  const toml::table& section = *document.section("parameters");
  for (std::size_t k = 0; k < spec.parameters.size(); ++k) {
    ParameterSpec& parameter = spec.parameters[k];
    const bool chosen = section.get(parameter.name)->as_table()->get("basis") != nullptr;
    const auto row = static_cast<Index>(k);
    const bool correlated = spec.correlation && row < spec.correlation->rows() &&
                            (spec.correlation->row(row).array() != 0).count() > 1;
    if (!chosen && !correlated)
      parameter.logarithmic =
          std::holds_alternative<LogNormal>(parameter.distribution.parameters());
  }
}

void read_table(TomlDocument& document, const toml::table& section, DataFiles& files,
                FormulaSpec& spec) {
  const toml::node& file = *section.get("data");
  const CsvTable csv =
      parse_csv(files.content(document, file, "noise.data"), document.string(file, "noise.data"));
  NoiseTable table{csv.columns, csv.rows, {}};
  if (const toml::node* vectors = section.get("vectors")) {
    for (const TomlDocument::Entry& entry :
         document.entries(document.table(*vectors, "noise.vectors"))) {
      require_word(document, entry, "noise.vectors");
      table.vectors.emplace_back(entry.key,
                                 document.strings(*entry.value, "noise.vectors." + entry.key));
    }
  }
  spec.table = std::move(table);
}

void read_noise_section(TomlDocument& document, DataFiles& files, ConstantScope& constants,
                        FormulaSpec& spec) {
  const toml::table* section = document.section("noise");
  if (!section) return;
  if (section->get("vectors") && !section->get("data")) {
    document.fail(*section->get("vectors"),
                  "noise.vectors: needs noise.data, the table whose columns it bundles");
  }
  for (const TomlDocument::Entry& entry : document.entries(*section)) {
    if (entry.key == "data" && entry.value->is_string()) {
      read_table(document, *section, files, spec);
    } else if (!(entry.key == "vectors" && section->get("data"))) {
      require_word(document, entry, "noise");
      spec.noise.push_back(read_noise(document, entry.key,
                                      document.table(*entry.value, "noise." + entry.key), constants,
                                      files));
    }
  }
}

// A number or a formula, or a list of them.
std::vector<FormulaText> read_bound(TomlDocument& document, const toml::table& variable,
                                    const char* key, const std::string& what) {
  const toml::node* node = variable.get(key);
  if (!node) return {};
  const std::string field = what + "." + key;
  if (!node->is_array()) return {document.bound(*node, field)};
  std::vector<FormulaText> bounds;
  for (const toml::node& entry : document.array(*node, field))
    bounds.push_back(document.bound(entry, field));
  return bounds;
}

void read_variables(TomlDocument& document, FormulaSpec& spec) {
  const toml::table* section = document.section("variables");
  if (!section || section->empty()) {
    document.fail(section ? *section : document.root(),
                  "[variables]: at least one variable is needed (q = 0)");
  }
  for (const TomlDocument::Entry& entry : document.entries(*section)) {
    require_word(document, entry, "variables");
    const std::string what = "variables." + entry.key;
    const toml::table& table = document.table(*entry.value, what);
    document.require_keys(table, what, keys_of("variables"));
    VariableSpec variable{.name = entry.key, .is_vector = false, .start = Vector::Zero(1)};
    if (const toml::node* size = table.get("size")) {
      const Index count = document.integer(*size, what + ".size");
      if (count < 1 || count > 1'000'000) {
        document.fail(*size, fmt::format("{}.size: expected a number from 1 to 1000000, found {}",
                                         what, count));
      }
      variable.start = Vector::Zero(count);
      variable.is_vector = true;
    }
    if (const toml::node* start = table.get("start")) {
      const Matrix value = document.matrix(*start, what + ".start");
      if (start->is_array()) {
        if (table.get("size") && value.size() != variable.start.size()) {
          document.fail(*start, fmt::format("{}.start: expected {} numbers, found {}", what,
                                            variable.start.size(), value.size()));
        }
        variable.start = value.reshaped();
        variable.is_vector = true;
      } else {
        variable.start.setConstant(value(0, 0));
      }
    }
    variable.lower = read_bound(document, table, "lower", what);
    variable.upper = read_bound(document, table, "upper", what);
    spec.variables.push_back(std::move(variable));
  }
}

void read_objective(TomlDocument& document, FormulaSpec& spec) {
  const toml::table* section = document.section("objective");
  if (!section)
    document.fail(document.root(), "[objective] is missing: expected minimize = \"a formula\"");
  const bool external = names_model(document);
  document.require_keys(*section, external ? "[objective] with a model" : "[objective]",
                        keys_of(external ? "objective (model)" : "objective"));
  const toml::node* minimize = section->get("minimize");
  if (!minimize && !external)
    document.fail(*section, "objective: expected minimize = \"a formula\"");
  if (minimize) spec.objective = document.formula(*minimize, "objective.minimize");
  const auto optional = [&](const char* key, std::optional<FormulaText>& target) {
    if (const toml::node* node = section->get(key))
      target = document.formula(*node, fmt::format("objective.{}", key));
  };
  optional("strong_convexity", spec.strong_convexity);
  optional("smoothness", spec.smoothness);
  optional("noise_variance", spec.noise_variance);
  optional("noise_growth", spec.noise_growth);
}

void check_reference(const TomlDocument& document, const FormulaSpec& spec) {
  const toml::table* section = document.section("reference");
  if (!section) return;
  std::vector<std::string> names;
  for (const VariableSpec& variable : spec.variables) names.push_back(variable.name);
  document.require_keys(*section, "[reference]", names);
}

}  // namespace

FormulaSpec read_formula_spec(TomlDocument& document, ProblemSource& source) {
  DataFiles files(source);
  ConstantScope constants;
  FormulaSpec spec;
  read_constants(document, files, constants, spec);
  read_parameters(document, files, constants, spec);
  read_dependence(document, spec);
  choose_bases(document, spec);
  read_noise_section(document, files, constants, spec);
  read_variables(document, spec);
  spec.definitions = read_formulas(document, "definitions");
  spec.constraints = read_formulas(document, "constraints");
  read_objective(document, spec);
  check_reference(document, spec);
  spec.reference = read_formulas(document, "reference");
  spec.quantities = read_formulas(document, "quantities");
  return spec;
}

}  // namespace chaosgrad::internal
