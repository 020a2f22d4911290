#include "session.h"

#include <fmt/format.h>

#include <csignal>

#include "chaosgrad/chaosgrad.h"
#include "chaosgrad/error.h"
#include "paper/theory.h"
#include "report/report.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

volatile std::sig_atomic_t stop_signal = 0;
void note_signal(int signal) { stop_signal = signal; }

void catch_signals() {
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error of write(), with a message
}

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
    fmt::print("  bound {}\n",
               solution.error.bound     ? fmt::format("{:.3g} with confidence {}",
                                                      *solution.error.bound, solution.error.confidence)
               : run.constants.mu.given ? "none: the run ended before it was measured"
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

}  // namespace

int exit_code_of(Status status) {
  if (is_failure(status)) return exit_numerical;
  return status == Status::completed || status == Status::converged ? exit_solved : exit_stopped;
}

void add_session_options(CLI::App& command, SessionArguments& arguments) {
  command.add_flag("--json", arguments.json, "print the summary as JSON");
  command.add_flag("--quiet", arguments.quiet, "print nothing but errors");
  command
      .add_option(
          "--progress", arguments.progress,
          "bar (default on a terminal), line (default elsewhere), json (a line per tenth of "
          "a second), none; on standard error")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, ProgressStyle>{{"none", ProgressStyle::none},
                                               {"bar", ProgressStyle::bar},
                                               {"line", ProgressStyle::line},
                                               {"json", ProgressStyle::json}}));
  command.add_flag("--bounds", arguments.bounds,
                    "add the column bound to history.csv: the theory's bound of the mean of "
                    "error_squared (needs a reference)");
  command
      .add_option("--max-seconds", arguments.max_seconds,
                  "stop after this time, instead of solve.max_seconds; `resume` goes on")
      ->check(CLI::PositiveNumber);
}

int run_session(const SessionArguments& arguments, const ProblemFile& file,
                std::shared_ptr<const Run> resume) {
  const std::string& directory = arguments.directory;
  Options options = file.options;  // those of `file` are stored: the same however often interrupted
  if (!resume) options.begun = [&] { begin_run(directory, file); };
  options.resume = std::move(resume);
  if (arguments.max_seconds) options.max_seconds = *arguments.max_seconds;
  ProgressDisplay display(progress_style(arguments.progress, arguments.quiet || arguments.json));
  options.progress = [&](const Progress& progress) { display.show(progress); };
  options.checkpoint = [&](const Run& run) { save_checkpoint(directory, file, run); };
  options.interrupted = [] { return stop_signal != 0; };
  catch_signals();
  try {
    Solution solution = solve(file.problem, options);
    display.finish();
    if (arguments.bounds) {
      const auto bounds = run_bounds(file.problem, options, solution.run);
      for (std::size_t i = 0; i < bounds.size(); ++i) solution.run.history[i].bound = bounds[i];
    }
    const std::string summary = summary_json(file, solution);
    save_run(directory, file, solution, summary);
    write_for_readers(directory, file, solution, summary);
    if (arguments.json) {
      fmt::print("{}\n", summary);
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

StoredRun open_to_resume(const std::string& directory) {
  StoredRun stored = load_run(directory);
  if (!stored.warning.empty()) fmt::print(stderr, "warning: {}\n", stored.warning);
  return stored;
}

StoredRun open_run(const std::string& directory) {
  StoredRun stored = open_to_resume(directory);
  if (stored.run.status == Status::interrupted && stored.run.history.empty()) {
    throw IoError(
        fmt::format("{}: the run was begun, but no checkpoint of it is stored; "
                    "`chaosgrad resume {}` goes on",
                    directory, directory));
  }
  return stored;
}

}  // namespace chaosgrad::cli
