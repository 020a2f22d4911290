#include "solution/check.h"
#include "chaosgrad/error.h"
#include "paper/theory_report.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "io/json_numbers.h"
#include "io/problem_file/problem_file.h"
#include "io/store/evaluation_log.h"
#include "session.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

struct CheckArguments {
  std::string file, directory;
  std::vector<std::string> overrides;
  bool json = false, solve = false;
};

Json constant_json(const Constant& used, const Constant& measured) {
  return {{"value", number(used.value)},
          {"source", used.given ? "given" : "estimated"},
          {"lowest", number(measured.lowest)},
          {"highest", number(measured.highest)}};
}

void print_constant(const char* name, const Constant& used, const Constant& measured) {
  if (std::isnan(used.value)) {
    fmt::print("  {:<6} unknown: differences of the gradient leave the domain around the start\n",
               name);
    return;
  }
  fmt::print("  {:<6} {:<12.6g} {:<10} measured from {:.6g} to {:.6g} over the sampled theta\n",
             name, used.value, used.given ? "given" : "estimated", measured.lowest,
             measured.highest);
}

Json cost_json(const std::optional<CostPrediction>& cost) {
  if (!cost) return nullptr;
  return {{"basis_size", cost->m},
          {"samples", number(cost->M)},
          {"iterations", number(cost->iterations)},
          {"gradients", number(cost->gradients)}};
}

Json levels_json(const TheoryReport& report) {
  Json list = Json::array();
  for (const LevelReport& level : report.levels) {
    Json entry = {{"basis_size", level.m},
                  {"samples", level.M},
                  {"Q", number(level.Q)},
                  {"CG", number(level.noise_growth)},
                  {"largest_step",
                   {{"gd", number(level.steps.gd)},
                    {"agd", number(level.steps.agd)},
                    {"agd_paper", number(level.steps.agd_paper)},
                    {"agd_proved", number(level.steps.agd_proved)}}},
                  {"remainder", number(level.remainder)}};
    entry["mu_m"] = level.curvature ? number(level.curvature->mu) : Json(nullptr);
    entry["L_m"] = level.curvature ? number(level.curvature->L) : Json(nullptr);
    entry["kappa_m"] = level.curvature ? number(level.curvature->kappa()) : Json(nullptr);
    list.push_back(std::move(entry));
  }
  return list;
}

Json tolerances_json(const TheoryReport& report) {
  Json list = Json::array();
  for (const ToleranceReport& entry : report.tolerances) {
    list.push_back({{"tolerance", entry.tolerance},
                    {"kappa_epsilon", entry.condition ? Json(*entry.condition) : Json(nullptr)},
                    {"gd", cost_json(entry.gd)},
                    {"agd", cost_json(entry.agd)}});
  }
  return list;
}

Json remainders_json(const TheoryReport& report) {
  if (!report.remainders) return nullptr;
  Json values = Json::array();
  for (const double squared : report.remainders->squared) values.push_back(std::sqrt(squared));
  return {{"source", report.remainders->exact ? "reference" : "solution"}, {"values", values}};
}

std::string cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "-";
}

void print_theory(const TheoryReport& report) {
  fmt::print("\n  {:>6} {:>8} {:>10} {:>10} {:>10} {:>10} {:>11} {:>10} {:>10}\n", "m", "M", "Q_m",
             "C_G", "gd step", "agd step", "(proved)", "kappa_m", "|R_m|");
  for (const LevelReport& level : report.levels) {
    fmt::print("  {:>6} {:>8} {:>10.4g} {:>10.4g} {:>10.4g} {:>10.4g} {:>11.4g} {:>10} {:>10}\n",
               level.m, level.M, level.Q, level.noise_growth, level.steps.gd, level.steps.agd,
               level.steps.agd_proved,
               cell(level.curvature ? std::optional(level.curvature->kappa()) : std::nullopt),
               cell(level.remainder));
  }
  if (!report.remainders) {
    fmt::print(
        "  no reference that can be integrated: remainders and costs are unknown (--solve takes a "
        "solution)\n");
    return;
  }
  fmt::print(
      "\n  predicted cost with Monte Carlo gradients (upper bounds), remainders from the {}\n",
      report.remainders->exact ? "reference" : "coefficients of a solution");
  fmt::print("  {:>9} {:>9}   {:>4} {:>6} {:>10} {:>11} {:>11}\n", "tolerance", "kappa_eps", "",
             "m", "M", "iterations", "gradients");
  for (const ToleranceReport& entry : report.tolerances) {
    const auto row = [&](const char* method, const std::optional<CostPrediction>& cost) {
      fmt::print("  {:>9g} {:>9}   {:>4} ", entry.tolerance,
                 entry.condition ? fmt::format("{}", *entry.condition) : "-", method);
      if (cost) {
        fmt::print("{:>6} {:>10.4g} {:>11.4g} {:>11.4g}\n", cost->m, cost->M, cost->iterations,
                   cost->gradients);
      } else {
        fmt::print("more functions than the curve of remainders has\n");
      }
    };
    row("gd", entry.gd);
    row("agd", entry.agd);
  }
}

