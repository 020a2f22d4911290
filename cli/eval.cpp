#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <memory>

#include "chaosgrad/chaosgrad.h"
#include "constraint/infeasible.h"
#include "io/json_numbers.h"
#include "io/problem_file/csv.h"
#include "session.h"
#include "solution/number_text.h"

#include "expression/expression.h"

namespace chaosgrad::cli {
using namespace internal;
namespace {

struct EvalArguments {
  std::string directory, at, csv;
  bool sensitivity = false, multipliers = false, json = false, anyway = false, extrapolate = false;
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

// What was asked for at rows of θ: multipliers by component, dx*/dθ on both sides.
struct Answer {
  Matrix thetas, x;
  std::vector<std::string> multiplier_names;
  Matrix multipliers;
  std::vector<Expansion::Sides> sides;
};

// `where` names a row of θ for messages.
Answer answer_at(const StoredRun& run, const EvalArguments& arguments, const Matrix& thetas,
                 const std::function<std::string(Index)>& where) {
  const Expansion& expansion = run.solution.expansion;
  for (Index i = 0; i < thetas.rows(); ++i)
    require_inside(run, arguments, thetas.row(i).transpose(), where(i));
  Answer answer{thetas, {}, {}, {}, {}};
  if (!expansion.lift()) {
    answer.x = expansion.evaluate(thetas);
  } else {
    const Constraints& constraints = expansion.lift()->constraints();
    const LiftedBlock lifted = expansion.evaluate_lifted(thetas);
    for (Index i = 0; i < thetas.rows(); ++i) {
      if (lifted.x.row(i).allFinite()) continue;
      const std::string reason = why_infeasible(constraints, thetas.row(i).transpose());
      throw FailedRun(fmt::format("{}: {}", where(i), reason.empty() ? "x is not finite" : reason));
    }
    answer.x = lifted.x;
    if (arguments.multipliers) {
      answer.multiplier_names = multiplier_names(constraints);
      answer.multipliers = multipliers(constraints, lifted);
    }
  }
  for (Index i = 0; arguments.sensitivity && i < thetas.rows(); ++i)
    answer.sides.push_back(expansion.sensitivity_sides(thetas.row(i).transpose()));
  return answer;
}

// By constraint; a list where it is one of a vector.
Json multipliers_json(const Constraints& constraints, const Vector& values) {
  Json json = Json::object();
  Index column = 0;
  for (const Constraint& one : constraints.list()) {
    if (one.kind == Constraint::Kind::kink) continue;
    const Vector part = values.segment(column, one.count);
    json[one.name] = one.is_list ? numbers(part) : number(part(0));
    column += one.count;
  }
  return json;
}

// dx/dθ by variable and parameter; null where there is no x on that side.
Json slopes_json(const Labels& labels, const Matrix& slopes) {
  Json json = Json::object();
  for (std::size_t i = 0; i < labels.variables.size(); ++i) {
    for (std::size_t k = 0; k < labels.parameters.size(); ++k)
      json[labels.variables[i]][labels.parameters[k]] =
          number(slopes(static_cast<Index>(i), static_cast<Index>(k)));
  }
  return json;
}

// Parameters at which a constraint begins or ceases to be active: both sides of dx/dθ.
Json edges_json(const Labels& labels, const Expansion::Sides& sides) {
  Json json = Json::object();
  for (std::size_t k = 0; k < labels.parameters.size(); ++k) {
    if (!sides.differ(static_cast<Index>(k))) continue;
    for (std::size_t i = 0; i < labels.variables.size(); ++i) {
      const auto row = static_cast<Index>(i), column = static_cast<Index>(k);
      json[labels.parameters[k]][labels.variables[i]] = {
          {"growing", number(sides.growing(row, column))},
          {"falling", number(sides.falling(row, column))}};
    }
  }
  return json;
}

void print_point_json(const StoredRun& run, const EvalArguments& arguments, const Answer& answer) {
  Json json;
  for (std::size_t k = 0; k < run.labels.parameters.size(); ++k)
    json["parameters"][run.labels.parameters[k]] = answer.thetas(0, static_cast<Index>(k));
  for (std::size_t i = 0; i < run.labels.variables.size(); ++i)
    json["variables"][run.labels.variables[i]] = answer.x(0, static_cast<Index>(i));
  const Lift* lift = run.solution.expansion.lift();
  if (arguments.sensitivity) {
    json["sensitivity"] = slopes_json(run.labels, answer.sides[0].sensitivity());
    if (lift) json["one_sided"] = edges_json(run.labels, answer.sides[0]);
  }
  if (arguments.multipliers) {
    json["multipliers"] =
        lift ? multipliers_json(lift->constraints(), answer.multipliers.row(0)) : Json::object();
  }
  fmt::print("{}\n", json.dump(2));
}

// There is none to a side without x.
std::string slope(double value) {
  return std::isnan(value) ? "none" : fmt::format("{:.12g}", value);
}

void print_point(const StoredRun& run, const EvalArguments& arguments) {
  const std::vector<std::string>& variables = run.labels.variables;
  const std::vector<std::string>& parameters = run.labels.parameters;
  const Vector theta = parse_point(arguments.at, parameters);
  const Answer answer = answer_at(run, arguments, theta.transpose(), [](Index) { return "--at"; });
  if (arguments.json) {
    print_point_json(run, arguments, answer);
    return;
  }
  const Matrix slopes = arguments.sensitivity ? answer.sides[0].sensitivity() : Matrix();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto row = static_cast<Index>(i);
    fmt::print("{} = {:.12g}", variables[i], answer.x(0, row));
    for (std::size_t k = 0; arguments.sensitivity && k < parameters.size(); ++k) {
      const auto column = static_cast<Index>(k);
      fmt::print("   d{}/d{} = {}", variables[i], parameters[k], slope(slopes(row, column)));
      if (answer.sides[0].differ(column))
        fmt::print(" (growing; falling {})", slope(answer.sides[0].falling(row, column)));
    }
    fmt::print("\n");
  }
  for (std::size_t i = 0; i < answer.multiplier_names.size(); ++i) {
    fmt::print("multiplier of {} = {:.12g}\n", answer.multiplier_names[i],
               answer.multipliers(0, static_cast<Index>(i)));
  }
}

std::vector<std::string> table_header(const StoredRun& run, const EvalArguments& arguments,
                                      const CsvTable& table, const Answer& answer) {
  const std::vector<std::string>& variables = run.labels.variables;
  const std::vector<std::string>& parameters = run.labels.parameters;
  std::vector<std::string> header = table.columns;
  header.insert(header.end(), variables.begin(), variables.end());
  if (arguments.sensitivity) {
    for (const std::string& variable : variables) {
      for (const std::string& parameter : parameters)
        header.push_back(fmt::format("d{}/d{}", variable, parameter));
    }
    for (std::size_t k = 0; run.solution.expansion.lift() && k < parameters.size(); ++k)
      header.push_back("one_sided " + parameters[k]);
  }
  for (const std::string& name : answer.multiplier_names) header.push_back(name);
  return header;
}

void print_table(const StoredRun& run, const EvalArguments& arguments) {
  const std::vector<std::string>& parameters = run.labels.parameters;
  const CsvTable table = read_csv(arguments.csv);
  Matrix thetas(table.rows.rows(), static_cast<Index>(parameters.size()));
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Index column = table.column(parameters[k]);
    if (column < 0)
      throw InputError(arguments.csv, fmt::format("has no column '{}'", parameters[k]));
    thetas.col(static_cast<Index>(k)) = table.rows.col(column);
  }
  const Answer answer = answer_at(run, arguments, thetas, [&](Index i) {
    return fmt::format("{}, row {}", arguments.csv, i + 1);
  });
  fmt::print("{}\n", fmt::join(table_header(run, arguments, table, answer), ","));
  for (Index i = 0; i < thetas.rows(); ++i) {
    std::vector<double> row;
    const auto append = [&](const Eigen::RowVectorXd& values) {
      row.insert(row.end(), values.begin(), values.end());
    };
    append(table.rows.row(i));
    append(answer.x.row(i));
    if (arguments.sensitivity) {
      const Expansion::Sides& sides = answer.sides[static_cast<std::size_t>(i)];
      const Matrix slopes = sides.sensitivity();
      for (Index j = 0; j < slopes.rows(); ++j) append(slopes.row(j));
      for (Index k = 0; run.solution.expansion.lift() && k < thetas.cols(); ++k)
        row.push_back(sides.differ(k) ? 1 : 0);
    }
    if (!answer.multiplier_names.empty()) append(answer.multipliers.row(i));
    std::vector<std::string> cells;
    for (const double value : row) cells.push_back(csv_cell(value));
    fmt::print("{}\n", fmt::join(cells, ","));
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
  command->add_flag("--multipliers", arguments->multipliers,
                    "also the multipliers of the constraints: what they cost at the margin");
  command->add_flag("--json", arguments->json, "print JSON (with --at)");
  command->add_flag("--extrapolate", arguments->extrapolate,
                    "also outside the support of the parameters");
  add_anyway(*command, arguments->anyway);
  command->callback([arguments, &exit_code] { exit_code = run_eval(*arguments); });
}

}  // namespace chaosgrad::cli
