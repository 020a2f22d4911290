#include "chaosgrad/formula.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "chaosgrad/error.h"
#include "numeric/pack.h"
#include "problem/constraint_rows.h"
#include "problem/formula_data.h"
#include "problem/formula_domain.h"
#include "problem/known_functions.h"
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

void add_table(FormulaData& data, const NoiseTable& table, Names& names) {
  const Index first = static_cast<Index>(data.finite.size());
  data.rows = table.rows;
  data.row_source = data.noise_dimension++;
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
      continue;
    }
    NoiseFormula formula =
        make_noise(data.graph, noise, data.graph.input(slot_noise, column), argument_names);
    data.facts.noise_axes.push_back(formula.axis);
    data.positive.insert(data.positive.end(), formula.positive.begin(), formula.positive.end());
    names.add(noise.name, formula.value, "noise");
    data.noise_numbers.emplace_back(noise.name, formula.value);
  }
  if (spec.table) add_table(data, *spec.table, names);
}

// Where the gradient is a polynomial in a noise number, its expectation needs a Gauss rule only.
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
  for (const PositiveArgument& argument : data.positive) {
    data.positive_programs.emplace_back(data.graph, std::array{argument.value});
  }
  for (const Kink& kink : kinks(data.graph, data.objective, slot_x)) {
    if (data.graph.depends_on(kink.switching, slot_noise) ||
        data.graph.depends_on(kink.switching, slot_table))
      continue;
    std::vector<Node> outputs = {kink.switching};
    const std::vector<Node> slopes = gradient(data.graph, kink.switching, data.variables);
    outputs.insert(outputs.end(), slopes.begin(), slopes.end());
    data.kink_programs.push_back({kink.span, Program(data.graph, outputs)});
  }
}

}  // namespace

FormulaData::FormulaData(const FormulaSpec& spec) : measure(measure_of(spec)) {
  Names names;
  for (const auto& [name, value] : spec.constants)
    names.add(name, graph.constant(value), "constants");
  for (std::size_t k = 0; k < spec.parameters.size(); ++k) {
    const ParameterSpec& parameter = spec.parameters[k];
    names.add(parameter.name, graph.input(slot_theta, static_cast<Index>(k)), "parameters");
    parameter_names.push_back(parameter.name);
    facts.bases.push_back(parameter.basis);
    facts.breakpoints.push_back(parameter.breakpoints);
  }
  const Scope constants_and_parameters = names.scope();
  add_noise(*this, spec, constants_and_parameters, names);

  if (spec.variables.empty())
    throw InputError("variables", "at least one variable is needed, found none");
  for (const VariableSpec& variable : spec.variables) {
    const Index size = variable.start.size();
    variables.push_back(graph.input(slot_x, dimension, {size, 1}));
    names.add(variable.name, variables.back(), "variables");
    append_component_names(variable, component_names);
    facts.start.conservativeResize(dimension + size);
    facts.start.tail(size) = variable.start;
    dimension += size;
    variable_widths.push_back(size);
  }
  for (const auto& [name, formula] : spec.definitions) {
    names.add(name, parse(graph, formula.text, names.scope(), formula.id), "definitions");
  }

  add_bounds(*this, spec, names.scope());
  add_constraints(*this, spec, names.scope());
  objective_span = span_of(spec.objective);
  objective = scalar_formula(graph, spec.objective, names.scope());
  gradient = internal::gradient(graph, objective, variables);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (const auto value = graph.constant_value(gradient[i]); value && value->isZero(0)) {
      throw FormulaError("the objective does not depend on '" + spec.variables[i].name + "'",
                         objective_span);
    }
  }
  find_noise_degrees(*this);
  facts.row_group = simd::width;
  facts.parameter_names = parameter_names;
  facts.variable_names = component_names;
  add_domain(*this, spec);
  value_program = Program(graph, std::array{objective}, {}, domain.inside);
  gradient_program = Program(graph, gradient, {}, domain.inside);
  facts.operations = gradient_program.operations();
  const std::vector<GivenNode> given = add_known_functions(graph, gradient, spec.parameters, facts);
  if (!given.empty()) known_gradient_program = Program(graph, gradient, given, domain.inside);
  add_reference(*this, spec, names.scope());

  std::vector<Node> quantity_nodes;
  for (const auto& [name, formula] : spec.quantities) {
    quantity_nodes.push_back(scalar_formula(graph, formula, names.scope()));
    quantity_names.push_back(name);
    quantity_widths.push_back(1);
  }
  quantity_program = Program(graph, quantity_nodes);
  compile_constraints(*this, spec);
  add_checks(*this);

  const auto constant_fact = [&](const std::optional<FormulaText>& formula,
                                 std::optional<double>& fact, const std::string& condition,
                                 auto holds) {
    if (!formula) return;
    fact = constant_formula(graph, *formula, names.scope());
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

const Program& FormulaData::hessian_program() const {
  std::call_once(hessian_made, [&] {
    std::vector<Node> entries;
    for (const Node part : gradient) {
      const Index size = graph.shape(part).size();
      for (Index i = 0; i < size; ++i) {
        const Node slope = size == 1 ? part : graph.element(part, i);
        for (const Node entry : internal::gradient(graph, slope, variables))
          entries.push_back(entry);
      }
    }
    hessian_code = Program(graph, entries, {}, domain.inside);
  });
  return hessian_code;
}

void FormulaData::fill_table(const Block& noise, Matrix& table) const {
  const Index count = noise.rows();
  for (std::size_t j = 0; j < finite.size(); ++j) {
    finite[j].quantile(noise.col(finite_source[j]).data(), table.col(static_cast<Index>(j)).data(),
                       count);
  }
  if (row_source < 0) return;
  const Index first = static_cast<Index>(finite.size());
  for (Index i = 0; i < count; ++i) {
    const auto row = static_cast<Index>(noise(i, row_source) * static_cast<double>(rows.rows()));
    for (Index j = 0; j < rows.cols(); ++j) table(i, first + j) = rows(row, j);
  }
}

void FormulaData::run(const Program& program, const std::vector<Index>& widths, const Block& x,
                      const Block& theta, const Block& noise, const Block& known,
                      BlockOut& out) const {
  Scratch& local = scratch.local();
  if (table_columns() > 0 && noise.rows() > 0) {
    if (local.table.rows() != block_size) local.table.resize(block_size, table_columns());
    fill_table(noise, local.table);
  }
  const Index count = theta.rows();
  const std::array<Block, 5> inputs = {
      x, theta, noise, local.table.topRows(local.table.rows() > 0 ? count : 0), known};
  std::vector<BlockOut>& outputs = local.outputs;
  outputs.clear();
  for (Index column = 0; const Index width : widths) {
    outputs.emplace_back(out.middleCols(column, width));
    column += width;
  }
  program.evaluate(inputs, outputs, local.workspace);
}

}  // namespace chaosgrad::internal

