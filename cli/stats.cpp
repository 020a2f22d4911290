#include <fmt/format.h>

#include <memory>
#include <utility>

#include "chaosgrad/chaosgrad.h"
#include "io/run_statistics.h"
#include "session.h"
#include "solution/constrained/infeasible_note.h"
#include "solution/number_text.h"
#include "solution/statistics/statistic_table.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

constexpr std::size_t shown_outputs = 12;
constexpr std::size_t shown_pairs = 6;

struct StatsArguments {
  std::string directory, components;
  std::vector<std::string> reweight;
  bool json = false, anyway = false;
};

void print_row(const std::string& name, const std::vector<Estimate>& estimates) {
  fmt::print("  {:<14}", name);
  for (const Estimate& estimate : estimates) fmt::print(" {:>20}", with_bar(estimate));
  fmt::print("\n");
}

void print_header(std::string_view title, const std::vector<std::string>& columns) {
  fmt::print("\n  {:<14}", title);
  for (const std::string& column : columns) fmt::print(" {:>20}", column);
  fmt::print("\n");
}

// The largest pairwise indices.
void print_pairs(const std::string& name, const std::vector<Estimate>& pairwise,
                 const Statistics& statistics, const std::vector<std::string>& parameters) {
  std::vector<std::size_t> order;
  for (std::size_t p = 0; p < pairwise.size(); ++p) order.push_back(p);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return pairwise[a].value > pairwise[b].value;
  });
  for (std::size_t i = 0; i < std::min(order.size(), shown_pairs); ++i) {
    const auto& [k, l] = statistics.pairs[order[i]];
    fmt::print("  {:<14} {:>20}   {} and {}\n", i == 0 ? name : "", with_bar(pairwise[order[i]]),
               parameters[static_cast<std::size_t>(k)], parameters[static_cast<std::size_t>(l)]);
  }
}

// The statistics that are one number, side by side.
void print_numbers(const std::vector<std::string>& names, const std::vector<std::size_t>& shown,
                   const Statistics& statistics) {
  std::vector<std::string> columns;
  for (const StatisticEntry& entry : statistic_table()) {
    if (entry.shape == StatisticShape::number) columns.emplace_back(entry.title);
  }
  print_header("", columns);
  for (const std::size_t j : shown) {
    std::vector<Estimate> row;
    for (const NumberEntry& number : number_statistics())
      row.push_back(statistics.outputs[j].*number.member);
    print_row(names[j], row);
  }
}

// Those that are a number per level, per parameter or per pair: a table each.
void print_lists(const Record& run, const std::vector<std::string>& names,
                 const std::vector<std::size_t>& shown, const Statistics& statistics) {
  const std::vector<std::string>& parameters = run.labels.parameters;
  std::vector<std::string> levels;
  for (const double level : statistics.levels) levels.push_back(fmt::format("{:g} %", 100 * level));
  bool said = !run.solution.expansion.measure().is_dependent();
  for (const StatisticEntry& entry : statistic_table()) {
    const auto* member = std::get_if<std::vector<Estimate> OutputStatistics::*>(&entry.member);
    if (!member) continue;
    if (entry.group == "sobol" && !std::exchange(said, true)) {
      fmt::print(
          "\n  The parameters depend on each other: Sobol' indices refer to the independent "
          "variables that drive them (docs/mathematics.md, 2).\n");
    }
    const bool pairs = entry.shape == StatisticShape::per_pair;
    if (pairs && statistics.pairs.empty()) continue;
    print_header(entry.title, pairs ? std::vector<std::string>{}
                              : entry.shape == StatisticShape::per_level ? levels
                                                                         : parameters);
    for (const std::size_t j : shown) {
      const std::vector<Estimate>& estimates = statistics.outputs[j].**member;
      if (pairs) {
        print_pairs(names[j], estimates, statistics, parameters);
      } else {
        print_row(names[j], estimates);
      }
    }
  }
}

