// Solves problem files with other constants in the adaptive solvers; see ablation.py.
// Usage: ablation --list
//        ablation FILE… [--tune NAME=VALUE]… [--set KEY=VALUE]…
// NAME is a member of a tuning struct after the name of its algorithm, as in collocation.accuracy.
// --list prints all of them with their values. Otherwise there is one line of JSON for each file.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "chaosgrad/chaosgrad.h"
#include "io/problem_file/problem_file.h"
#include "problem/averaged_problem.h"
#include "problem/problem_samples.h"
#include "solve/collocation/collocation.h"
#include "solve/common/goal.h"
#include "solve/common/validation.h"
#include "solve/sieve/sieve.h"

namespace chaosgrad::internal {
namespace {

struct Tunings {
  CollocationTuning collocation;
  PointwiseTuning pointwise;
  SieveTuning sieve;
};

// visitor(name, member) for every constant of every algorithm.
template <class Visitor>
void visit_all(Tunings& tunings, const Visitor& visitor) {
  const auto group = [&](const std::string& algorithm, auto& tuning) {
    visit(tuning, [&](std::string_view name, auto& member) {
      visitor(algorithm + "." + std::string(name), member);
    });
  };
  group("collocation", tunings.collocation);
  group("pointwise", tunings.pointwise);
  group("sieve", tunings.sieve);
}

void set(Tunings& tunings, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string name = assignment.substr(0, equals);
  const double value = std::stod(assignment.substr(equals + 1));
  bool found = false;
  visit_all(tunings, [&](const std::string& each, auto& member) {
    if (each != name) return;
    member = static_cast<std::remove_reference_t<decltype(member)>>(value);
    found = true;
  });
  if (!found) throw std::invalid_argument("there is no constant " + name);
}

Run solve_with(const Oracle& oracle, const Options& options, const Tunings& tunings) {
  std::vector<Family> families = make_families(oracle);
  IndexSet constant = IndexSet::first(static_cast<Index>(families.size()), 1);
  Run result{.basis = Basis(std::move(families), std::move(constant)),
             .u = oracle.facts().start.transpose()};
  const std::optional<ReferenceExpansion> no_reference;
  Monitor monitor(oracle.parameters(), options, no_reference);
  Executor executor(options.threads);
  if (options.method == Method::sieve) {
    solve_sieve(oracle, options, monitor, executor, result, tunings.sieve);
  } else if (oracle.noise_dimension() > 0) {
    const AveragedProblem averaged(oracle);
    solve_collocation(averaged, options, monitor, executor, result, tunings.collocation,
                      tunings.pointwise);
  } else {
    solve_collocation(oracle, options, monitor, executor, result, tunings.collocation,
                      tunings.pointwise);
  }
  return result;
}

nlohmann::json summary(const std::string& path, const std::vector<std::string>& overrides,
                       const Tunings& tunings) {
  constexpr Index validation_samples = 1 << 13;
  const ProblemFile file = load_problem(read_problem_source(path, overrides));
  const Oracle oracle = file.problem;
  const Run run = solve_with(oracle, file.options, tunings);
  Executor executor(file.options.threads);
  const std::optional<double> error =
      Validation(oracle, file.options.seed, validation_samples).error(run.basis, run.u, executor);
  nlohmann::json line{{"file", path},
                      {"status", to_string(run.status)},
                      {"gradients", run.gradients},
                      {"basis_size", run.u.rows()},
                      {"target", absolute_tolerance(file.options, run.u.norm())},
                      {"estimate", nullptr},
                      {"true_error", nullptr}};
  if (run.error && run.error->estimate) line["estimate"] = *run.error->estimate;
  if (error) line["true_error"] = *error;
  return line;
}

int list() {
  nlohmann::json names = nlohmann::json::object();
  Tunings tunings;
  visit_all(tunings, [&](const std::string& name, const auto& member) {
    names[name] = {{"value", member},
                   {"integer", std::is_integral_v<std::remove_cvref_t<decltype(member)>>}};
  });
  fmt::print("{}\n", names.dump());
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  std::vector<std::string> files, overrides;
  Tunings tunings;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--list") return list();
    if (arguments[i] == "--tune") {
      set(tunings, arguments.at(++i));
    } else if (arguments[i] == "--set") {
      overrides.push_back(arguments.at(++i));
    } else {
      files.push_back(arguments[i]);
    }
  }
  for (const std::string& file : files)
    fmt::print("{}\n", summary(file, overrides, tunings).dump());
  return 0;
}

}  // namespace
}  // namespace chaosgrad::internal

int main(int argc, char** argv) {
  try {
    return chaosgrad::internal::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "ablation: {}\n", error.what());
    return 2;
  }
}
