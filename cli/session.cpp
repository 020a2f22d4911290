#include "session.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "chaosgrad/chaosgrad.h"
#include "chaosgrad/error.h"
#include "io/store/evaluation_log.h"
#include "io/summary.h"
#include "paper/theory.h"
#include "report/report.h"
#include "solution/report.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

enum Phase : std::sig_atomic_t { reading, solving, closing, stored };
volatile std::sig_atomic_t phase = reading;
volatile std::sig_atomic_t stop_signal = 0;
volatile std::sig_atomic_t is_silent = 0;  // a rank that is not the first
constexpr unsigned grace = 10;             // seconds that a stage under way may take after a signal

// Only what is allowed inside a signal handler.
void handle_signal(int signal) {
  const bool waits = phase == solving || phase == closing;
  if (waits && stop_signal == 0) {
    stop_signal = signal;
    ::alarm(grace);
    return;
  }
  const char* text = phase == reading ? "stopped while reading the problem\n"
                     : phase == stored
                         ? "stopped while making statistics and page; the solution is stored, and "
                           "`chaosgrad resume` makes them\n"
                         : "stopped at once; `chaosgrad resume` goes on from the last checkpoint\n";
  if (!is_silent) {
    const auto told = ::write(STDERR_FILENO, text, std::strlen(text));
    static_cast<void>(told);
  }
  ::_exit(exit_stopped);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Reading counts, but at least half of the time is for the solve, so that sessions however short get
// on; below a second all of it is.
double left_for_solve(double max_seconds, double reading_seconds) {
  return max_seconds < 1 ? max_seconds : std::max(max_seconds - reading_seconds, max_seconds / 2);
}

// What may take long after a solve is worth storing before it begins.
bool is_worth_storing(const Solution& solution) {
  constexpr double long_solve = 1;       // seconds
  constexpr Index many_numbers = 20000;  // coefficients
  return solution.seconds > long_solve || solution.expansion.coefficients().size() > many_numbers;
}

// What the model was asked, for people: the log has it all.
void note_account(const RemoteModel& model, Solution& solution) {
  const ModelAccount account = model.account();
  solution.notes.push_back(fmt::format(
      "the model was called {} times ({} tries); {} evaluations were known from the log",
      account.calls, account.tries, account.recalled));
  if (account.failed > 0)
    solution.notes.push_back(
        fmt::format("{} calls failed, the last one: {}", account.failed, model.last_failure()));
}

// Statistics, files and what is printed.
int close_session(const SessionArguments& arguments, const ProblemFile& file,
                  const Options& options, double reading_seconds, ProgressDisplay& display,
                  Solution& solution) {
  const auto start = std::chrono::steady_clock::now();
  phase = closing;
  ::alarm(0);
  display.close("statistics and page");
  solution.options = file.options;
  const double asked = arguments.max_seconds.value_or(file.options.max_seconds);
  if (solution.status == Status::out_of_time && options.max_seconds < 0.98 * asked) {
    solution.message +=
        fmt::format("; reading the problem took {:.2g} s of the {:g} s", reading_seconds, asked);
  }
  if (arguments.bounds) {
    const auto bounds = run_bounds(file.problem, options, solution.constants, solution.history);
    for (std::size_t i = 0; i < bounds.size(); ++i) solution.history[i].bound = bounds[i];
  }
  Record record = record_of(solution, file);
  record.bounds = arguments.bounds;
  record.seconds_around = reading_seconds + seconds_since(start);
  if (is_worth_storing(solution)) {
    save_run(arguments.directory, record, brief_summary(record));
    phase = stored;
  }
  const FinishedRun finished = finish_run(arguments.directory, record);
  display.finish();
  if (arguments.json) {
    fmt::print("{}\n", finished.summary);
  } else if (!arguments.quiet) {
    fmt::print("{}\n  {:.3g} s in all; written to {}; to look at: {}/report.html\n",
               full_report(solution, record.labels, sampled_report(record, finished.digest)),
               seconds_since(arguments.start), arguments.directory, arguments.directory);
  }
  if (!solution.ok()) fmt::print(stderr, "error: {}\n", solution.message);
  return exit_code_of(solution.status);
}

}  // namespace

void catch_signals(const Ranks* ranks) {
  is_silent = ranks && !ranks->is_first();
  std::signal(SIGINT, handle_signal);
  std::signal(SIGTERM, handle_signal);
  std::signal(SIGUSR1, handle_signal);
  std::signal(SIGALRM, handle_signal);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error of write(), with a message
}