namespace chaosgrad {
using namespace internal;

FormulaProblem::FormulaProblem(const FormulaSpec& spec)
    : data_(std::make_shared<const FormulaData>(spec)) {}

Index FormulaProblem::dimension() const { return data_->dimension; }
const Measure& FormulaProblem::parameters() const { return data_->measure; }
Index FormulaProblem::noise_dimension() const { return data_->noise_dimension; }
const std::vector<std::string>& FormulaProblem::quantity_names() const {
  return data_->quantity_names;
}
const std::vector<std::string>& FormulaProblem::component_names() const {
  return data_->component_names;
}
const std::vector<std::string>& FormulaProblem::parameter_names() const {
  return data_->parameter_names;
}

ProblemFacts FormulaProblem::facts() const {
  ProblemFacts facts = data_->facts;
  if (data_->has_reference) {
    facts.reference = [data = data_](Block theta, BlockOut x) {
      data->run(data->reference_program, data->variable_widths, Matrix(), theta, Matrix(), Matrix(),
                x);
    };
  }
  return facts;
}

void FormulaProblem::gradient(const Block& x, const Block& theta, const Block& noise,
                              BlockOut g) const {
  data_->run(data_->gradient_program, data_->variable_widths, x, theta, noise, noise, g);
}

void FormulaProblem::gradient(const Block& x, const Block& theta, const Block& noise,
                              const Block& known, BlockOut g) const {
  data_->run(data_->known_gradient_program, data_->variable_widths, x, theta, noise, known, g);
}

void FormulaProblem::value(Block x, Block theta, Block noise, BlockOut values) const {
  data_->run(data_->value_program, {1}, x, theta, noise, noise, values);
}

bool FormulaProblem::has_hessian() const { return data_->dimension <= FormulaData::hessian_limit; }

void FormulaProblem::hessian(Block x, Block theta, Block noise, BlockOut h) const {
  std::vector<Index> widths;
  for (Index i = 0; i < data_->dimension; ++i)
    widths.insert(widths.end(), data_->variable_widths.begin(), data_->variable_widths.end());
  data_->run(data_->hessian_program(), widths, x, theta, noise, noise, h);
}

void FormulaProblem::quantities(Block x, Block theta, Block noise, BlockOut values) const {
  data_->run(data_->quantity_program, data_->quantity_widths, x, theta, noise, noise, values);
}

}  // namespace chaosgrad
