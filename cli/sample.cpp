#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "chaosgrad/chaosgrad.h"
#include "io/run_statistics.h"
#include "random/random.h"
#include "samples/parameters.h"
#include "session.h"
#include "solution/number_text.h"
#include "solution/statistics/sampler.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

struct SampleArguments {
  std::string directory;
  Index count = 10;
  std::optional<std::uint64_t> seed;
  bool csv = false, anyway = false;
};

void print_header(const std::vector<std::string>& names, bool csv) {
  if (csv) {
    fmt::print("{}\n", fmt::join(names, ","));
    return;
  }
  for (const std::string& name : names) fmt::print("{:>14}", name);
  fmt::print("\n");
}

void print_row(const Eigen::RowVectorXd& row, Index values, bool csv) {
  if (csv) {
    std::vector<std::string> cells;
    for (const double value : row) cells.push_back(csv_cell(value));
    fmt::print("{}\n", fmt::join(cells, ","));
    return;
  }
  for (Index i = 0; i < row.size(); ++i) {
    const int digits = i < values ? 6 : 1;
    fmt::print("{:>14}", std::isnan(row(i)) ? "–" : fmt::format("{:.{}g}", row(i), digits));
  }
  fmt::print("\n");
}

int run_sample(const SampleArguments& arguments) {
  const StoredRun run = open_answer(arguments.directory, arguments.anyway);
  const Record record = run.record();
  const NamedQuantities quantities = named_quantities(record);
  const Expansion& expansion = run.solution.expansion;
  const std::uint64_t seed = arguments.seed.value_or(run.solution.options.seed);
  const auto draw = [&](Index first, Index n) {
    return draw_parameters(expansion.measure(), make_stream(seed, Purpose::sample, 0), first, n);
  };
  const auto typical = draw(0, block_size / 4);
  const QuantityAverage average(quantities.functions, expansion.evaluate_germ(typical.eta),
                                typical.theta, seed, run.solution.error.confidence);

  std::vector<std::string> header = run.labels.parameters;
  header.insert(header.end(), run.labels.variables.begin(), run.labels.variables.end());
  header.insert(header.end(), quantities.names.begin(), quantities.names.end());
  const auto values = static_cast<Index>(header.size());
  if (!average.exact()) {
    for (const std::string& name : quantities.names) header.push_back(name + "_error");
  }
  print_header(header, arguments.csv);
  for (Index first = 0; first < arguments.count; first += block_size) {
    const Index n = std::min(block_size, arguments.count - first);
    const auto [eta, theta] = draw(first, n);
    const Matrix x = expansion.evaluate_germ(eta);
    const QuantityAverage::Result found = average.at(x, theta);
    Matrix table(n, static_cast<Index>(header.size()));
    table.leftCols(values) << theta, x, found.mean;
    if (!average.exact()) table.rightCols(found.error.cols()) = found.error;
    for (Index i = 0; i < n; ++i) print_row(table.row(i), values, arguments.csv);
  }
  return exit_solved;
}

}  // namespace

void add_sample(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<SampleArguments>();
  CLI::App* command =
      app.add_subcommand("sample",
                         "Draws of the parameters, the optimum and the quantities; where those are "
                         "averages over noise that cannot be summed up, each with its error bar");
  command->add_option("DIR", arguments->directory, "folder of the run")->required();
  command->add_option("-n", arguments->count, "how many")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", arguments->seed, "of the draws (default: that of the run)");
  command->add_flag("--csv", arguments->csv, "print CSV, with all digits");
  add_anyway(*command, arguments->anyway);
  command->callback([arguments, &exit_code] { exit_code = run_sample(*arguments); });
}

}  // namespace chaosgrad::cli
