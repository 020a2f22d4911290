// Solves problem files with other constants in the adaptive solvers; see ablation.py and
// ablation_sieve.py.
// Usage: ablation --list
//        ablation FILE… [--tune NAME=VALUE]… [--each NAME=VALUE]… [--set KEY=VALUE]…
// NAME is a member of a tuning struct after the name of its algorithm, as in collocation.accuracy.
// --list prints all of them with their values. Otherwise every file is solved with all that --tune
// says, once; or, if there is --each, once for each of these on top of it. One line of JSON each.
#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
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

Run solve_with(const Oracle& oracle, const std::vector<Family>& families, const Options& options,
               const Tunings& tunings) {
  IndexSet constant = IndexSet::first(static_cast<Index>(families.size()), 1);
  Run result{.basis = Basis(families, std::move(constant)), .u = oracle.facts().start.transpose()};
  const std::optional<ReferenceExpansion> no_reference;
  Monitor monitor(oracle.parameters(), options, no_reference);
  Executor executor(options.threads);
  if (options.method == Method::sieve) {
    solve_sieve(oracle, options, monitor, executor, result, tunings.sieve);
  } else {
    solve_collocation(oracle, options, monitor, executor, result, tunings.collocation,
                      tunings.pointwise);
  }
  return result;
}

// Solves one file in all ways. The tables of its families and its reference are made once.
void solve_file(const std::string& path, const std::vector<std::string>& overrides,
                const std::vector<std::pair<std::string, Tunings>>& ways) {
  constexpr Index validation_samples = 1 << 13;
  constexpr std::uint64_t validation_seed = 1;  // true errors of all seeds by the same samples
  const ProblemFile file = load_problem(read_problem_source(path, overrides));
  const Options& options = file.options;
  const Oracle given = file.problem;
  const bool average = given.noise_dimension() > 0 && options.method != Method::sieve;
  std::optional<AveragedProblem> averaged;
  if (average) averaged.emplace(given);
  const Oracle oracle = average ? Oracle(*averaged) : given;
  const std::vector<Family> families = make_families(oracle);
  const Validation validation(given, validation_seed, validation_samples);
  Executor executor(options.threads);
  for (const auto& [name, tunings] : ways) {
    const Run run = solve_with(oracle, families, options, tunings);
    const std::optional<double> error = validation.error(run.basis, run.u, executor);
    nlohmann::ordered_json line{{"file", path},
                                {"each", name},
                                {"status", to_string(run.status)},
                                {"gradients", run.gradients},
                                {"basis_size", run.u.rows()},
                                {"samples", run.history.empty() ? 0 : run.history.back().samples},
                                {"target", absolute_tolerance(options, run.u.norm())},
                                {"estimate", nullptr},
                                {"true_error", nullptr}};
    if (run.error && run.error->estimate) line["estimate"] = *run.error->estimate;
    if (error) line["true_error"] = *error;
    fmt::print("{}\n", line.dump());
  }
}

int list() {
  nlohmann::ordered_json names = nlohmann::ordered_json::object();  // in the order of the structs
  Tunings tunings;
  visit_all(tunings, [&](const std::string& name, const auto& member) {
    names[name] = {{"value", member},
                   {"integer", std::is_integral_v<std::remove_cvref_t<decltype(member)>>}};
  });
  fmt::print("{}\n", names.dump());
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  std::vector<std::string> files, overrides, each;
  Tunings tunings;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--list") return list();
    if (arguments[i] == "--tune") {
      set(tunings, arguments.at(++i));
    } else if (arguments[i] == "--each") {
      each.push_back(arguments.at(++i));
    } else if (arguments[i] == "--set") {
      overrides.push_back(arguments.at(++i));
    } else {
      files.push_back(arguments[i]);
    }
  }
  std::vector<std::pair<std::string, Tunings>> ways;
  for (const std::string& assignment : each) {
    ways.emplace_back(assignment, tunings);
    set(ways.back().second, assignment);
  }
  if (ways.empty()) ways.emplace_back("", tunings);
  for (const std::string& file : files) solve_file(file, overrides, ways);
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
