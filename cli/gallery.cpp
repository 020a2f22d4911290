#include "io/problem_file/gallery.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "chaosgrad/error.h"
#include "commands.h"
#include "expression/expression.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

struct GalleryArguments {
  std::string name, directory;
};

// The title line of a problem file.
std::string_view title_of(std::string_view text) {
  const std::size_t key = text.find("title = \"");
  if (key == std::string_view::npos) return {};
  text.remove_prefix(key + 9);
  return text.substr(0, text.find('"'));
}

void write(const std::filesystem::path& path, std::string_view content) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream stream(path, std::ios::binary);
  stream << content;
  stream.close();
  if (!stream) throw IoError(path.string() + ": cannot be written");
}

int run_gallery(const GalleryArguments& arguments) {
  if (arguments.name.empty()) {
    for (const GalleryProblem& problem : gallery())
      fmt::print("{:<20} {}\n", problem.name, title_of(problem.text));
    return exit_solved;
  }
  std::vector<std::string> names;
  for (const GalleryProblem& problem : gallery()) names.emplace_back(problem.name);
  const auto found = std::find(names.begin(), names.end(), arguments.name);
  if (found == names.end()) {
    const auto near = nearest_name(arguments.name, names);
    throw InputError("gallery",
                     fmt::format("no problem is called '{}'; {}", arguments.name,
                                 near ? fmt::format("did you mean '{}'?", *near)
                                      : fmt::format("there are: {}", fmt::join(names, ", "))));
  }
  const GalleryProblem& problem = gallery()[static_cast<std::size_t>(found - names.begin())];
  if (arguments.directory.empty()) {
    fmt::print("{}", problem.text);
    return exit_solved;
  }
  const std::filesystem::path directory = arguments.directory;
  write(directory / (arguments.name + ".toml"), problem.text);
  fmt::print("{}\n", (directory / (arguments.name + ".toml")).string());
  for (const auto& [name, content] : problem.files) write(directory / name, content);
  return exit_solved;
}

}  // namespace

void add_gallery(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<GalleryArguments>();
  CLI::App* command =
      app.add_subcommand("gallery", "List the built-in example problems, or write one out");
  command->add_option("NAME", arguments->name, "the problem to write to standard output");
  command->add_option("-o,--output", arguments->directory,
                      "folder to write the problem and its data files to");
  command->callback([arguments, &exit_code] { exit_code = run_gallery(*arguments); });
}

}  // namespace chaosgrad::cli
