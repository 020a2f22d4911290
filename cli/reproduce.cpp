#include "paper/reproduce.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "commands.h"
#include "io/json_numbers.h"
#include "report/report.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

struct ReproduceArguments {
  std::vector<std::string> names;
  std::string directory = "runs/reproduce";
  ReproduceOptions options;
  bool json = false, quiet = false;
};

// One line on a terminal: the figure, and how many of its trials are done.
class TrialBar {
 public:
  explicit TrialBar(bool wanted) : active_(wanted && ::isatty(STDERR_FILENO) != 0) {}
  ~TrialBar() {
    if (active_) fmt::print(stderr, "\r\033[K");
  }
  TrialBar(const TrialBar&) = delete;
  TrialBar& operator=(const TrialBar&) = delete;

  void show(const std::string& name, Index done, Index total) {
    const auto now = std::chrono::steady_clock::now();
    if (!active_ || (done < total && now - last_ < std::chrono::milliseconds(100))) return;
    last_ = now;
    constexpr Index width = 24;
    const auto filled = static_cast<std::size_t>(width * done / total);
    fmt::print(stderr, "\r{:<11} [{}{}] {}/{} runs\033[K", name, std::string(filled, '#'),
               std::string(width - filled, '.'), done, total);
    std::fflush(stderr);
  }

 private:
  bool active_;
  std::chrono::steady_clock::time_point last_;
};

std::string shown(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void print_headline(const std::string& name, const Json& facts, double seconds) {
  fmt::print("{} ({} trials, {:.1f} s)\n", name, facts["trials"].get<Index>(), seconds);
  for (const auto& [fact, value] : facts["headline"].items()) {
    const std::string paper = shown(value["paper"]);
    fmt::print("  {}: {}{}\n", fact, shown(value["ours"]),
               paper.empty() ? "" : " (paper: " + paper + ")");
  }
}

int run_reproduce(const ReproduceArguments& arguments) {
  const std::vector<std::string> known = figure_names();
  const std::vector<std::string>& names = arguments.names.empty() ? known : arguments.names;
  for (const std::string& name : names) check_figure_name(name);
  Json all = Json::object();
  std::vector<Figure> figures;
  for (const std::string& name : names) {
    const auto start = std::chrono::steady_clock::now();
    Figure figure;
    {
      TrialBar bar(!arguments.quiet && !arguments.json);
      ReproduceOptions options = arguments.options;
      options.progress = [&](Index done, Index total) { bar.show(name, done, total); };
      figure = reproduce(name, options);
    }
    save_figure(arguments.directory, figure);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    all[name] = Json::parse(figure.facts);
    if (!arguments.json && !arguments.quiet) print_headline(name, all[name], seconds);
    figures.push_back(std::move(figure));
  }
  write_figures(arguments.directory, figures);
  if (arguments.json) {
    fmt::print("{}\n", all.dump(2));
  } else if (!arguments.quiet) {
    fmt::print("\nwritten to {0}; to look at: {0}/report.html\n", arguments.directory);
  }
  return exit_solved;
}

}  // namespace

void add_reproduce(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ReproduceArguments>();
  CLI::App* command = app.add_subcommand(
      "reproduce", "Run the paper's experiments: tables, pictures, headline facts");
  command->add_option(
      "FIGURE", arguments->names,
      "fig1a, fig1b, fig2, fig3, blowup, equal-time, nested, optimum, slips (default: all)");
  command
      ->add_option("--trials", arguments->options.trials,
                   "runs to average over (nested: a tenth of them)")
      ->capture_default_str();
  command->add_option("--seed", arguments->options.seed, "seed of the random numbers")
      ->capture_default_str();
  command->add_option("--threads", arguments->options.threads,
                      "trials at a time (default: all cores)");
  command->add_option("-o,--output", arguments->directory, "folder for the results")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "print the facts of all figures as JSON");
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  command->callback([arguments, &exit_code] { exit_code = run_reproduce(*arguments); });
}

}  // namespace chaosgrad::cli
