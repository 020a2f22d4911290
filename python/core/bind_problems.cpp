#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <chrono>

#include "chaosgrad/error.h"
#include "core/bindings.h"
#include "core/constraints.h"
#include "core/problem.h"
#include "io/describe.h"

namespace chaosgrad::python {
using namespace internal;
namespace {

// A function that was given, with so many arguments; None is none.
std::optional<BlockFunction> optional_function(const std::string& name, const py::object& function,
                                               int arguments) {
  if (function.is_none()) return std::nullopt;
  return BlockFunction(name, function, arguments);
}

// {"distribution": "…", …} in JSON, and how θ_k is expanded.
Measure measure_of(const std::vector<std::string>& parameters,
                   const std::optional<Matrix>& correlation,
                   const std::vector<std::string>& bases) {
  std::vector<Distribution> marginals;
  for (const std::string& one : parameters) marginals.push_back(distribution_of(one));
  Measure measure =
      correlation ? Measure(std::move(marginals), *correlation) : Measure(std::move(marginals));
  for (std::size_t k = 0; k < bases.size(); ++k) {
    if (bases[k] == "log") measure = measure.with_logarithm(static_cast<Index>(k));
  }
  return measure;
}

Noise noise_of(const py::object& noise) {
  if (py::isinstance<py::array>(noise)) return noise.cast<Matrix>();
  std::vector<Distribution> distributions;
  for (const auto& one : noise.cast<std::vector<std::string>>())
    distributions.push_back(distribution_of(one));
  return distributions;
}

PythonProblem make_problem(const py::dict& given) {
  const auto arguments = given["arguments"].cast<int>();
  ProblemFacts facts;
  facts.batch = block_size;  // each call of Python takes its time
  facts.start = given["start"].cast<Vector>();
  facts.constraints = given["constraints"].cast<std::shared_ptr<Constraints>>();
  facts.strong_convexity = given["strong_convexity"].cast<std::optional<double>>();
  facts.smoothness = given["smoothness"].cast<std::optional<double>>();
  facts.noise_variance = given["noise_variance"].cast<std::optional<double>>();
  facts.noise_growth = given["noise_growth"].cast<std::optional<double>>();
  facts.may_fail = given["may_fail"].cast<bool>();
  facts.parameter_names = given["parameter_names"].cast<std::vector<std::string>>();
  facts.variable_names = given["variable_names"].cast<std::vector<std::string>>();
  facts.breakpoints = given["breakpoints"].cast<std::vector<std::vector<double>>>();
  const auto bases = given["bases"].cast<std::vector<std::string>>();
  for (const std::string& basis : bases)
    facts.bases.push_back(basis == "fourier" ? Family::Kind::fourier : Family::Kind::polynomial);
  if (const py::object reference = given["reference"]; !reference.is_none()) {
    facts.reference = [call = BlockFunction("reference", reference, 1)](Block theta, BlockOut x) {
      call({theta}, x);
    };
  }
  return PythonProblem(
      {.gradient = optional_function("gradient", given["gradient"], arguments),
       .value = optional_function("value", given["value"], arguments),
       .hessian = optional_function("hessian", given["hessian"], arguments),
       .parameters = measure_of(given["parameters"].cast<std::vector<std::string>>(),
                                given["correlation"].cast<std::optional<Matrix>>(), bases),
       .noise = noise_of(given["noise"]),
       .facts = std::move(facts)});
}

FunctionRows function_rows(const py::dict& given) {
  const auto name = given["name"].cast<std::string>();
  return {.name = name,
          .rows = given["rows"].cast<Index>(),
          .is_list = given["is_list"].cast<bool>(),
          .affine = given["affine"].cast<bool>(),
          .equality = given["equality"].cast<bool>(),
          .function = BlockFunction(name, given["function"], 2),
          .jacobian = BlockFunction(name + ".jacobian", given["jacobian"], 2),
          .hessian = optional_function(name + ".hessian", given["hessian"], 3)};
}

std::shared_ptr<Constraints> bind_constraints(const py::list& variables, const Vector& lower,
                                              const Vector& upper, const py::list& linear,
                                              const py::object& lower_function,
                                              const py::object& upper_function,
                                              const py::list& functions) {
  std::vector<VariableGroup> groups;
  for (const auto& [name, count, is_list] :
       variables.cast<std::vector<std::tuple<std::string, Index, bool>>>())
    groups.push_back({name, count, is_list});
  std::vector<LinearConstraints::Rows> rows;
  for (const auto& [name, A, least, most] :
       linear.cast<std::vector<std::tuple<std::string, Matrix, Vector, Vector>>>())
    rows.push_back({.name = name, .A = A, .lower = least, .upper = most});
  std::vector<FunctionRows> parts;
  for (const py::handle& one : functions) parts.push_back(function_rows(one.cast<py::dict>()));
  const auto made = make_constraints(groups, lower, upper, std::move(rows),
                                     {.lower = optional_function("lower", lower_function, 1),
                                      .upper = optional_function("upper", upper_function, 1)},
                                     std::move(parts));
  return std::const_pointer_cast<Constraints>(made);  // pybind11 holds no pointers to constants
}

// What so many calls of the gradient take on one block, as solvers make them: for benchmarks.
double gradient_seconds(const PythonProblem& problem, Index calls) {
  const Matrix x = Matrix::Constant(block_size, problem.dimension(), 0.25),
               theta = Matrix::Constant(block_size, problem.parameters().dimension(), 0.25),
               noise = Matrix::Constant(block_size, problem.noise_dimension(), 0.25);
  Matrix g(block_size, problem.dimension());
  return without_interpreter([&] {
    const auto start = std::chrono::steady_clock::now();
    for (Index i = 0; i < calls; ++i) problem.gradient(x, theta, noise, g);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
}

}  // namespace

void bind_problems(py::module_& module) {
  py::class_<PythonProblem, std::shared_ptr<PythonProblem>>(module, "Problem")
      .def(py::init(&make_problem))
      .def("gradient_seconds", &gradient_seconds, py::arg("calls"));
  py::class_<Constraints, std::shared_ptr<Constraints>>(module, "Constraints")
      .def(py::init(&bind_constraints), py::arg("variables"), py::arg("lower"), py::arg("upper"),
           py::arg("linear"), py::arg("lower_function"), py::arg("upper_function"),
           py::arg("functions"));
}

}  // namespace chaosgrad::python
