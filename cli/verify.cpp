#include "chaosgrad/verify.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "io/json_numbers.h"
#include "session.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

struct VerifyArguments {
  std::string directory;
  VerifyOptions options;
  std::optional<std::uint64_t> seed;
  bool json = false;
};

const char* words(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::too_small:
      return "too small";
    case Verdict::too_large:
      return "too large";
  }
  return "";
}

void print_json(const StoredRun& run, const Verification& found, double confidence,
                double seconds) {
  const std::vector<std::string>& parameters = run.labels.parameters;
  const std::vector<std::string>& variables = run.labels.variables;
  Json json = {{"error", found.error},
               {"lower", found.lower},
               {"upper", found.upper},
               {"confidence", confidence},
               {"estimate", nullptr},
               {"verdict", nullptr},
               {"points", found.points},
               {"unsolved", found.unsolved},
               {"worst", {{"error", found.worst}, {"parameters", Json::object()}}},
               {"components", Json::object()},
               {"gradient_evaluations", found.gradients},
               {"seconds", seconds}};
  if (run.solution.error.estimate) {
    json["estimate"] = *run.solution.error.estimate;
    json["verdict"] = words(judge_estimate(*run.solution.error.estimate, found));
  }
  for (std::size_t k = 0; k < parameters.size(); ++k)
    json["worst"]["parameters"][parameters[k]] = found.worst_theta(static_cast<Index>(k));
  for (std::size_t i = 0; i < variables.size(); ++i)
    json["components"][variables[i]] = found.components(static_cast<Index>(i));
  fmt::print("{}\n", json.dump(2));
}

void print_text(const StoredRun& run, const Verification& found, double confidence,
                double seconds) {
  fmt::print("{} fresh theta solved one by one: {} gradients, {:.3g} s\n", found.points,
             found.gradients, seconds);
  if (found.unsolved > 0)
    fmt::print("  {} optimisations did not reach full accuracy\n", found.unsolved);
  fmt::print("  error {:.4g}, between {:.4g} and {:.4g} with {:g} % confidence\n", found.error,
             found.lower, found.upper, 100 * confidence);
  if (run.solution.error.estimate) {
    fmt::print("  the run's estimate {:.4g}: {}\n", *run.solution.error.estimate,
               words(judge_estimate(*run.solution.error.estimate, found)));
  } else {
    fmt::print("  the run has no estimate of its error\n");
  }
  fmt::print("  largest difference {:.4g} at", found.worst);
  const std::vector<std::string>& parameters = run.labels.parameters;
  for (std::size_t k = 0; k < parameters.size(); ++k)
    fmt::print(" {} = {:.6g}", parameters[k], found.worst_theta(static_cast<Index>(k)));
  fmt::print("\n");
}

int run_verify(const VerifyArguments& arguments) {
  const StoredRun run = open_run(arguments.directory);
  VerifyOptions options = arguments.options;
  options.confidence = run.solution.options.confidence;
  options.threads = run.solution.options.threads;
  options.seed = arguments.seed.value_or(run.solution.options.seed);
  const auto start = std::chrono::steady_clock::now();
  const Verification found =
      verify(problem_of(run, arguments.directory).problem, run.solution.expansion, options);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!found.failure.empty()) {
    fmt::print(stderr, "error: {}\n", found.failure);
    return exit_numerical;
  }
  if (arguments.json) {
    print_json(run, found, options.confidence, seconds);
  } else {
    print_text(run, found, options.confidence, seconds);
  }
  if (!run.solution.error.estimate ||
      judge_estimate(*run.solution.error.estimate, found) != Verdict::too_small)
    return exit_solved;
  fmt::print(stderr,
             "error: the run promises too much: its error estimate is {:.4g}, but the error is at "
             "least {:.4g} with {:g} % confidence\n",
             *run.solution.error.estimate, found.lower, 100 * options.confidence);
  return exit_numerical;
}

}  // namespace

void add_verify(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* command = app.add_subcommand(
      "verify",
      "Solve fresh theta one by one to high accuracy, and compare with the run; exit code 3 if the "
      "run's error estimate is too small");
  command->add_option("DIR", arguments->directory, "folder of the run")->required();
  command->add_option("-n", arguments->options.points, "how many theta")->capture_default_str();
  command->add_option("--draws", arguments->options.draws, "of the noise at each theta")
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "of the theta (default: that of the run)");
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments, &exit_code] { exit_code = run_verify(*arguments); });
}

}  // namespace chaosgrad::cli
