#include "paper/reproduce.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

#include "chaosgrad/error.h"
#include "expression/expression.h"
#include "paper/figures.h"

namespace chaosgrad::internal {
namespace {

using Maker = Figure (*)(const ReproduceOptions&);

const std::vector<std::pair<std::string, Maker>>& makers() {
  static const std::vector<std::pair<std::string, Maker>> list = {
      {"fig1a", figure_exact},   {"fig1b", figure_monte_carlo}, {"fig2", figure_noise},
      {"fig3", figure_growing},  {"blowup", figure_blowup},     {"equal-time", figure_equal_time},
      {"nested", figure_nested}, {"optimum", figure_optimum},   {"slips", figure_slips}};
  return list;
}

void write(const std::string& path, const std::string& content) {
  std::ofstream stream(path, std::ios::binary);
  stream << content;
  stream.close();
  if (!stream) throw IoError(path + ": cannot be written");
}

std::string csv(const Figure& figure) {
  std::string text = fmt::format("{}\n", fmt::join(figure.columns, ","));
  for (Index i = 0; i < figure.rows.rows(); ++i) {
    for (Index j = 0; j < figure.rows.cols(); ++j) {
      if (j > 0) text += ',';
      if (std::isfinite(figure.rows(i, j))) text += fmt::format("{:.17g}", figure.rows(i, j));
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : makers()) names.push_back(name);
  return names;
}

void check_figure_name(const std::string& name) {
  const std::vector<std::string> names = figure_names();
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  const auto near = nearest_name(name, names);
  throw InputError("reproduce",
                   fmt::format("no figure is called '{}'; {}", name,
                               near ? fmt::format("did you mean '{}'?", *near)
                                    : fmt::format("there are: {}", fmt::join(names, ", "))));
}

Figure reproduce(const std::string& name, const ReproduceOptions& options) {
  check_figure_name(name);
  if (options.trials < 1)
    throw InputError("trials", fmt::format("must be at least 1, found {}", options.trials));
  const auto found = std::find_if(makers().begin(), makers().end(),
                                  [&](const auto& maker) { return maker.first == name; });
  return found->second(options);
}

void save_figure(const std::string& directory, const Figure& figure) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const std::string base = directory + "/" + figure.name;
  write(base + ".csv", csv(figure));
  write(base + ".svg", draw(figure.charts));
  write(base + ".json", figure.facts + "\n");
}

}  // namespace chaosgrad::internal
