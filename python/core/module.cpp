// chaosgrad._core: what the package is made of. Python users see chaosgrad/*.py, whose stub of this
// module is chaosgrad/_core.pyi.
#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "chaosgrad/chaosgrad.h"
#include "core/bindings.h"
#include "core/calls.h"
#include "io/describe.h"
#include "io/json_numbers.h"
#include "io/problem_file/gallery.h"
#include "io/problem_file/problem_file.h"
#include "measure/distribution_table.h"
#include "solve/common/option_table.h"

namespace chaosgrad::python {
using namespace internal;
namespace {

void bind_errors(py::module_& module) {
  static py::exception<InputError> input_error(module, "InputError", PyExc_ValueError);
  static py::exception<IoError> io_error(module, "IoError", PyExc_OSError);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      input_error(error.what());
    } catch (const FormulaError& error) {
      input_error(error.what());
    } catch (const PlacedError& error) {
      input_error(error.what());
    } catch (const IoError& error) {
      io_error(error.what());
    }
  });
}

// {"uniform": ["lower", "upper"], …}
py::dict distribution_arguments() {
  py::dict table;
  for (const DistributionEntry& entry : distribution_table()) {
    py::list arguments;
    for (const DistributionArgument& argument : entry.arguments)
      arguments.append(std::string(argument.key));
    table[py::str(std::string(entry.name))] = arguments;
  }
  return table;
}

py::list option_names() {
  py::list names;
  for (const OptionEntry& entry : option_table()) names.append(std::string(entry.key));
  return names;
}

py::list gallery_entries() {
  py::list entries;
  for (const GalleryProblem& problem : gallery()) {
    py::dict files;
    for (const auto& [name, content] : problem.files)
      files[py::str(std::string(name))] = std::string(content);
    entries.append(
        py::make_tuple(std::string(problem.name), std::string(problem.text), std::move(files)));
  }
  return entries;
}

void bind_problem_files(py::module_& module) {
  py::class_<ProblemFile, std::shared_ptr<ProblemFile>>(module, "ProblemFile")
      .def(py::init([](const std::string& name, const std::string& directory,
                       const std::string& text, std::vector<std::string> overrides,
                       std::map<std::string, std::string> files, bool checked) {
             ProblemSource source{.name = name,
                                  .directory = directory,
                                  .text = text,
                                  .overrides = std::move(overrides),
                                  .files = std::move(files)};
             // A model may be asked, and answer from another thread of Python.
             return without_interpreter([&] {
               return std::make_shared<ProblemFile>(
                   load_problem(std::move(source), checked ? Checked::before : Checked::now));
             });
           }),
           py::arg("name"), py::arg("directory"), py::arg("text"), py::arg("overrides"),
           py::arg("files"), py::arg("checked") = false)
      .def_readonly("title", &ProblemFile::title)
      .def_property_readonly("name", [](const ProblemFile& file) { return file.source.name; })
      .def_property_readonly("directory",
                             [](const ProblemFile& file) { return file.source.directory; })
      .def_property_readonly("text", [](const ProblemFile& file) { return file.source.text; })
      .def_property_readonly("overrides",
                             [](const ProblemFile& file) { return file.source.overrides; })
      .def_property_readonly("files", [](const ProblemFile& file) { return file.source.files; });
  module.def("gallery", &gallery_entries);
}

// Moments and quantile of a distribution, which is JSON text as describe() writes it.
void bind_distributions(py::module_& module) {
  py::class_<Distribution>(module, "Distribution")
      .def(py::init([](const std::string& description) { return distribution_of(description); }))
      .def_property_readonly("mean", &Distribution::mean)
      .def_property_readonly("sd", &Distribution::sd)
      .def_property_readonly("lower", &Distribution::lower)
      .def_property_readonly("upper", &Distribution::upper)
      .def("quantile", py::vectorize([](const Distribution* distribution, double p) {
             return distribution->quantile(p);
           }))
      .def("cdf", py::vectorize([](const Distribution* distribution, double t) {
             return distribution->cdf(t);
           }))
      .def("pdf", py::vectorize([](const Distribution* distribution, double t) {
             return distribution->pdf(t);
           }))
      .def("describe", [](const Distribution& distribution) { return describe(distribution); });
  module.def("distribution_arguments", &distribution_arguments);
}

}  // namespace
}  // namespace chaosgrad::python

PYBIND11_MODULE(_core, module) {
  using namespace chaosgrad::python;
  module.attr("version") = std::string(chaosgrad::version());
  bind_errors(module);
  bind_distributions(module);
  bind_problem_files(module);
  bind_problems(module);
  bind_runs(module);
  module.def("option_names", &option_names);
}