std::string default_folder(const std::string& file) {
  return "runs/" + std::filesystem::path(file).stem().string();
}

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

namespace {

// solve(), with a model that all ranks call for each other.
Solution solve_on(const std::shared_ptr<Ranks>& ranks, const ProblemFile& file,
                  const Options& options) {
  struct Sharing {
    Sharing(const std::shared_ptr<RemoteModel>& model, const std::shared_ptr<Ranks>& ranks)
        : model_(ranks ? model : nullptr) {
      if (!model_) return;
      ranks->meet();  // all have read what is in the folder
      model_->share(ranks);
    }
    Sharing(const Sharing&) = delete;
    Sharing& operator=(const Sharing&) = delete;
    ~Sharing() {
      if (model_) model_->share({});
    }
    std::shared_ptr<RemoteModel> model_;
  };
  const Sharing sharing(file.model, ranks);
  return solve(file.problem, options);
}

}  // namespace

int run_session(const SessionArguments& arguments, const ProblemFile& file,
                std::shared_ptr<const Solution> resume) {
  const std::string& directory = arguments.directory;
  Options options = file.options;  // those of `file` are stored: the same however often interrupted
  options.resume = std::move(resume);
  options.ranks = arguments.ranks;
  if (arguments.max_seconds) options.max_seconds = *arguments.max_seconds;
  const double reading_seconds = seconds_since(arguments.start);
  options.max_seconds = left_for_solve(options.max_seconds, reading_seconds);
  ProgressDisplay display(
      arguments.is_first() ? progress_style(arguments.progress, arguments.quiet || arguments.json)
                           : ProgressStyle::none);
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
  try {
    const bool goes_on = arguments.resumed || options.resume;
    std::optional<EvaluationLog> log;
    if (file.model) {
      log.emplace(
          directory, file,
          goes_on ? EvaluationLog::Failures::remembered : EvaluationLog::Failures::forgotten,
          arguments.is_first() ? EvaluationLog::Access::keep : EvaluationLog::Access::read);
      if (!options.resume) options.earlier = log->earlier();
    }
    phase = solving;
    Solution solution = solve_on(arguments.ranks, file, options);
    if (!arguments.is_first()) {
      phase = closing;
      ::alarm(0);
      return exit_solved;  // rank 0 knows better
    }
    if (log) {
      log->add_run(record_of(solution, file));
      log->close();
      note_account(*file.model, solution);
    }
    return close_session(arguments, file, options, reading_seconds, display, solution);
  } catch (const InputError& error) {
    fail_at_place(file.source, error);
  } catch (const ModelAbsent& error) {
    throw IoError(begun ? fmt::format("{}; what it answered is kept, and `chaosgrad resume {}` "
                                      "goes on",
                                      error.what(), directory)
                        : error.what());
  }
}

StoredRun open_to_resume(const std::string& directory, bool silent) {
  StoredRun stored = load_run(directory);
  if (!stored.warning.empty() && !silent) fmt::print(stderr, "warning: {}\n", stored.warning);
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

StoredRun open_answer(const std::string& directory, bool anyway) {
  StoredRun stored = open_run(directory);
  if (anyway || stored.solution.ok()) return stored;
  throw FailedRun(fmt::format(
      "{}: the run failed ({}): {}; what it left is not an answer (--anyway takes it all the same)",
      directory, to_string(stored.solution.status), stored.solution.message));
}

void add_components(CLI::App& command, std::string& components) {
  command.add_option("--components", components,
                     "components of a large x to show: 'x[0],x[10:20],y' (default: evenly spread)");
}

std::unique_ptr<const ShownRecord> shown_record(const Record& record,
                                                const std::string& components) {
  if (components.empty()) return std::make_unique<const ShownRecord>(record);
  return std::make_unique<const ShownRecord>(record,
                                             named_components(record.labels.variables, components));
}

void add_anyway(CLI::App& command, bool& anyway) {
  command.add_flag("--anyway", anyway, "also of a run that failed, whose expansion is no answer");
}

const ProblemFile& problem_of(const StoredRun& stored, const std::string& directory) {
  if (stored.file) return *stored.file;
  throw InputError(directory,
                   "its problem came from a program, not from a file: only that program can "
                   "evaluate it again");
}

}  // namespace chaosgrad::cli
