#include <memory>

#include "io/problem_file/problem_file.h"
#include "session.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

struct SolveArguments : SessionArguments {
  std::string file;
  std::vector<std::string> overrides;
};

int run_solve(SolveArguments& arguments) {
  catch_signals(arguments.ranks.get());
  const ProblemFile file = load_problem(read_problem_source(arguments.file, arguments.overrides));
  if (arguments.directory.empty()) arguments.directory = default_folder(arguments.file);
  return run_session(arguments, file, nullptr);
}

}  // namespace

void add_solve(CLI::App& app, int& exit_code, const std::shared_ptr<Ranks>& ranks) {
  auto arguments = std::make_shared<SolveArguments>();
  arguments->ranks = ranks;
  CLI::App* command =
      app.add_subcommand("solve", "Solve a problem file and write the run to a folder");
  command->add_option("FILE", arguments->file, "problem file (TOML)")->required();
  command->add_option("-o,--output", arguments->directory,
                      "folder for the run (default runs/<name>)");
  command->add_option("--set", arguments->overrides, "override a key of the file: KEY=VALUE")
      ->allow_extra_args(false);
  add_session_options(*command, *arguments);
  command->callback([arguments, &exit_code] { exit_code = run_solve(*arguments); });
}

}  // namespace chaosgrad::cli
