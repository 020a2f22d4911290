#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "chaosgrad/error.h"
#include "io/json_numbers.h"
#include "report/report.h"
#include "session.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

struct ResumeArguments : SessionArguments {
  std::vector<std::string> overrides;
};

// What decides when a run stops or how it is carried out, not what its steps are.
const std::vector<std::string> changeable = {"solve.tolerance",     "solve.relative_tolerance",
                                             "solve.confidence",    "solve.iterations",
                                             "solve.max_gradients", "solve.max_seconds",
                                             "solve.threads",       "solve.checkpoint_seconds"};

void require_changeable(const std::vector<std::string>& overrides) {
  for (const std::string& assignment : overrides) {
    std::string key = assignment.substr(0, assignment.find('='));
    key.erase(key.find_last_not_of(" \t") + 1);
    key.erase(0, key.find_first_not_of(" \t"));
    if (std::find(changeable.begin(), changeable.end(), key) != changeable.end()) continue;
    throw InputError(
        "--set " + key,
        fmt::format("cannot change midway: {}; `chaosgrad solve` begins anew. What can change: {}",
                    key.starts_with("solve.") ? "the steps done so far rest on it"
                                              : "it is part of the problem",
                    fmt::join(changeable, ", ")));
  }
}

// The files for readers, where a kill or a full disk came before them; first the statistics, where
// it came before those.
void complete_files(const std::string& directory, const StoredRun& stored) {
  const Record record = stored.record();
  if (record.solution.ok() && Json::parse(stored.summary)["mean_error"].is_null()) {
    (void)finish_run(directory, record);
  } else {
    write_for_readers(directory, record, stored.summary, make_digest(record));
  }
}

bool is_finished(Status status) {
  return status == Status::completed || status == Status::converged || status == Status::stalled;
}

int run_resume(ResumeArguments& arguments) {
  catch_signals(arguments.ranks.get());
  arguments.resumed = true;
  require_changeable(arguments.overrides);
  const bool first = arguments.is_first();
  StoredRun stored = open_to_resume(arguments.directory, !first);
  if (arguments.ranks) arguments.ranks->meet();  // all have read it
  const Solution& run = stored.solution;
  const bool over =
      is_failure(run.status) || (is_finished(run.status) && arguments.overrides.empty());
  if (over && first && !has_files_for_readers(arguments.directory, stored.summary))
    complete_files(arguments.directory, stored);
  if (is_failure(run.status)) {
    if (first)
      fmt::print(stderr, "error: {}: the run ended as {}: {}\n", arguments.directory,
                 to_string(run.status), run.message);
    return exit_numerical;
  }
  if (over) {
    if (first && arguments.json) {
      fmt::print("{}\n", stored.summary);
    } else if (first && !arguments.quiet) {
      fmt::print("{}: nothing left to do: {}, {}\n", arguments.directory, to_string(run.status),
                 run.message);
    }
    return exit_code_of(run.status);
  }
  if (first && !stored.warning.empty()) set_damaged_aside(arguments.directory);
  ProblemSource source = problem_of(stored, arguments.directory).source;
  source.overrides.insert(source.overrides.end(), arguments.overrides.begin(),
                          arguments.overrides.end());
  const ProblemFile file = load_problem(std::move(source), Checked::before);
  return run_session(arguments, file,
                     run.history.empty() ? nullptr : std::make_shared<const Solution>(run));
}

}  // namespace

void add_resume(CLI::App& app, int& exit_code, const std::shared_ptr<Ranks>& ranks) {
  auto arguments = std::make_shared<ResumeArguments>();
  arguments->ranks = ranks;
  CLI::App* command = app.add_subcommand(
      "resume", "Go on with a run from its last checkpoint, to the same bits as without a break");
  command->add_option("DIR", arguments->directory, "folder of the run")->required();
  command
      ->add_option("--set", arguments->overrides,
                   "change a limit: solve.tolerance, solve.iterations, solve.max_gradients, …")
      ->allow_extra_args(false);
  add_session_options(*command, *arguments);
  command->callback([arguments, &exit_code] { exit_code = run_resume(*arguments); });
}

}  // namespace chaosgrad::cli
