#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "chaosgrad/chaosgrad.h"
#include "io/run_statistics.h"
#include "random/random.h"
#include "samples/parameters.h"
#include "session.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

constexpr Index noise_draws = 256;  // behind each quantity, common to all samples

struct SampleArguments {
  std::string directory;
  Index count = 10;
  std::optional<std::uint64_t> seed;
  bool csv = false;
};

int run_sample(const SampleArguments& arguments) {
  const StoredRun run = open_run(arguments.directory);
  const Record record = run.record();
  const NamedQuantities quantities = named_quantities(record);
  const Measure& measure = run.solution.expansion.measure();
  const std::uint64_t seed = arguments.seed.value_or(run.solution.options.seed);
  const Stream stream = make_stream(seed, Purpose::sample, 0);

  std::vector<std::string> header = run.labels.parameters;
  const auto append = [&](const std::vector<std::string>& names) {
    header.insert(header.end(), names.begin(), names.end());
  };
  append(run.labels.variables);
  append(quantities.names);
  if (arguments.csv) {
    fmt::print("{}\n", fmt::join(header, ","));
  } else {
    for (const std::string& name : header) fmt::print("{:>14}", name);
    fmt::print("\n");
  }
  const Index r = quantities.functions.noise_dimension;
  const Matrix noise =
      draw_noise(r, make_stream(seed, Purpose::sample, 1), 0, r > 0 ? noise_draws : 1);
  for (Index first = 0; first < arguments.count; first += block_size) {
    const Index n = std::min(block_size, arguments.count - first);
    const auto [eta, theta] = draw_parameters(measure, stream, first, n);
    const Matrix x = run.solution.expansion.evaluate_germ(eta);
    Matrix table(n, static_cast<Index>(header.size()));
    table << theta, x, quantity_means(quantities.functions, x, theta, noise);
    for (Index i = 0; i < n; ++i) {
      const Eigen::RowVectorXd row = table.row(i);
      if (arguments.csv) {
        fmt::print("{:.17g}\n", fmt::join(row.begin(), row.end(), ","));
      } else {
        for (const double value : row) fmt::print("{:>14.6g}", value);
        fmt::print("\n");
      }
    }
  }
  return exit_solved;
}

}  // namespace

void add_sample(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<SampleArguments>();
  CLI::App* command =
      app.add_subcommand("sample", "Draws of the parameters, the optimum and the quantities");
  command->add_option("DIR", arguments->directory, "folder of the run")->required();
  command->add_option("-n", arguments->count, "how many")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", arguments->seed, "of the draws (default: that of the run)");
  command->add_flag("--csv", arguments->csv, "print CSV, with all digits");
  command->callback([arguments, &exit_code] { exit_code = run_sample(*arguments); });
}

}  // namespace chaosgrad::cli
