#include "chaosgrad/check.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "chaosgrad/problem_file.h"
#include "commands.h"

namespace chaosgrad::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CheckArguments {
  std::string file;
  std::vector<std::string> overrides;
  bool json = false;
};

Json constant_json(const Constant& used, const Constant& measured) {
  return {{"value", used.value},
          {"source", used.given ? "given" : "estimated"},
          {"lowest", measured.lowest},
          {"highest", measured.highest}};
}

void print_constant(const char* name, const Constant& used, const Constant& measured) {
  fmt::print("  {:<6} {:<12.6g} {:<10} measured from {:.6g} to {:.6g} over the sampled theta\n",
             name, used.value, used.given ? "given" : "estimated", measured.lowest,
             measured.highest);
}

int run_check(const CheckArguments& arguments) {
  const ProblemFile file = load_problem(read_problem_source(arguments.file, arguments.overrides));
  const FormulaProblem& problem = file.problem;
  const ProblemCheck check = check_problem(
      problem,
      [&](Block x, Block theta, Block noise, BlockOut values) {
        problem.value(x, theta, noise, values);
      },
      file.options.seed);
  const ProblemConstants &used = check.constants, &measured = check.measured;
  if (arguments.json) {
    const Json json = {{"dimension", problem.dimension()},
                       {"parameters", problem.parameter_names()},
                       {"variables", problem.component_names()},
                       {"noise_dimension", problem.noise_dimension()},
                       {"gradient_error", check.gradient_error},
                       {"mu", constant_json(used.mu, measured.mu)},
                       {"L", constant_json(used.L, measured.L)},
                       {"kappa", used.kappa()},
                       {"V", constant_json(used.V, measured.V)},
                       {"VG", constant_json(used.VG, measured.VG)},
                       {"problems", check.problems}};
    fmt::print("{}\n", json.dump(2));
  } else {
    if (!file.title.empty()) fmt::print("{}\n", file.title);
    fmt::print("  {} variables, {} uncertain parameters, {} noise numbers\n", problem.dimension(),
               problem.parameters().dimension(), problem.noise_dimension());
    fmt::print("  gradient against differences of F: relative error {:.2g}\n",
               check.gradient_error);
    print_constant("mu", used.mu, measured.mu);
    print_constant("L", used.L, measured.L);
    fmt::print("  {:<6} {:.6g}\n", "kappa", used.kappa());
    print_constant("V", used.V, measured.V);
    print_constant("V_G", used.VG, measured.VG);
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
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments, &exit_code] { exit_code = run_check(*arguments); });
}

}  // namespace chaosgrad::cli
