#include <filesystem>
#include <memory>

#include "chaosgrad/problem_file.h"
#include "session.h"

namespace chaosgrad::cli {
namespace {

struct SolveArguments : SessionArguments {
  std::string file;
  std::vector<std::string> overrides;
  bool bounds = false;
};

int run_solve(SolveArguments& arguments) {
  ProblemFile file = load_problem(read_problem_source(arguments.file, arguments.overrides));
  file.options.bounds = arguments.bounds;
  if (arguments.directory.empty())
    arguments.directory = "runs/" + std::filesystem::path(arguments.file).stem().string();
  return run_session(arguments, file, nullptr);
}

}  // namespace

void add_solve(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<SolveArguments>();
  CLI::App* command =
      app.add_subcommand("solve", "Solve a problem file and write the run to a folder");
  command->add_option("FILE", arguments->file, "problem file (TOML)")->required();
  command->add_option("-o,--output", arguments->directory,
                      "folder for the run (default runs/<name>)");
  command->add_option("--set", arguments->overrides, "override a key of the file: KEY=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--bounds", arguments->bounds,
                    "add the column bound to history.csv: the theory's bound of the mean of "
                    "error_squared (needs a reference)");
  add_session_options(*command, *arguments);
  command->callback([arguments, &exit_code] { exit_code = run_solve(*arguments); });
}

}  // namespace chaosgrad::cli
