#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <memory>

#include "chaosgrad/chaosgrad.h"
#include "chaosgrad/problem_file.h"
#include "chaosgrad/report.h"
#include "chaosgrad/run_store.h"
#include "commands.h"
#include "progress.h"

namespace chaosgrad::cli {
namespace {

volatile std::sig_atomic_t stop_signal = 0;
void note_signal(int signal) { stop_signal = signal; }

struct SolveArguments {
  std::string file, directory;
  std::vector<std::string> overrides;
  bool json = false, quiet = false, bounds = false;
};

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.3g}", *value) : "unknown";
}

void print_report(const ProblemFile& file, const Solution& solution, const std::string& directory) {
  const Run& run = solution.run;
  if (!file.title.empty()) fmt::print("{}\n", file.title);
  fmt::print("{}: {}\n", to_string(run.status), run.stop_reason);
  fmt::print("  method {}, {} iterations, m = {}, {} gradients, {:.3g} s\n",
             to_string(file.options.method), run.history.size(), run.u.rows(), run.gradients,
             run.seconds);
  fmt::print("  mu = {:.4g} ({}), L = {:.4g} ({}), kappa = {:.4g}\n", run.constants.mu.value,
             run.constants.mu.given ? "given" : "estimated", run.constants.L.value,
             run.constants.L.given ? "given" : "estimated", run.constants.kappa());
  if (!is_failure(run.status)) {
    fmt::print("  error estimate {} (basis {}, sampling {}, optimisation {})\n",
               number(solution.error.estimate), number(solution.error.basis),
               number(solution.error.sampling), number(solution.error.optimisation));
    fmt::print("  bound {}\n", solution.error.bound
                                   ? fmt::format("{:.3g} with confidence {}", *solution.error.bound,
                                                 solution.error.confidence)
                                   : "none: strong_convexity is not given");
    if (solution.true_error) fmt::print("  true error {:.3g}\n", *solution.true_error);
    if (run.fits && run.fits->projection_error) {
      fmt::print("  true error of the two fits: least squares {:.3g}, projection {:.3g}\n",
                 *run.fits->least_squares_error, *run.fits->projection_error);
    }
    const Vector means = mean(solution), deviations = sd(solution);
    const SobolIndices indices = sobol(solution);
    fmt::print("\n  {:<16} {:>12} {:>12}   total Sobol' index of", "", "mean", "sd");
    for (const std::string& name : file.problem.parameter_names()) fmt::print(" {:>8}", name);
    fmt::print("\n");
    const Index shown = std::min<Index>(means.size(), 12);
    for (Index i = 0; i < shown; ++i) {
      fmt::print("  {:<16} {:>12.6g} {:>12.6g}   {:>21}",
                 file.problem.component_names()[static_cast<std::size_t>(i)], means(i),
                 deviations(i), "");
      for (const double index : indices.total.row(i)) fmt::print(" {:>8.3f}", index);
      fmt::print("\n");
    }
    if (shown < means.size()) fmt::print("  … and {} more components\n", means.size() - shown);
  }
  for (const std::string& note : run.notes) fmt::print("  note: {}\n", note);
  fmt::print("\n  written to {}; to look at: {}/report.html\n", directory, directory);
}

int run_solve(const SolveArguments& arguments) {
  ProblemFile file = load_problem(read_problem_source(arguments.file, arguments.overrides));
  const std::string directory =
      arguments.directory.empty() ? "runs/" + std::filesystem::path(arguments.file).stem().string()
                                  : arguments.directory;

  ProgressBar bar(!arguments.quiet && !arguments.json);
  file.options.progress = [&](const Progress& progress) { bar.show(progress); };
  file.options.bounds = arguments.bounds;
  file.options.interrupted = [] { return stop_signal != 0; };
  file.options.checkpoint = [&](const Run& run) {
    save_run(directory, file,
             {.expansion = Expansion(file.problem.parameters(), run.basis, run.u),
              .run = run,
              .error = {},
              .true_error = {}});
  };
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
  try {
    const Solution solution = solve(file.problem, file.options);
    save_run(directory, file, solution);
    write_report(directory, file, solution);
    if (arguments.json) {
      fmt::print("{}\n", summary_json(file, solution));
    } else if (!arguments.quiet) {
      print_report(file, solution, directory);
    }
    if (is_failure(solution.run.status))
      fmt::print(stderr, "error: {}\n", solution.run.stop_reason);
    return exit_code_of(solution.run.status);
  } catch (const InputError& error) {
    fail_at_place(file.source, error);
  }
}

}  // namespace

int exit_code_of(Status status) {
  if (is_failure(status)) return exit_numerical;
  return status == Status::completed || status == Status::converged ? exit_solved : exit_stopped;
}

void add_solve(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<SolveArguments>();
  CLI::App* command =
      app.add_subcommand("solve", "Solve a problem file and write the run to a folder");
  command->add_option("FILE", arguments->file, "problem file (TOML)")->required();
  command->add_option("-o,--output", arguments->directory,
                      "folder for the run (default runs/<name>)");
  command->add_option("--set", arguments->overrides, "override a key of the file: KEY=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->json, "print the summary as JSON");
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  command->add_flag("--bounds", arguments->bounds,
                    "add the column bound to history.csv: the theory's bound of the mean of "
                    "error_squared (needs a reference)");
  command->callback([arguments, &exit_code] { exit_code = run_solve(*arguments); });
}

}  // namespace chaosgrad::cli
