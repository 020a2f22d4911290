#include "chaosgrad/io.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <memory>

#include "chaosgrad/error.h"
#include "session.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

struct ExportArguments {
  std::string directory, output;
  Language language = Language::c;
  bool anyway = false;
};

int run_export(const ExportArguments& arguments) {
  const StoredRun run = open_answer(arguments.directory, arguments.anyway);
  const std::string source = export_source(run.solution, arguments.language, run.labels);
  if (arguments.output == "-") {
    fmt::print("{}", source);
    return exit_solved;
  }
  const std::string path =
      !arguments.output.empty()
          ? arguments.output
          : arguments.directory +
                (arguments.language == Language::c ? "/optimum.c" : "/optimum.py");
  std::ofstream file(path, std::ios::binary);
  file << source << std::flush;
  if (!file) throw IoError(path + ": cannot be written");
  fmt::print("{}\n", path);
  return exit_solved;
}

}  // namespace

void add_export(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand(
      "export", "Write x*(theta) and its derivatives as a source file without dependencies");
  command->add_option("DIR", arguments->directory, "folder of the run")->required();
  command->add_option("--language", arguments->language, "c or python")
      ->required()
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Language>{{"c", Language::c}, {"python", Language::python}}));
  command->add_option(
      "-o,--output", arguments->output,
      "file to write (default DIR/optimum.c or DIR/optimum.py; - for standard output)");
  add_anyway(*command, arguments->anyway);
  command->callback([arguments, &exit_code] { exit_code = run_export(*arguments); });
}

}  // namespace chaosgrad::cli
