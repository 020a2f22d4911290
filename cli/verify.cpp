#include "chaosgrad/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "io/json_numbers.h"
#include "io/store/evaluation_log.h"
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

// "price = 1.2, cost = 3", the first few of many.
std::string listed(const std::vector<std::string>& names, const Vector& values) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), most); ++k) {
    text +=
        fmt::format("{}{} = {:.6g}", k > 0 ? ", " : "", names[k], values(static_cast<Index>(k)));
  }
  return names.size() > most ? text + ", …" : text;
}

Json object(const std::vector<std::string>& names, const Vector& values) {
  Json json = Json::object();
  for (std::size_t k = 0; k < names.size(); ++k)
    json[names[k]] = number(values(static_cast<Index>(k)));
  return json;
}

Json minima_json(const StoredRun& run, const OtherMinima& minima) {
  Json json = {{"lower", minima.lower}, {"equal", minima.equal}, {"worst", nullptr}};
  if (minima.count() == 0) return json;
  json["worst"] = {{"parameters", object(run.labels.parameters, minima.theta)},
                   {"near", object(run.labels.variables, minima.near)},
                   {"other", object(run.labels.variables, minima.other)},
                   {"near_value", number(minima.near_value)},
                   {"other_value", number(minima.other_value)}};
  return json;
}

std::string outside_in_words(const StoredRun& run, const Verification& found) {
  return fmt::format(
      "the expansion leaves the domain of the objective at {} of {} points{}{} at {}",
      found.outside, found.points, found.outside_reason.empty() ? "" : ": ", found.outside_reason,
      listed(run.labels.parameters, found.outside_theta));
}

// What is wrong with the run, in words; the exit code is that of a failure then.
std::vector<std::string> complaints(const StoredRun& run, const Verification& found,
                                    double confidence) {
  std::vector<std::string> list;
  const std::optional<double> estimate = run.solution.error.estimate;
  if (estimate && judge_estimate(*estimate, found) == Verdict::too_small) {
    list.push_back(
        fmt::format("the run promises too much: its error estimate is {:.4g}, but the error is at "
                    "least {:.4g} with {:g} % confidence",
                    *estimate, found.lower, 100 * confidence));
  }
  const OtherMinima& minima = found.minima;
  if (minima.count() > 0) {
    list.push_back(fmt::format(
        "the objective has several minima: at {} of {} points the problem's own start leads to "
        "another one that is {}; at {} it is F = {:.6g} with {}, where the run has F = {:.6g} with "
        "{}",
        minima.count(), found.points,
        minima.equal == 0   ? "lower"
        : minima.lower == 0 ? "as low"
                            : "lower or as low",
        listed(run.labels.parameters, minima.theta), minima.other_value,
        listed(run.labels.variables, minima.other), minima.near_value,
        listed(run.labels.variables, minima.near)));
  }
  if (leaves_domain(found, confidence)) list.push_back(outside_in_words(run, found));
  return list;
}

void print_json(const StoredRun& run, const Verification& found, double confidence,
                double seconds) {
  const std::vector<std::string>& parameters = run.labels.parameters;
  const std::vector<std::string>& variables = run.labels.variables;
  Json json = {
      {"error", found.error},
      {"lower", found.lower},
      {"upper", found.upper},
      {"confidence", confidence},
      {"estimate", nullptr},
      {"verdict", nullptr},
      {"points", found.points},
      {"unsolved", found.unsolved},
      {"skipped", found.skipped},
      {"unseen", found.unseen},
      {"minima", minima_json(run, found.minima)},
      {"outside_domain", found.outside},
      {"worst", {{"error", found.worst}, {"parameters", object(parameters, found.worst_theta)}}},
      {"components", object(variables, found.components)},
      {"gradient_evaluations", found.gradients},
      {"seconds", seconds}};
  if (run.solution.error.estimate) {
    json["estimate"] = *run.solution.error.estimate;
    json["verdict"] = to_string(judge_estimate(*run.solution.error.estimate, found));
  }
  fmt::print("{}\n", json.dump(2));
}

void print_text(const StoredRun& run, const Verification& found, double confidence,
                double seconds) {
  fmt::print("{} fresh theta solved one by one: {} gradients, {:.3g} s\n", found.points,
             found.gradients, seconds);
  if (found.skipped > 0)
    fmt::print("  {} more were left out: the gradient fails there\n", found.skipped);
  if (found.unsolved > 0)
    fmt::print("  {} optimisations did not reach full accuracy\n", found.unsolved);
  fmt::print("  error {:.4g}, between {:.4g} and {:.4g} with {:g} % confidence\n", found.error,
             found.lower, found.upper, 100 * confidence);
  if (run.solution.error.estimate) {
    fmt::print("  the run's estimate {:.4g}: {}\n", *run.solution.error.estimate,
               to_string(judge_estimate(*run.solution.error.estimate, found)));
  } else {
    fmt::print("  the run has no estimate of its error\n");
  }
  fmt::print("  largest difference {:.4g} at {}\n", found.worst,
             listed(run.labels.parameters, found.worst_theta));
  if (found.outside > 0 && !leaves_domain(found, confidence))
    fmt::print("  {}\n", outside_in_words(run, found));
  fmt::print("  {} points cannot exclude features of a probability below {:.2g} %\n", found.points,
             100 * found.unseen);
}

int run_verify(const VerifyArguments& arguments) {
  const StoredRun run = open_run(arguments.directory);
  VerifyOptions options = arguments.options;
  options.confidence = run.solution.options.confidence;
  options.threads = run.solution.options.threads;
  options.seed = arguments.seed.value_or(run.solution.options.seed);
  const auto start = std::chrono::steady_clock::now();
  const ProblemFile& file = problem_of(run, arguments.directory);
  std::optional<EvaluationLog> log;
  if (file.model) log.emplace(arguments.directory, file, EvaluationLog::Failures::remembered);
  const Verification found = verify(file.problem, run.solution.expansion, options);
  if (log) log->close();
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
  const std::vector<std::string> wrong = complaints(run, found, options.confidence);
  for (const std::string& text : wrong) fmt::print(stderr, "error: {}\n", text);
  return wrong.empty() ? exit_solved : exit_numerical;
}

}  // namespace

void add_verify(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* command = app.add_subcommand(
      "verify",
      "Solve fresh theta one by one to high accuracy, and compare with the run; exit code 3 if the "
      "run's error estimate is too small, or the objective is lower elsewhere");
  command->add_option("DIR", arguments->directory, "folder of the run")->required();
  command->add_option("-n", arguments->options.points, "how many theta")->capture_default_str();
  command->add_option("--draws", arguments->options.draws, "of the noise at each theta")
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "of the theta (default: that of the run)");
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments, &exit_code] { exit_code = run_verify(*arguments); });
}

}  // namespace chaosgrad::cli
