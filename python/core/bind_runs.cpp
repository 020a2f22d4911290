#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "chaosgrad/chaosgrad.h"
#include "core/bindings.h"
#include "core/run.h"
#include "io/describe.h"

namespace chaosgrad::python {
using namespace internal;
namespace {

py::object optional_number(const std::optional<double>& value) {
  return value ? py::object(py::float_(*value)) : py::object(py::none());
}

py::dict error_of(const PythonRun& run) {
  const ErrorEstimate& error = run.solution.error;
  py::dict parts;
  parts["estimate"] = optional_number(error.estimate);
  parts["basis"] = optional_number(error.basis);
  parts["sampling"] = optional_number(error.sampling);
  parts["optimisation"] = optional_number(error.optimisation);
  parts["bound"] = optional_number(error.bound);
  parts["components"] = error.components;
  parts["confidence"] = error.confidence;
  return parts;
}

py::list history_of(const PythonRun& run) {
  py::list rows;
  for (const IterationRecord& record : run.solution.history) {
    py::dict row;
    row["k"] = record.k;
    row["basis_size"] = record.basis_size;
    row["samples"] = record.samples;
    row["step"] = record.step;
    row["gradients"] = record.gradients;
    row["seconds"] = record.seconds;
    row["gradient_norm"] = record.gradient_norm;
    row["estimate"] = optional_number(record.estimate);
    row["error_squared"] = optional_number(record.error_squared);
    row["true_error"] = optional_number(record.true_error);
    rows.append(row);
  }
  return rows;
}

// The constraints by name: kind, how many components, and whether results are lists.
py::list constraints_of(const PythonRun& run) {
  py::list list;
  const Lift* lift = run.solution.expansion.lift();
  for (std::size_t i = 0; lift && i < lift->constraints().list().size(); ++i) {
    const Constraint& one = lift->constraints().list()[i];
    if (one.kind != Constraint::Kind::kink)
      list.append(py::make_tuple(one.name, one.count, one.is_list));
  }
  return list;
}

py::list parameters_of(const PythonRun& run) {
  py::list list;
  for (const Distribution& one : run.solution.expansion.measure().marginals())
    list.append(describe(one));
  return list;
}

py::list bases_of(const PythonRun& run) {
  const Expansion& expansion = run.solution.expansion;
  py::list list;
  for (Index k = 0; k < expansion.measure().dimension(); ++k) {
    const bool fourier =
        expansion.basis().families()[static_cast<std::size_t>(k)].kind() == Family::Kind::fourier;
    list.append(fourier ? "fourier" : expansion.measure().is_logarithmic(k) ? "log" : "polynomial");
  }
  return list;
}

// The basis as powers: m×d.
py::array_t<int> indices_of(const PythonRun& run) {
  const Expansion& expansion = run.solution.expansion;
  const Index m = expansion.coefficients().rows(), d = expansion.measure().dimension();
  py::array_t<int> indices({m, d});
  auto at = indices.mutable_unchecked<2>();
  for (Index i = 0; i < m; ++i)
    for (Index k = 0; k < d; ++k)
      at(i, k) = expansion.basis().indices()[i][static_cast<std::size_t>(k)];
  return indices;
}

// ∂x_i/∂θ_k at rows of theta, (N, q, d).
py::array_t<double> sensitivities(const PythonRun& run, const Matrix& thetas) {
  const Expansion& expansion = run.solution.expansion;
  const Index n = thetas.rows(), q = expansion.coefficients().cols(), d = thetas.cols();
  py::array_t<double> all({n, q, d});
  double* const data = all.mutable_data();
  without_interpreter([&] {
    for (Index i = 0; i < n; ++i) {
      Eigen::Map<Coefficients>(data + i * q * d, q, d) =
          expansion.sensitivity(thetas.row(i).transpose());
    }
    return true;
  });
  return all;
}

void bind_results(py::class_<PythonRun>& run) {
  const auto text = [](const auto& member) {
    return [member](const PythonRun& self) { return std::string(member(self)); };
  };
  run.def_property_readonly(
         "status", text([](const PythonRun& self) { return to_string(self.solution.status); }))
      .def_property_readonly("message", [](const PythonRun& self) { return self.solution.message; })
      .def_property_readonly("ok", [](const PythonRun& self) { return self.solution.ok(); })
      .def_property_readonly("method", text([](const PythonRun& self) {
                               return to_string(self.solution.options.method);
                             }))
      .def_property_readonly("error", &error_of)
      .def_property_readonly(
          "true_error",
          [](const PythonRun& self) { return optional_number(self.solution.true_error); })
      .def_property_readonly(
          "unseen", [](const PythonRun& self) { return optional_number(self.solution.unseen); })
      .def_property_readonly("skipped",
                             [](const PythonRun& self) {
                               const Solution& solution = self.solution;
                               return py::make_tuple(solution.skipped, solution.skipped_share,
                                                     solution.skipped_together);
                             })
      .def_property_readonly("gradients",
                             [](const PythonRun& self) { return self.solution.gradients; })
      .def_property_readonly(
          "diagnostic_gradients",
          [](const PythonRun& self) { return self.solution.diagnostic_gradients; })
      .def_property_readonly("hessians",
                             [](const PythonRun& self) { return self.solution.hessians; })
      .def_property_readonly("seconds", [](const PythonRun& self) { return self.solution.seconds; })
      .def_property_readonly("notes", [](const PythonRun& self) { return self.solution.notes; })
      .def_property_readonly("history", &history_of)
      .def_property_readonly("options",
                             [](const PythonRun& self) { return describe(self.solution.options); })
      .def_property_readonly(
          "coefficients",
          [](const PythonRun& self) { return self.solution.expansion.coefficients(); })
      .def_property_readonly("indices", &indices_of)
      .def_property_readonly("parameters", &parameters_of)
      .def_property_readonly("bases", &bases_of)
      .def_property_readonly(
          "correlation",
          [](const PythonRun& self) { return self.solution.expansion.measure().correlation(); })
      .def_property_readonly("parameter_names",
                             [](const PythonRun& self) { return self.labels.parameters; })
      .def_property_readonly("variable_names",
                             [](const PythonRun& self) { return self.labels.variables; })
      .def_property_readonly("title", [](const PythonRun& self) { return self.labels.title; })
      .def_property_readonly("constraints", &constraints_of)
      .def_property_readonly(
          "constrained",
          [](const PythonRun& self) { return self.solution.expansion.lift() != nullptr; })
      .def_property_readonly("warning", [](const PythonRun& self) { return self.warning; })
      .def_property_readonly("file", [](const PythonRun& self) {
        return std::const_pointer_cast<ProblemFile>(self.file);
      });
}

}  // namespace

void bind_runs(py::module_& module) {
  py::class_<PythonRun> run(module, "Run");
  bind_results(run);
  const auto optional_problem = py::arg("problem").none(true);
  run.def("mean", [](const PythonRun& self) { return mean(self.solution); })
      .def("sd", [](const PythonRun& self) { return sd(self.solution); })
      .def("sobol",
           [](const PythonRun& self) {
             const SobolIndices found = sobol(self.solution);
             return py::make_tuple(found.main, found.total);
           })
      .def(
          "evaluate",
          [](const PythonRun& self, const Matrix& thetas) {
            Optima found = without_interpreter([&] { return optima_at(self, thetas); });
            return py::make_tuple(std::move(found.x), std::move(found.multipliers));
          },
          py::arg("thetas"))
      .def("sensitivity", &sensitivities, py::arg("thetas"))
      .def(
          "sample",
          [](const PythonRun& self, Index count, std::uint64_t seed) {
            Draws draws = without_interpreter([&] { return draw(self, count, seed); });
            return py::make_tuple(std::move(draws.theta), std::move(draws.x));
          },
          py::arg("count"), py::arg("seed"))
      .def("report_text",
           [](const PythonRun& self) { return report(self.solution, Detail::full, self.labels); })
      .def(
          "source",
          [](const PythonRun& self, const std::string& language) {
            return export_source(self.solution, language == "c" ? Language::c : Language::python,
                                 self.labels);
          },
          py::arg("language"))
      .def("statistics", &statistics_text, optional_problem, py::arg("levels"), py::arg("indices"))
      .def("summary", &summary_text, optional_problem)
      .def("page", &page_text, optional_problem)
      .def("store", &store, py::arg("directory"))
      .def("save", &save_folder, py::arg("directory"), py::arg("problem").none(true))
      .def(
          "verify",
          [](const PythonRun& self, const PythonProblem* problem, Index points, Index draws,
             double confidence, std::uint64_t seed, int threads) {
            return verification_text(self, problem,
                                     {.points = points,
                                      .draws = draws,
                                      .confidence = confidence,
                                      .seed = seed,
                                      .threads = threads});
          },
          optional_problem, py::arg("points"), py::arg("draws"), py::arg("confidence"),
          py::arg("seed"), py::arg("threads"));

  module.def(
      "solve",
      [](PythonProblem& problem, const std::vector<std::string>& parameters,
         const std::vector<std::string>& variables, const std::string& title,
         const std::string& options, const PythonRun* resume, py::object progress) {
        const Labels labels{.title = title, .parameters = parameters, .variables = variables};
        return solve_functions(problem, labels, options, resume, std::move(progress));
      },
      py::arg("problem"), py::arg("parameters"), py::arg("variables"), py::arg("title"),
      py::arg("options"), py::arg("resume").none(true), py::arg("progress"));
  module.def(
      "solve_file",
      [](const std::shared_ptr<ProblemFile>& file, const PythonRun* resume, py::object progress,
         const std::string& directory) {
        return solve_problem_file(file, resume, std::move(progress), directory);
      },
      py::arg("file"), py::arg("resume").none(true), py::arg("progress"), py::arg("directory"));
  module.def(
      "load",
      [](const std::string& directory, const std::shared_ptr<Constraints>& constraints) {
        return load_folder(directory, constraints);
      },
      py::arg("directory"), py::arg("constraints").none(true));
}

}  // namespace chaosgrad::python