// None where the constants are not those of a strongly convex problem, or x is constrained: the
// theory is about expansions of x. None of a model that runs elsewhere: its tables take ten thousands
// of gradients.
std::optional<TheoryReport> find_theory(const ProblemFile& file, const ProblemCheck& check,
                                        bool with_solution) {
  const double mu = check.constants.mu.value;
  if (!(mu > 0 && std::isfinite(mu) && std::isfinite(check.constants.L.value))) return std::nullopt;
  if (file.problem.facts().constraints || file.model) return std::nullopt;
  try {
    if (!with_solution) return theory_report(file.problem, file.options, check.constants);
    const Solution solution = solve(file.problem, file.options);
    return theory_report(file.problem, file.options, check.constants,
                         solution.ok() ? &solution.expansion : nullptr);
  } catch (const InputError& error) {
    fail_at_place(file.source, error);
  }
}

int run_check(const CheckArguments& arguments) {
  const ProblemFile file = load_problem(read_problem_source(arguments.file, arguments.overrides));
  std::optional<EvaluationLog> log;
  if (file.model)
    log.emplace(arguments.directory.empty() ? default_folder(arguments.file) : arguments.directory,
                file, EvaluationLog::Failures::remembered);
  const AnyProblem& problem = file.problem;
  ProblemValue value;
  if (problem.has_value()) {
    value = [&](Block x, Block theta, Block noise, BlockOut values) {
      problem.value(x, theta, noise, values);
    };
  }
  const ProblemCheck check = check_problem(problem, value, file.options.seed);
  const std::optional<TheoryReport> theory = find_theory(file, check, arguments.solve);
  if (log) log->close();
  const ProblemConstants &used = check.constants, &measured = check.measured;
  if (arguments.json) {
    Json json = {{"dimension", problem.dimension()},
                 {"parameters", problem.parameter_names()},
                 {"variables", problem.component_names()},
                 {"noise_dimension", problem.noise_dimension()},
                 {"gradient_error", number(check.gradient_error)},
                 {"mu", constant_json(used.mu, measured.mu)},
                 {"L", constant_json(used.L, measured.L)},
                 {"kappa", number(used.kappa())},
                 {"V", constant_json(used.V, measured.V)},
                 {"VG", constant_json(used.VG, measured.VG)},
                 {"problems", check.problems}};
    if (theory) {
      json["levels"] = levels_json(*theory);
      json["remainders"] = remainders_json(*theory);
      json["tolerances"] = tolerances_json(*theory);
    }
    fmt::print("{}\n", json.dump(2));
  } else {
    if (!file.title.empty()) fmt::print("{}\n", file.title);
    fmt::print("  {} variables, {} uncertain parameters, {} noise numbers\n", problem.dimension(),
               problem.parameters().dimension(), problem.noise_dimension());
    if (check.gradient_error) {
      fmt::print("  gradient against differences of F: relative error {:.2g}\n",
                 *check.gradient_error);
    } else {
      fmt::print("  gradient not compared with differences of F: the problem has no values of F\n");
    }
    print_constant("mu", used.mu, measured.mu);
    print_constant("L", used.L, measured.L);
    if (std::isfinite(used.kappa())) fmt::print("  {:<6} {:.6g}\n", "kappa", used.kappa());
    print_constant("V", used.V, measured.V);
    print_constant("V_G", used.VG, measured.VG);
    if (theory) print_theory(*theory);
    for (const std::string& text : check.problems) fmt::print("  wrong: {}\n", text);
    if (check.problems.empty()) fmt::print("  nothing wrong was found\n");
  }
  return check.problems.empty() ? exit_solved : exit_numerical;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command =
      app.add_subcommand("check", "Read a problem, check its gradient, estimate its constants");
  command->add_option("FILE", arguments->file, "problem file (TOML)")->required();
  command->add_option("--set", arguments->overrides, "override a key of the file: KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("-o,--output", arguments->directory,
                      "of a model that runs elsewhere: the folder of the run that has, or will "
                      "have, its evaluations (default runs/<name>)");
  command->add_flag("--json", arguments->json, "print JSON");
  command->add_flag("--solve", arguments->solve,
                    "without a reference: solve first, and take the remainders from the solution");
  command->callback([arguments, &exit_code] { exit_code = run_check(*arguments); });
}

}  // namespace chaosgrad::cli
