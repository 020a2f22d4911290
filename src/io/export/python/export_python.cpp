// Python, nothing but its math module.
#include <algorithm>

#include "chaosgrad/chaosgrad.h"
#include "io/export/export_text.h"
#include "io/export/python/python_code.h"
#include "io/export/python/python_laws.h"
#include "io/export/python/python_lift_code.h"
#include "io/export/python/python_program.h"
#include "io/export/python/python_projection.h"
#include "problem/formula/constraint_source.h"

namespace chaosgrad::internal {
namespace {

constexpr ListStyle brackets{"[", "]", "math.inf"};

// A function from θ_k to (z, dz/dθ_k).
std::string score_function(const EvaluatorScore& score) {
  using Kind = EvaluatorScore::Kind;
  switch (score.kind) {
    case Kind::independent:
      return "lambda t: (t, 1.0)";
    case Kind::normal:
      return fmt::format("lambda t: ((t - {0:.17g}) / {1:.17g}, 1 / {1:.17g})", score.arguments[0],
                         score.arguments[1]);
    case Kind::lognormal:
      return fmt::format("lambda t: ((math.log(t) - {0:.17g}) / {1:.17g}, 1 / ({1:.17g} * t))",
                         score.arguments[0], score.arguments[1]);
    case Kind::discrete:
      return fmt::format("lambda t, v={}, a={}, b={}: (_discrete_score(t, v, a, b), 0.0)",
                         brackets.numbers(score.values), brackets.numbers(score.at),
                         brackets.numbers(score.between));
    case Kind::closed_form:
      break;
  }
  std::string arguments;
  for (const double argument : score.arguments) arguments += fmt::format(", {:.17g}", argument);
  return fmt::format("lambda t: _{}(t{})", score.name, arguments);
}

// The functions behind the scores that occur.
std::string score_functions_in_use(const std::vector<EvaluatorScore>& scores) {
  std::string text = closed_form_code(scores, law_functions, copula_code, "Python");
  const auto is_discrete = [](const EvaluatorScore& score) {
    return score.kind == EvaluatorScore::Kind::discrete;
  };
  if (std::any_of(scores.begin(), scores.end(), is_discrete)) text += discrete_function;
  return text;
}

std::string germ_code(const Evaluator& parts) {
  std::string text = score_functions_in_use(parts.scores);
  text += "\n_FACTOR = " + brackets.rows(parts.factor) + "\n_SCORES = [\n";
  for (const EvaluatorScore& score : parts.scores)
    text += fmt::format("    {},\n", score_function(score));
  return text + "]\n" + germ_function;
}

// A function from η_k to the values of its functions and of their derivatives. The tables are made
// once, as default arguments.
std::string family_function(const EvaluatorFamily& family) {
  if (family.kind == Family::Kind::fourier) {
    return fmt::format("lambda eta, middle={}, omega={}: _fourier(eta, {}, middle, omega)",
                       brackets.numbers(family.middle), brackets.numbers(family.frequency),
                       family.degree);
  }
  std::string points = "{";
  for (std::size_t i = 0; i < family.points.size(); ++i) {
    const Vector row = family.point_values.row(static_cast<Index>(i)).transpose();
    points +=
        fmt::format("{}{:.17g}: {}", i > 0 ? ", " : "", family.points[i], brackets.numbers(row));
  }
  return fmt::format(
      "lambda eta, table={}, points={}}}: _polynomial(eta, {:.17g}, {:.17g}, table, points)",
      brackets.rows(family.recurrence), points, family.center, family.inverse_scale);
}

// Text inside a docstring cannot end it.
std::string docstring(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '"' ? '\'' : c == '\\' ? '/' : c == '\n' ? ' ' : c;
  return result;
}

std::string plain_docstring(const Labels& labels) {
  return fmt::format(
      "\"\"\"{}\n\n"
      "optimum(theta) is the optimum x as a function of theta, sensitivity(theta)[j][k] = d x_j / "
      "d "
      "theta_k.\n"
      "theta: {}. x: {}.\n"
      "Outside the support of theta the expansion means nothing: both are NaN there, unless called "
      "with extrapolate=True.\n"
      "Run as a program, it tests itself. Written by chaosgrad {}.\"\"\"\n"
      "import math\n\n",
      docstring(labels.title), fmt::join(labels.parameters, ", "),
      fmt::join(labels.variables, ", "), version());
}

std::string lifted_docstring(const Labels& labels, const Evaluator& parts) {
  std::vector<std::string> quoted;
  for (const std::string& name : parts.lift->names) quoted.push_back("'" + name + "'");
  return fmt::format(
      "\"\"\"{}\n\n"
      "optimum(theta) is the optimum x as a function of theta; it satisfies the constraints. "
      "sensitivity(theta)[j][k] = d x_j / d theta_k;\n"
      "where a constraint begins or ceases to be active it has two sides (sensitivity_sides), and "
      "is that of growing theta_k.\n"
      "multipliers(theta) are those of the constraints, in the order of MULTIPLIERS.\n"
      "theta: {}. x: {}.\n"
      "Outside the support of theta, and where no x satisfies the constraints, all are NaN; the "
      "former not with extrapolate=True.\n"
      "Run as a program, it tests itself. Written by chaosgrad {}.\"\"\"\n"
      "import math\n\n"
      "MULTIPLIERS = [{}]\n",
      docstring(labels.title), fmt::join(labels.parameters, ", "),
      fmt::join(labels.variables, ", "), version(), fmt::join(quoted, ", "));
}

// The metric, the constraints, P and what stands on it.
std::string lifted_part(const Evaluator& parts) {
  const EvaluatorLift& lift = *parts.lift;
  std::vector<Index> functions(parts.positions.size(), -1);
  for (std::size_t i = 0; i < lift.functions.size(); ++i)
    functions[static_cast<std::size_t>(lift.functions[i])] = static_cast<Index>(i);
  std::vector<std::vector<Index>> groups(static_cast<std::size_t>(lift.norms));
  for (std::size_t i = 0; i < lift.groups.size(); ++i) {
    if (lift.groups[i] >= 0)
      groups[static_cast<std::size_t>(lift.groups[i])].push_back(static_cast<Index>(i));
  }
  std::string text =
      "\n\n# The metric, and where multipliers are found: (0, row), (1, component "
      "at its lower bound), (2, at its upper one).\n";
  text += "_METRIC_FUNCTIONS = " + brackets.list(functions) + "\n";
  text += "_METRIC = " + brackets.rows(lift.factor) + "\n_COLUMNS = [";
  for (const EvaluatorLift::Column& column : lift.columns)
    text += fmt::format("({}, {}), ", static_cast<int>(column.kind), column.number);
  text += fmt::format("]\n_GROUPS = [{}]\n_AFFINE = {}\n", fmt::join(groups, ", "),
                      lift.constraints->is_affine() ? "True" : "False");
  text += "_LENGTHS = " + brackets.numbers(lift.step) + "\n";
  text += source_prelude(SourceLanguage::python);
  text += constraint_source(*lift.constraints, "_constraints", SourceLanguage::python);
  return text + program_class + projection_functions + lifted_functions;
}

std::string lifted_tests(const EvaluatorLift& lift) {
  return "_TEST_MULTIPLIERS = " + brackets.rows(lift.multipliers) +
         "\n_TEST_MULTIPLIER_SCALE = " + brackets.numbers(lift.multiplier_scale) + "\n" +
         lifted_test_function;
}

}  // namespace

std::string export_python(const Labels& labels, const Evaluator& parts) {
  std::string text = parts.lift ? lifted_docstring(labels, parts) : plain_docstring(labels);
  text += "PARAMETERS = " + fmt::format("['{}']\n", fmt::join(labels.parameters, "', '"));
  text += "VARIABLES = " + fmt::format("['{}']\n\n", fmt::join(labels.variables, "', '"));
  text +=
      "# The ends of the support of each parameter.\n_SUPPORT = " + brackets.rows(parts.support) +
      "\n\n";
  text +=
      "# Which functions of the single components each function is a product of.\n_INDICES = [\n";
  for (const std::vector<Index>& position : parts.positions) {
    std::vector<Index> degrees;
    for (std::size_t k = 0; k < position.size(); ++k)
      degrees.push_back(position[k] - parts.families[k].offset);
    text += "  " + brackets.list(degrees) + ",\n";
  }
  text += "]\n_COEFFICIENTS = " + brackets.rows(parts.coefficients) + "\n";
  text += family_code;
  text += "\n_FAMILIES = [\n";
  for (const EvaluatorFamily& family : parts.families)
    text += "    " + family_function(family) + ",\n";
  text += "]\n";
  text += parts.scores.empty() ? std::string(independent_germ) : germ_code(parts);
  text += parts.lift ? lifted_part(parts) : std::string(evaluation_function);
  text += "\n\n_TEST_THETA = " + brackets.rows(parts.thetas);
  text += "\n_TEST_X = " + brackets.rows(parts.x);
  text += "\n_TEST_SLOPES = " + brackets.rows(parts.slopes);
  text += "\n_TEST_X_SCALE = " + brackets.numbers(parts.x_scale);
  text += "\n_TEST_SLOPE_SCALE = " + brackets.numbers(parts.slope_scale) + "\n";
  return text + (parts.lift ? lifted_tests(*parts.lift) : std::string(test_function));
}

}  // namespace chaosgrad::internal
