// How a FormulaProblem is made of its formulas.
#include "problem/formula/formula_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "chaosgrad/error.h"
#include "numeric/pack.h"
#include "problem/formula/constraint_rows.h"
#include "problem/formula/formula_domain.h"
#include "problem/formula/known_functions.h"
#include "problem/formula/noise_facts.h"
#include "problem/formula/objective_kinks.h"
#include "problem/formula/sample_point.h"
#include "problem/names.h"

namespace chaosgrad::internal {
namespace {

Measure measure_of(const FormulaSpec& spec) {
  std::vector<Distribution> marginals;
  for (const ParameterSpec& parameter : spec.parameters)
    marginals.push_back(parameter.distribution);
  Measure measure = spec.correlation ? Measure(std::move(marginals), *spec.correlation)
                                     : Measure(std::move(marginals));
  for (std::size_t k = 0; k < spec.parameters.size(); ++k) {
    if (spec.parameters[k].logarithmic) measure = measure.with_logarithm(static_cast<Index>(k));
  }
  return measure;
}

double constant_formula(Graph& graph, const FormulaText& formula, const Scope& names) {
  const std::optional<Matrix> value =
      graph.constant_value(parse(graph, formula.text, names, formula.id));
  if (!value || value->size() != 1) {
    throw FormulaError("expected a number or a formula of constants", span_of(formula));
  }
  return (*value)(0, 0);
}

void add_reference(FormulaData& data, const FormulaSpec& spec, const Scope& names) {
  if (spec.reference.empty()) return;
  std::vector<Node> outputs;
  for (const VariableSpec& variable : spec.variables) {
    const auto found =
        std::find_if(spec.reference.begin(), spec.reference.end(),
                     [&](const auto& entry) { return entry.first == variable.name; });
    if (found == spec.reference.end()) {
      throw InputError("reference",
                       "expected a formula for every variable; '" + variable.name + "' has none");
    }
    const Node node = parse(data.graph, found->second.text, names, found->second.id);
    if (data.graph.shape(node).size() != variable.start.size()) {
      throw FormulaError("'" + variable.name + "' has " + std::to_string(variable.start.size()) +
                             " components, this formula has " +
                             std::to_string(data.graph.shape(node).size()),
                         span_of(found->second));
    }
    for (const int slot : {slot_x, slot_noise, slot_table}) {
      if (data.graph.depends_on(node, slot)) {
        throw FormulaError("the reference may depend on the parameters only",
                           span_of(found->second));
      }
    }
    outputs.push_back(node);
  }
  data.reference_program = Program(data.graph, outputs);
  data.has_reference = true;
}

void add_checks(FormulaData& data) {
  const auto with_slopes = [&](Node node) {
    std::vector<Node> outputs = {node};
    const std::vector<Node> slopes = gradient(data.graph, node, data.variables);
    outputs.insert(outputs.end(), slopes.begin(), slopes.end());
    return Program(data.graph, outputs);
  };
  for (const PositiveArgument& argument : data.positive) {
    data.positive_programs.emplace_back(data.graph, std::array{argument.value});
  }
  for (const Kink& kink : kinks(data.graph, data.objective, slot_x)) {
    if (is_smoothed(data, data.graph, kink.switching)) continue;
    data.kink_programs.push_back({kink.span, with_slopes(kink.switching)});
  }
  for (std::size_t k = 0; k < data.row_nodes.size(); ++k) {
    const RowNodes& row = data.row_nodes[k];
    if (row.what.kind == Constraint::Kind::kink || row.what.affine) continue;
    for (Index i = 0; i < row.what.count; ++i) {
      const Node part = data.graph.element(row.value, i);
      for (const Kink& kink : kinks(data.graph, part, slot_x)) {
        if (!kink.is_tip)
          data.row_kink_programs.push_back({k, with_slopes(kink.switching), with_slopes(part)});
      }
    }
  }
}

void add_parameters(FormulaData& data, const FormulaSpec& spec, Names& names) {
  for (std::size_t k = 0; k < spec.parameters.size(); ++k) {
    const ParameterSpec& parameter = spec.parameters[k];
    names.add(parameter.name, data.graph.input(slot_theta, static_cast<Index>(k)), "parameters");
    data.parameter_names.push_back(parameter.name);
    data.facts.bases.push_back(parameter.basis);
    data.facts.breakpoints.push_back(parameter.breakpoints);
  }
}

void add_variables(FormulaData& data, const FormulaSpec& spec, Names& names) {
  if (spec.variables.empty())
    throw InputError("variables", "at least one variable is needed, found none");
  for (const VariableSpec& variable : spec.variables) {
    const Index size = variable.start.size();
    data.variables.push_back(data.graph.input(slot_x, data.dimension, {size, 1}));
    names.add(variable.name, data.variables.back(), "variables");
    append_component_names(variable, data.component_names);
    data.facts.start.conservativeResize(data.dimension + size);
    data.facts.start.tail(size) = variable.start;
    data.dimension += size;
    data.variable_widths.push_back(size);
  }
}

// Whether a constraint, or a term that was taken out of the objective, has some of these columns of
// x. In "minimize r subject to |c − a| <= r" the objective alone does not depend on c.
bool is_in_rows(const FormulaData& data, Index first, Index count) {
  return std::ranges::any_of(data.row_nodes, [&](const RowNodes& row) {
    return std::ranges::any_of(dependence(data.graph, row.value).inputs, [&](const auto& input) {
      return input.first == slot_x && input.second >= first && input.second < first + count;
    });
  });
}

// The objective, its kinks as rows, and the gradient of what is left.
void add_objective(FormulaData& data, const FormulaSpec& spec, const Scope& names) {
  data.objective_span = span_of(spec.objective);
  data.objective = scalar_formula(data.graph, spec.objective, names);
  const bool has_noise = data.graph.depends_on(data.objective, slot_table);
  split_objective(data, spec);
  data.gradient = gradient(data.graph, data.objective, data.variables);
  Index first = 0;
  for (std::size_t i = 0; i < data.variables.size(); ++i) {
    const Index width = data.variable_widths[i];
    const auto value = data.graph.constant_value(data.gradient[i]);
    if (value && value->isZero(0) && !is_in_rows(data, first, width)) {
      throw FormulaError(
          fmt::format("{} not depend on '{}'",
                      data.row_nodes.empty() ? "the objective does"
                                             : "the objective and the constraints do",
                      spec.variables[i].name),
          data.objective_span);
    }
    first += width;
  }
  compile_constraints(data, spec);
  // All of the noise may have gone into the rows.
  bool needs_noise = !has_noise || data.graph.depends_on(data.objective, slot_table) ||
                     data.graph.depends_on(data.objective, slot_noise);
  for (std::size_t i = 0; !needs_noise && i < spec.quantities.size(); ++i) {
    const Node node = scalar_formula(data.graph, spec.quantities[i].second, names);
    needs_noise =
        data.graph.depends_on(node, slot_table) || data.graph.depends_on(node, slot_noise);
  }
  if (!needs_noise) drop_noise(data);
}

// ½|x|² in the place of an objective that is no formula.
void add_stand_in(FormulaData& data, const FormulaSpec& spec, const Scope& names) {
  std::string text;
  for (const VariableSpec& variable : spec.variables) {
    const char* square = variable.is_vector ? "{0}dot({1}, {1})/2" : "{0}{1}^2/2";
    text += fmt::format(fmt::runtime(square), text.empty() ? "" : " + ", variable.name);
  }
  data.objective = parse(data.graph, text, names);
  data.gradient = gradient(data.graph, data.objective, data.variables);
  compile_constraints(data, spec);
  std::vector<Node> noise;
  for (const auto& [name, node] : data.noise_numbers) noise.push_back(node);
  data.noise_program = Program(data.graph, noise);
  data.facts.may_fail = true;
}

void compile_objective(FormulaData& data, const FormulaSpec& spec) {
  add_domain(data, spec);
  data.value_program = Program(data.graph, std::array{data.objective}, {}, data.domain.inside);
  data.gradient_program = Program(data.graph, data.gradient, {}, data.domain.inside);
}

void add_quantities(FormulaData& data, const FormulaSpec& spec, const Scope& names) {
  std::vector<Node> nodes;
  for (const auto& [name, formula] : spec.quantities) {
    nodes.push_back(scalar_formula(data.graph, formula, names));
    data.quantity_names.push_back(name);
    data.quantity_widths.push_back(1);
  }
  data.quantity_program = Program(data.graph, nodes);
}

void add_constants_of_problem(FormulaData& data, const FormulaSpec& spec, const Scope& names) {
  ProblemFacts& facts = data.facts;
  const auto constant_fact = [&](const std::optional<FormulaText>& formula,
                                 std::optional<double>& fact, const std::string& condition,
                                 auto holds) {
    if (!formula) return;
    fact = constant_formula(data.graph, *formula, names);
    if (!holds(*fact)) throw FormulaError("expected a number " + condition, span_of(*formula));
  };
  const auto positive_number = [](double value) { return value > 0; };
  constant_fact(spec.strong_convexity, facts.strong_convexity, "above 0", positive_number);
  constant_fact(
      spec.smoothness, facts.smoothness, "that is not below strong_convexity",
      [&](double value) { return value > 0 && value >= facts.strong_convexity.value_or(0); });
  constant_fact(spec.noise_variance, facts.noise_variance, "that is not negative",
                [](double v) { return v >= 0; });
  constant_fact(spec.noise_growth, facts.noise_growth, "of at least 1",
                [](double v) { return v >= 1; });
}

}  // namespace

FormulaData::FormulaData(const FormulaSpec& spec, ObjectiveKind kind) : measure(measure_of(spec)) {
  const bool external = kind == ObjectiveKind::external;
  Names names;
  for (const auto& [name, value] : spec.constants)
    names.add(name, graph.constant(value), "constants");
  add_parameters(*this, spec, names);
  const Scope constants_and_parameters = names.scope();
  add_noise(*this, spec, constants_and_parameters, names);
  add_variables(*this, spec, names);
  for (const auto& [name, formula] : spec.definitions) {
    names.add(name, parse(graph, formula.text, names.scope(), formula.id), "definitions");
  }

  add_bounds(*this, spec, names.scope());
  add_constraints(*this, spec, names.scope());
  if (external) {
    add_stand_in(*this, spec, names.scope());
  } else {
    add_objective(*this, spec, names.scope());
    find_noise_degrees(*this);
    find_noise_shape(*this);
    facts.row_group = simd::width;
  }
  facts.parameter_names = parameter_names;
  facts.variable_names = component_names;
  compile_objective(*this, spec);
  if (move_start_inside(*this)) compile_objective(*this, spec);
  if (!external) {
    compile_moments(*this);
    facts.operations = gradient_program.operations();
    const std::vector<GivenNode> given =
        add_known_functions(graph, gradient, spec.parameters, facts);
    if (!given.empty()) known_gradient_program = Program(graph, gradient, given, domain.inside);
  }
  add_reference(*this, spec, names.scope());
  add_quantities(*this, spec, names.scope());
  add_checks(*this);
  add_constants_of_problem(*this, spec, names.scope());
}

}  // namespace chaosgrad::internal
