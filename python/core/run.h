#pragma once
// A solution in the hands of Python.
#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chaosgrad/io.h"
#include "chaosgrad/verify.h"
#include "core/problem.h"
#include "io/problem_file/problem_file.h"
#include "io/record.h"

namespace chaosgrad::python {

using ProblemFile = internal::ProblemFile;

struct PythonRun {
  Solution solution;
  Labels labels;
  std::shared_ptr<const ProblemFile> file = {};  // where the problem came from one
  std::string warning = {};                      // of a store that was damaged

  // `problem` is the one with Python functions, or null: its objective is then not known.
  [[nodiscard]] internal::Record record(const PythonProblem* problem) const;
};

// `options` and `resume` as in Options; `progress` as in Session. All hold the interpreter and let go
// of it while C++ works.
[[nodiscard]] PythonRun solve_functions(PythonProblem& problem, const Labels& labels,
                                        const std::string& options, const PythonRun* resume,
                                        py::object progress);
// `directory`: of a model that runs elsewhere, where its evaluations are logged; empty: nowhere.
[[nodiscard]] PythonRun solve_problem_file(const std::shared_ptr<const ProblemFile>& file,
                                           const PythonRun* resume, py::object progress,
                                           const std::string& directory);

[[nodiscard]] PythonRun load_folder(const std::string& directory,
                                    const std::shared_ptr<const Constraints>& constraints);
void save_folder(const PythonRun& run, const std::string& directory, const PythonProblem* problem);
// solution.h5 alone, without statistics that take samples.
void store(const PythonRun& run, const std::string& directory);

// JSON texts. Without `indices` the Sobol' indices of what has no exact ones are left out, and fewer
// samples are taken.
[[nodiscard]] std::string statistics_text(const PythonRun& run, const PythonProblem* problem,
                                          const std::vector<double>& levels, bool indices);
[[nodiscard]] std::string summary_text(const PythonRun& run, const PythonProblem* problem);
[[nodiscard]] std::string page_text(const PythonRun& run, const PythonProblem* problem);
[[nodiscard]] std::string verification_text(const PythonRun& run, const PythonProblem* problem,
                                            const VerifyOptions& options);

// x (N×q), and where x is constrained the multipliers (N×…) at rows of theta. Throws InputError where
// no x satisfies the constraints.
struct Optima {
  Matrix x, multipliers;
};
[[nodiscard]] Optima optima_at(const PythonRun& run, const Matrix& thetas);
// Draws of (θ, x*(θ)), as `chaosgrad sample` makes them.
struct Draws {
  Matrix theta, x;
};
[[nodiscard]] Draws draw(const PythonRun& run, Index count, std::uint64_t seed);

}  // namespace chaosgrad::python
