#include "session.h"

#include <fmt/format.h>

#include <csignal>

#include "chaosgrad/chaosgrad.h"
#include "chaosgrad/error.h"
#include "io/summary.h"
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
                std::shared_ptr<const Solution> resume) {
  const std::string& directory = arguments.directory;
  Options options = file.options;  // those of `file` are stored: the same however often interrupted
  options.resume = std::move(resume);
  if (arguments.max_seconds) options.max_seconds = *arguments.max_seconds;
  ProgressDisplay display(progress_style(arguments.progress, arguments.quiet || arguments.json));
  const auto stored = [&](const Progress& progress) {
    Solution solution = progress.solution();
    solution.options = file.options;
    return solution;
  };
  bool begun = options.resume != nullptr;
  options.callback = [&](const Progress& progress) {
    display.show(progress);
    const bool stop = stop_signal != 0;
    if (progress.solution && !begun) {
      begin_run(directory, record_of(stored(progress), file));
      begun = true;
    } else if (progress.solution && (stop || progress.checkpoint_due)) {
      save_unfinished(directory, record_of(stored(progress), file));
    }
    return stop ? Action::stop : Action::go_on;
  };
  catch_signals();
  try {
    Solution solution = solve(file.problem, options);
    display.finish();
    solution.options = file.options;
    if (arguments.bounds) {
      const auto bounds = run_bounds(file.problem, options, solution.constants, solution.history);
      for (std::size_t i = 0; i < bounds.size(); ++i) solution.history[i].bound = bounds[i];
    }
    Record record = record_of(solution, file);
    record.bounds = arguments.bounds;
    const std::string summary = full_summary(record);
    save_run(directory, record, summary);
    write_for_readers(directory, record, summary);
    if (arguments.json) {
      fmt::print("{}\n", summary);
    } else if (!arguments.quiet) {
      fmt::print("{}\n  written to {}; to look at: {}/report.html\n",
                 report(solution, Detail::full, record.labels), directory, directory);
    }
    if (!solution.ok()) fmt::print(stderr, "error: {}\n", solution.message);
    return exit_code_of(solution.status);
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
  if (stored.solution.status == Status::interrupted && stored.solution.history.empty()) {
    throw IoError(
        fmt::format("{}: the run was begun, but no checkpoint of it is stored; "
                    "`chaosgrad resume {}` goes on",
                    directory, directory));
  }
  return stored;
}

const ProblemFile& problem_of(const StoredRun& stored, const std::string& directory) {
  if (stored.file) return *stored.file;
  throw InputError(directory,
                   "its problem came from a program, not from a file: only that program can "
                   "evaluate it again");
}

}  // namespace chaosgrad::cli
