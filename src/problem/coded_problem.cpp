#include "problem/coded_problem.h"

#include <tbb/enumerable_thread_specific.h>

#include <array>

#include "chaosgrad/error.h"
#include "problem/names.h"
#include "random/random.h"
#include "samples/parameters.h"

namespace chaosgrad::internal {

// The names of a coded problem and its quantities. Input slots of the graph: x and θ.
struct CodedProblem::Formulas {
  std::vector<std::string> component_names, parameter_names, quantity_names;
  std::string variable_name;  // the first one's
  Program program;
  struct Scratch {
    Program::Workspace workspace;
    std::vector<BlockOut> outputs;
  };
  mutable tbb::enumerable_thread_specific<Scratch> scratch;
};

void CodedProblem::add_names(const std::vector<std::string>& parameters,
                             const std::vector<VariableSpec>& variables,
                             const QuantitySpec& quantities) {
  auto formulas = std::make_shared<Formulas>();
  Graph graph;
  Names names;
  for (const std::string& name : parameters) {
    names.add(name, graph.input(1, static_cast<Index>(formulas->parameter_names.size())),
              "parameters");
    formulas->parameter_names.push_back(name);
  }
  Index column = 0;
  formulas->variable_name = variables.empty() ? "x" : variables[0].name;
  for (const VariableSpec& variable : variables) {
    names.add(variable.name, graph.input(0, column, {variable.start.size(), 1}), "variables");
    append_component_names(variable, formulas->component_names);
    column += variable.start.size();
  }
  if (static_cast<Index>(parameters.size()) != oracle_.parameters().dimension() ||
      column != oracle_.dimension()) {
    throw InputError("names", "expected one per parameter and variables of all components of x");
  }
  for (const auto& [name, formula] : quantities.definitions) {
    names.add(name, parse(graph, formula.text, names.scope(), formula.id), "definitions");
  }
  std::vector<Node> outputs;
  for (const auto& [name, formula] : quantities.quantities) {
    outputs.push_back(scalar_formula(graph, formula, names.scope()));
    formulas->quantity_names.push_back(name);
  }
  formulas->program = Program(graph, outputs);
  formulas_ = std::move(formulas);
}

ProblemFacts CodedProblem::facts() const {
  ProblemFacts facts = oracle_.facts();
  facts.parameter_names = formulas_->parameter_names;
  facts.variable_names = formulas_->component_names;
  facts.constraints = constraints_;
  if (constraints_) facts.reference = {};  // it is the optimum without bounds
  if (start_.size() > 0) facts.start = start_;
  return facts;
}

void CodedProblem::bound(const Vector& lower, const Vector& upper) {
  const auto filled = [&](const Vector& given, double otherwise, const char* key) -> Vector {
    if (given.size() == 0) return Vector::Constant(dimension(), otherwise);
    if (given.size() == 1) return Vector::Constant(dimension(), given(0));
    if (given.size() == dimension()) return given;
    throw InputError(std::string("objective.options.") + key,
                     "expected one number, or " + std::to_string(dimension()) + ", found " +
                         std::to_string(given.size()));
  };
  if (lower.size() == 0 && upper.size() == 0) return;
  const Vector least = filled(lower, -infinity, "lower"), most = filled(upper, infinity, "upper");
  if (!(least.array() <= most.array()).all())
    throw InputError("objective.options.upper", "expected upper bounds that are not below lower");
  start_ = oracle_.facts().start.cwiseMax(least).cwiseMin(most);
  constraints_ = std::make_shared<const LinearConstraints>(
      dimension(), lower.size() == 0 ? lower : least, upper.size() == 0 ? upper : most,
      std::vector<LinearConstraints::Rows>{}, formulas_->variable_name);
}

void CodedProblem::quantities(Block x, Block theta, Block /*noise*/, BlockOut values) const {
  Formulas::Scratch& local = formulas_->scratch.local();
  local.outputs.clear();
  for (Index j = 0; j < values.cols(); ++j) local.outputs.emplace_back(values.middleCols(j, 1));
  const std::array<Block, 2> inputs = {x, theta};
  formulas_->program.evaluate(inputs, local.outputs, local.workspace);
}

const std::vector<std::string>& CodedProblem::quantity_names() const {
  return formulas_->quantity_names;
}
const std::vector<std::string>& CodedProblem::component_names() const {
  return formulas_->component_names;
}
const std::vector<std::string>& CodedProblem::parameter_names() const {
  return formulas_->parameter_names;
}

void CodedProblem::validate(Index points) const {
  for (Index first = 0; first < points; first += block_size) {
    const Index count = std::min(block_size, points - first);
    const Matrix theta =
        draw_parameters(parameters(), make_stream(0, Purpose::model_parameters), first, count)
            .theta;
    const Matrix noise =
        draw_noise(noise_dimension(), make_stream(0, Purpose::model_noise), first, count);
    const Matrix x = facts().start.transpose().replicate(count, 1);
    Matrix g(count, dimension());
    gradient(x, theta, noise, g);
    if (!g.allFinite()) {
      throw InputError("objective", "the gradient at the start is not finite at a sampled theta");
    }
  }
}

}  // namespace chaosgrad::internal
