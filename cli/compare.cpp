#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "chaosgrad/chaosgrad.h"
#include "commands.h"
#include "io/json_numbers.h"
#include "io/problem_file/problem_file.h"
#include "io/store/run_store.h"
#include "progress.h"
#include "report/report.h"
#include "session.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

struct CompareArguments {
  std::string file, directory;
  std::vector<std::string> methods, overrides;
  bool json = false;
};

struct Entry {
  std::string method;
  Solution solution;
  std::string summary = {};  // JSON
  // ‖x − x*‖_π as well as it is known: against the reference, or from the solution with the
  // smallest estimate; for that one nothing better than its estimate.
  std::optional<double> error = {};
  std::string error_from = {};
};

Entry solve_with(const CompareArguments& arguments, const std::string& method) {
  std::vector<std::string> overrides = arguments.overrides;
  overrides.push_back("solve.method=" + method);
  ProblemFile file = load_problem(read_problem_source(arguments.file, overrides));
  ProgressDisplay display(progress_style({}, arguments.json));
  file.options.callback = [&](const Progress& progress) {
    display.show(progress);
    return Action::go_on;
  };
  try {
    Entry entry{.method = method, .solution = solve(file.problem, file.options)};
    entry.summary =
        finish_run(arguments.directory + "/" + method, record_of(entry.solution, file)).summary;
    return entry;
  } catch (const InputError& error) {
    fail_at_place(file.source, error);
  }
}

void measure_errors(std::vector<Entry>& entries) {
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    const std::optional<double>& estimate = entry.solution.error.estimate;
    if (estimate && (!best || *estimate < *best->solution.error.estimate)) best = &entry;
  }
  for (Entry& entry : entries) {
    if (entry.solution.true_error) {
      entry.error = entry.solution.true_error;
      entry.error_from = "reference";
    } else if (&entry == best) {
      entry.error = entry.solution.error.estimate;
      entry.error_from = "estimate";
    } else if (best && entry.solution.ok()) {
      entry.error = distance(entry.solution.expansion, best->solution.expansion);
      entry.error_from = "distance to " + best->method;
    }
  }
}

Json entry_json(const Entry& entry) {
  const Solution& run = entry.solution;
  Json history = Json::array();
  for (const IterationRecord& record : run.history) {
    history.push_back({{"gradients", record.gradients},
                       {"seconds", record.seconds},
                       {"estimate", number(record.estimate)},
                       {"true_error", number(record.true_error)}});
  }
  return {{"method", entry.method},
          {"status", to_string(run.status)},
          {"stop_reason", run.message},
          {"estimate", number(entry.solution.error.estimate)},
          {"true_error", number(entry.solution.true_error)},
          {"error", number(entry.error)},
          {"error_from", entry.error_from.empty() ? Json(nullptr) : Json(entry.error_from)},
          {"gradient_evaluations", run.gradients},
          {"diagnostic_gradients", entry.solution.diagnostic_gradients},
          {"basis_size", run.expansion.coefficients().rows()},
          {"seconds", run.seconds},
          {"history", std::move(history)}};
}

void print_table(const std::vector<Entry>& entries) {
  const auto text = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.3g}", *value) : std::string("unknown");
  };
  fmt::print("{:<12} {:<18} {:>10} {:>10}  {:<24} {:>12} {:>6} {:>9}\n", "method", "status",
             "estimate", "error", "known from", "gradients", "m", "seconds");
  for (const Entry& entry : entries) {
    const Solution& run = entry.solution;
    fmt::print("{:<12} {:<18} {:>10} {:>10}  {:<24} {:>12} {:>6} {:>9.3g}\n", entry.method,
               to_string(run.status), text(entry.solution.error.estimate), text(entry.error),
               entry.error_from, run.gradients, run.expansion.coefficients().rows(), run.seconds);
  }
}

void write_page(const CompareArguments& arguments, const std::vector<Entry>& entries) {
  std::vector<ComparedRun> runs;
  for (const Entry& entry : entries) {
    runs.push_back({.label = entry.method,
                    .summary = entry.summary,
                    .history = entry.solution.history,
                    .error = entry.error,
                    .error_from = entry.error_from});
  }
  write_comparison(arguments.directory,
                   load_problem(read_problem_source(arguments.file, arguments.overrides)), runs);
}

int run_compare(CompareArguments arguments) {
  if (arguments.directory.empty()) {
    arguments.directory =
        "runs/" + std::filesystem::path(arguments.file).stem().string() + "-comparison";
  }
  std::vector<Entry> entries;
  for (const std::string& method : arguments.methods)
    entries.push_back(solve_with(arguments, method));
  measure_errors(entries);
  write_page(arguments, entries);
  Json json = {{"file", arguments.file}, {"methods", Json::array()}};
  for (const Entry& entry : entries) json["methods"].push_back(entry_json(entry));
  if (arguments.json) {
    fmt::print("{}\n", json.dump(2));
  } else {
    print_table(entries);
    fmt::print("\nwritten to {0}; to look at: {0}/report.html\n", arguments.directory);
  }
  int code = exit_solved;
  for (const Entry& entry : entries) code = std::max(code, exit_code_of(entry.solution.status));
  return code;
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand(
      "compare", "Several methods on the same problem: error against gradients and time");
  command->add_option("FILE", arguments->file, "problem file (TOML)")->required();
  command->add_option("--methods", arguments->methods, "their names: a,b,…")
      ->required()
      ->delimiter(',');
  command->add_option("-o,--output", arguments->directory,
                      "folder for the runs and the page (default runs/<name>-comparison)");
  command->add_option("--set", arguments->overrides, "override a key of the file: KEY=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments, &exit_code] { exit_code = run_compare(*arguments); });
}

}  // namespace chaosgrad::cli
