#pragma once
// One go at a run, from its beginning or from a checkpoint: signals, progress, checkpoints, the
// files at its end.
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "commands.h"
#include "io/shown.h"
#include "io/store/run_store.h"
#include "parallel/ranks.h"
#include "progress.h"

namespace chaosgrad::cli {
using namespace internal;

struct SessionArguments {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::string directory;
  bool json = false, quiet = false;
  std::optional<ProgressStyle> progress;
  std::optional<double> max_seconds;  // of this session, with reading the problem; not stored
  bool bounds = false;                // fill the history's column `bound` at the end
  bool resumed = false;               // a session before this one began the run
  std::shared_ptr<Ranks> ranks = {};  // that share it; null: this process alone

  // Whether this process writes files and speaks: rank 0 does.
  [[nodiscard]] bool is_first() const { return !ranks || ranks->is_first(); }
};

// From here on SIGINT, SIGTERM and SIGUSR1, which mpirun passes on, end the program in good order
// (exit_stopped), whatever it is doing.
// Before the solve: at once, nothing is written. During it: at the next safe point, with a
// checkpoint; at once by a second signal or after ten seconds. After it: at once if the solution is
// stored.
// Ranks but the first say nothing and leave it to that one to stop the run.
void catch_signals(const Ranks* ranks);

// --json, --quiet, --progress, --max-seconds and --bounds.
void add_session_options(CLI::App& command, SessionArguments& arguments);

// Where the run of a problem file goes if nobody says: runs/<name>.
[[nodiscard]] std::string default_folder(const std::string& file);

[[nodiscard]] int exit_code_of(Status status);

// Returns the exit code. `resume`: where to go on from, or null.
[[nodiscard]] int run_session(const SessionArguments& arguments, const ProblemFile& file,
                              std::shared_ptr<const Solution> resume);

// load_run, with its warning told on standard error, unless `silent`. `open_run` refuses a run of which nothing is
// stored yet: its coefficients mean nothing.
[[nodiscard]] StoredRun open_to_resume(const std::string& directory, bool silent = false);
[[nodiscard]] StoredRun open_run(const std::string& directory);
// open_run for whoever wants the answer of a run: throws FailedRun if it has none, unless `anyway`.
[[nodiscard]] StoredRun open_answer(const std::string& directory, bool anyway);
void add_anyway(CLI::App& command, bool& anyway);
// --components: which of a large x are shown; empty: the usual ones.
void add_components(CLI::App& command, std::string& components);
[[nodiscard]] std::unique_ptr<const ShownRecord> shown_record(const Record& record,
                                                              const std::string& components);
// The problem of a run; throws InputError for one that did not come from a file.
[[nodiscard]] const ProblemFile& problem_of(const StoredRun& stored, const std::string& directory);

}  // namespace chaosgrad::cli