// How often each constraint is active, and what it costs.
void print_constraints(const ConstraintReport& report) {
  if (report.constraints.empty()) return;
  print_header("", {"P(active)", "multiplier: mean", "sd"});
  for (const ConstraintStatistics& found : report.constraints) {
    const Constraint& one = found.constraint;
    const std::size_t shown = std::min(found.active.size(), shown_outputs);
    for (std::size_t i = 0; i < shown; ++i) {
      std::vector<Estimate> row = {found.active[i]};
      if (!found.mean.empty()) row.insert(row.end(), {found.mean[i], found.sd[i]});
      print_row(one.is_list && !one.norm ? fmt::format("{}[{}]", one.name, i) : one.name, row);
    }
    if (shown < found.active.size())
      fmt::print("  … and {} more components of {}\n", found.active.size() - shown, one.name);
  }
  fmt::print("  largest violation {:.2g}\n", report.violation);
}

void print_statistics(const Record& run, const Statistics& statistics,
                      const std::vector<std::string>& quantities, double confidence) {
  std::vector<std::string> names = run.labels.variables;
  const std::size_t components = names.size();
  names.insert(names.end(), quantities.begin(), quantities.end());
  std::vector<std::size_t> shown;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (j < shown_outputs || j >= components) shown.push_back(j);
  }
  if (!run.labels.title.empty()) fmt::print("{}\n", run.labels.title);
  fmt::print("Error bars hold with {:g} % confidence.\n", 100 * confidence);
  if (statistics.reweighting) {
    fmt::print(
        "Another distribution of the parameters: errors grow by a factor of up to {:.3g}; {:.3g} % "
        "of the run's samples would count under it.\n",
        statistics.reweighting->error_factor, 100 * statistics.reweighting->effective_share);
  }
  print_numbers(names, shown, statistics);
  print_lists(run, names, shown, statistics);
  std::erase_if(
      shown, [&](std::size_t j) { return static_cast<Index>(j) >= statistics.covariance.rows(); });
  std::vector<std::string> columns;
  for (const std::size_t j : shown) columns.push_back(names[j]);
  print_header("covariance", columns);
  for (const std::size_t i : shown) {
    std::vector<Estimate> row;
    for (const std::size_t j : shown) {
      const auto a = static_cast<Index>(i), b = static_cast<Index>(j);
      row.push_back({statistics.covariance(a, b), statistics.covariance_error(a, b)});
    }
    print_row(names[i], row);
  }
  if (components > shown_outputs)
    fmt::print("\n  … and {} more components: see --json\n", components - shown_outputs);
}

int run_stats(const StatsArguments& arguments) {
  const StoredRun run = open_answer(arguments.directory, arguments.anyway);
  const Record record = run.record();
  const NamedQuantities quantities = named_quantities(record);
  StatisticsOptions options = statistics_options(run.solution);
  if (!arguments.reweight.empty()) options.measure = reweighted_measure(record, arguments.reweight);
  const std::unique_ptr<const ShownRecord> shown = shown_record(record, arguments.components);
  const Statistics found = shown_statistics(*shown, quantities.functions, options);
  const ConstraintReport constraints = constraint_statistics(run.solution, options);
  const double confidence = run.solution.error.confidence;
  if (arguments.json) {
    fmt::print("{}\n",
               statistics_json(shown->record(), found, quantities.names, confidence, constraints));
  } else {
    print_statistics(shown->record(), found, quantities.names, confidence);
    print_constraints(constraints);
    const std::string note = infeasible_note(run.solution.expansion, constraints.infeasible,
                                             found.infeasible, record.labels.parameters);
    if (!note.empty()) fmt::print("  note: {}\n", note);
    if (!shown->all())
      fmt::print("  {} of {} components are shown: --components chooses others\n",
                 shown->components().size(), record.labels.variables.size());
  }
  return exit_solved;
}

}  // namespace

void add_stats(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<StatsArguments>();
  CLI::App* command = app.add_subcommand(
      "stats", "Statistics of the optimum over the uncertainty, each with its error bar");
  command->add_option("DIR", arguments->directory, "folder of the run")->required();
  command
      ->add_option("--reweight", arguments->reweight,
                   "another distribution of a parameter: 'NAME={distribution=\"…\", …}'")
      ->allow_extra_args(false);
  add_components(*command, arguments->components);
  command->add_flag("--json", arguments->json, "print JSON");
  add_anyway(*command, arguments->anyway);
  command->callback([arguments, &exit_code] { exit_code = run_stats(*arguments); });
}

}  // namespace chaosgrad::cli
