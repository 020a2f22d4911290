// The sieve with other constants, on problems whose optimum is known. One line of JSON per problem
// and seed; benchmarks/ablation_sieve.py calls it and makes the table.
// Usage: ablation_sieve [--tune NAME=VALUE]... [--tolerance RELATIVE] [--confidence P] [--seeds N]
//                       [--max-gradients N] FILE.toml...
#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "chaosgrad/chaosgrad.h"
#include "io/problem_file/problem_file.h"
#include "problem/problem_samples.h"
#include "solve/common/goal.h"
#include "solve/common/monitor.h"
#include "solve/common/validation.h"
#include "solve/sieve/sieve.h"

namespace {

using namespace chaosgrad;
using namespace chaosgrad::internal;

struct Arguments {
  SieveTuning tuning;
  Options options;
  std::uint64_t seeds = 2;
  std::vector<std::string> files;
};

void tune(SieveTuning& tuning, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const double value = std::stod(text.substr(equals + 1));
  bool found = false;
  visit(tuning, [&](std::string_view known, auto& constant) {
    if (known != name) return;
    constant = static_cast<std::decay_t<decltype(constant)>>(value);
    found = true;
  });
  if (!found) throw InputError("tune", "no constant of the sieve is called " + name);
}

Arguments read(int argc, char** argv) {
  Arguments arguments;
  arguments.options.method = Method::sieve;
  arguments.options.relative_tolerance = 2e-2;
  arguments.options.threads = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view key = argv[i];
    if (!key.starts_with("--")) {
      arguments.files.emplace_back(key);
      continue;
    }
    if (++i == argc) throw InputError(std::string(key), "needs a value");
    if (key == "--tune") {
      tune(arguments.tuning, argv[i]);
    } else if (key == "--tolerance") {
      arguments.options.relative_tolerance = std::atof(argv[i]);
    } else if (key == "--confidence") {
      arguments.options.confidence = std::atof(argv[i]);
    } else if (key == "--seeds") {
      arguments.seeds = std::strtoull(argv[i], nullptr, 10);
    } else if (key == "--max-gradients") {
      arguments.options.max_gradients = std::atoll(argv[i]);
    } else {
      throw InputError(std::string(key), "is not an option");
    }
  }
  return arguments;
}

nlohmann::json solve_one(const Oracle& oracle, const Options& options, const SieveTuning& tuning) {
  std::vector<Family> families = make_families(oracle);
  IndexSet constant = IndexSet::first(static_cast<Index>(families.size()), 1);
  Run run{.basis = Basis(std::move(families), std::move(constant)),
          .u = oracle.facts().start.transpose()};
  Executor executor(options.threads);
  const std::optional<ReferenceExpansion> no_reference;
  Monitor monitor(oracle.parameters(), options, no_reference);
  solve_sieve(oracle, options, monitor, executor, run, tuning);
  nlohmann::json line{{"status", to_string(run.status)},
                      {"gradients", run.gradients},
                      {"functions", run.u.rows()},
                      {"seconds", monitor.seconds()},
                      {"tolerance", absolute_tolerance(options, run.u.norm())}};
  if (run.error) line["estimate"] = *run.error->estimate;
  const auto error = Validation(oracle, 1, 1 << 13).error(run.basis, run.u, executor);
  if (error) line["true"] = *error;
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read(argc, argv);
  for (const std::string& path : arguments.files) {
    const ProblemFile file = load_problem(read_problem_source(path));
    for (std::uint64_t seed = 1; seed <= arguments.seeds; ++seed) {
      Options options = arguments.options;
      options.seed = seed;
      nlohmann::json line = solve_one(file.problem, options, arguments.tuning);
      line["problem"] = path;
      line["seed"] = seed;
      fmt::print("{}\n", line.dump());
    }
  }
}
