#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <memory>

#include "chaosgrad/chaosgrad.h"
#include "io/json_numbers.h"
#include "io/problem_file/csv.h"
#include "session.h"

#include "expression/expression.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

struct EvalArguments {
  std::string directory, at, csv;
  bool sensitivity = false, json = false, anyway = false, extrapolate = false;
};

// Outside the support of θ the expansion is a polynomial that nothing has ever held to x*.
void require_inside(const StoredRun& run, const EvalArguments& arguments, const Vector& theta,
                    const std::string& where) {
  if (arguments.extrapolate) return;
  const std::vector<Distribution>& marginals = run.solution.expansion.measure().marginals();
  for (std::size_t k = 0; k < marginals.size(); ++k) {
    const double value = theta(static_cast<Index>(k)), lower = marginals[k].lower(),
                 upper = marginals[k].upper();
    if (value >= lower && value <= upper) continue;
    throw InputError(
        where, fmt::format("{} = {:.17g} is outside the support [{:g}, {:g}] of its "
                           "distribution ({}), where the expansion means nothing; "
                           "--extrapolate evaluates it all the same",
                           run.labels.parameters[k], value, lower, upper, marginals[k].name()));
  }
}

// "a=0.3,b=1" in the order of the parameters.
Vector parse_point(const std::string& text, const std::vector<std::string>& parameters) {
  Vector theta = Vector::Constant(static_cast<Index>(parameters.size()),
                                  std::numeric_limits<double>::quiet_NaN());
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    const std::string name(item.substr(0, equals));
    const auto found = std::find(parameters.begin(), parameters.end(), name);
    if (equals == std::string_view::npos || found == parameters.end()) {
      const auto near = nearest_name(name, parameters);
      throw InputError("--at", equals == std::string_view::npos
                                   ? fmt::format("expected PARAMETER=NUMBER, found '{}'", item)
                                   : fmt::format("no parameter is called '{}'; {}", name,
                                                 near ? fmt::format("did you mean '{}'?", *near)
                                                      : fmt::format("there are: {}",
                                                                    fmt::join(parameters, ", "))));
    }
    Graph graph;  // the number may be a formula: theta=pi/2
    const auto value = graph.constant_value(parse(graph, item.substr(equals + 1), {}));
    if (!value || value->size() != 1)
      throw InputError("--at", fmt::format("expected a number in '{}'", item));
    theta(found - parameters.begin()) = (*value)(0, 0);
  }
  for (Index k = 0; k < theta.size(); ++k) {
    if (std::isnan(theta(k))) {
      throw InputError("--at", fmt::format("parameter '{}' is missing",
                                           parameters[static_cast<std::size_t>(k)]));
    }
  }
  return theta;
}

void print_point(const StoredRun& run, const EvalArguments& arguments) {
  const std::vector<std::string>& variables = run.labels.variables;
  const std::vector<std::string>& parameters = run.labels.parameters;
  const Vector theta = parse_point(arguments.at, parameters);
  require_inside(run, arguments, theta, "--at");
  const Vector x = run.solution.expansion(theta);
  const Matrix slopes =
      arguments.sensitivity ? run.solution.expansion.sensitivity(theta) : Matrix();
  if (arguments.json) {
    Json json;
    for (std::size_t k = 0; k < parameters.size(); ++k)
      json["parameters"][parameters[k]] = theta(static_cast<Index>(k));
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const auto row = static_cast<Index>(i);
      json["variables"][variables[i]] = x(row);
      if (!arguments.sensitivity) continue;
      for (std::size_t k = 0; k < parameters.size(); ++k) {
        json["sensitivity"][variables[i]][parameters[k]] = slopes(row, static_cast<Index>(k));
      }
    }
    fmt::print("{}\n", json.dump(2));
    return;
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto row = static_cast<Index>(i);
    fmt::print("{} = {:.12g}", variables[i], x(row));
    for (std::size_t k = 0; arguments.sensitivity && k < parameters.size(); ++k) {
      fmt::print("   d{}/d{} = {:.12g}", variables[i], parameters[k],
                 slopes(row, static_cast<Index>(k)));
    }
    fmt::print("\n");
  }
}

void print_table(const StoredRun& run, const EvalArguments& arguments) {
  const std::vector<std::string>& variables = run.labels.variables;
  const std::vector<std::string>& parameters = run.labels.parameters;
  const CsvTable table = read_csv(arguments.csv);
  Matrix thetas(table.rows.rows(), static_cast<Index>(parameters.size()));
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Index column = table.column(parameters[k]);
    if (column < 0)
      throw InputError(arguments.csv, fmt::format("has no column '{}'", parameters[k]));
    thetas.col(static_cast<Index>(k)) = table.rows.col(column);
  }
  for (Index i = 0; i < thetas.rows(); ++i)
    require_inside(run, arguments, thetas.row(i).transpose(),
                   fmt::format("{}, row {}", arguments.csv, i + 1));
  std::vector<std::string> header = table.columns;
  header.insert(header.end(), variables.begin(), variables.end());
  if (arguments.sensitivity) {
    for (const std::string& variable : variables) {
      for (const std::string& parameter : parameters)
        header.push_back(fmt::format("d{}/d{}", variable, parameter));
    }
  }
  fmt::print("{}\n", fmt::join(header, ","));
  const Matrix x = run.solution.expansion.evaluate(thetas);
  for (Index i = 0; i < x.rows(); ++i) {
    std::vector<double> row;
    for (const double value : table.rows.row(i)) row.push_back(value);
    for (const double value : x.row(i)) row.push_back(value);
    if (arguments.sensitivity) {
      const Matrix slopes = run.solution.expansion.sensitivity(thetas.row(i).transpose());
      for (Index j = 0; j < slopes.rows(); ++j)
        row.insert(row.end(), slopes.row(j).begin(), slopes.row(j).end());
    }
    fmt::print("{:.17g}\n", fmt::join(row, ","));
  }
}

int run_eval(const EvalArguments& arguments) {
  if (arguments.at.empty() == arguments.csv.empty()) {
    throw InputError("eval", "expected either --at PARAMETER=NUMBER,… or --csv FILE");
  }
  const StoredRun run = open_answer(arguments.directory, arguments.anyway);
  if (arguments.csv.empty()) {
    print_point(run, arguments);
  } else {
    print_table(run, arguments);
  }
  return exit_solved;
}

}  // namespace

void add_eval(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<EvalArguments>();
  CLI::App* command = app.add_subcommand("eval", "Evaluate x*(theta) of a finished run");
  command->add_option("DIR", arguments->directory, "folder of the run")->required();
  command->add_option("--at", arguments->at, "one point: PARAMETER=NUMBER,…");
  command->add_option("--csv", arguments->csv, "many points: a file with a column per parameter");
  command->add_flag("--sensitivity", arguments->sensitivity, "also dx*/dtheta");
  command->add_flag("--json", arguments->json, "print JSON (with --at)");
  command->add_flag("--extrapolate", arguments->extrapolate,
                    "also outside the support of the parameters");
  add_anyway(*command, arguments->anyway);
  command->callback([arguments, &exit_code] { exit_code = run_eval(*arguments); });
}

}  // namespace chaosgrad::cli
