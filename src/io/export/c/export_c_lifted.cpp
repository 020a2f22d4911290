// Constrained solutions in C99: as export_c.cpp, with the projection.
#include "chaosgrad/chaosgrad.h"
#include "io/export/c/c_basis.h"
#include "io/export/c/c_lift_code.h"
#include "io/export/c/c_program.h"
#include "io/export/c/c_projection.h"
#include "io/export/export_text.h"
#include "problem/formula/constraint_source.h"

namespace chaosgrad::internal {
namespace {

std::string lifted_opening(const Labels& labels, const Evaluator& parts) {
  return fmt::format(
      "/* {}\n"
      " *\n"
      " * optimum(theta, x, dx) evaluates the optimum x as a function of theta, and dx[j * {} + k] "
      "= d x_j / d theta_k\n"
      " * unless dx is a null pointer. x satisfies the constraints; where one of them begins or "
      "ceases to be active dx has two\n"
      " * sides, and is that of growing theta_k. theta: {}. x: {}.\n"
      " * multipliers(theta, lambda) evaluates the multipliers of the constraints: {}.\n"
      " * Outside the support of theta, and where no x satisfies the constraints, everything is "
      "NaN; the former not if this is\n"
      " * compiled with -DCHAOSGRAD_EXTRAPOLATE. With -DCHAOSGRAD_SELF_TEST it is a program that "
      "tests it. Written by chaosgrad {}. */\n"
      "#include <math.h>\n\n",
      c_comment(labels.title), parts.families.size(), fmt::join(labels.parameters, ", "),
      fmt::join(labels.variables, ", "),
      c_comment(fmt::format("{}", fmt::join(parts.lift->names, ", "))), version());
}

// The sizes: rows P (in arrays R, at least 1), variables of quadratic programs E, norms GROUPS.
std::string lifted_sizes(const Evaluator& parts) {
  const EvaluatorLift& lift = *parts.lift;
  const Index q = parts.coefficients.cols(), p = lift.constraints->rows();
  std::string text =
      fmt::format("enum {{ D = {}, Q = {}, M = {}, P = {}, R = {}, E = {}", parts.families.size(),
                  q, parts.coefficients.rows(), p, std::max<Index>(p, 1), q + lift.norm_rows);
  text += fmt::format(", GROUPS = {}, FUNCTIONS = {}, ENTRIES = {}, COLUMNS = {}, SLOTS = {} }};\n",
                      lift.norms, lift.factor.rows(), lift.factor.cols(), lift.columns.size(),
                      std::max<std::size_t>(lift.columns.size(), 1));
  text += fmt::format("#define NORMS {}\n#define AFFINE {}\n", lift.norms > 0 ? 1 : 0,
                      lift.constraints->is_affine() ? 1 : 0);
  text += fmt::format("#define IS_ROW(i) ({} && (i) < P)\n\n", p > 0 ? 1 : 0);
  return text;
}

std::string lifted_tables(const Evaluator& parts) {
  const EvaluatorLift& lift = *parts.lift;
  std::vector<Index> functions(parts.positions.size(), -1);
  for (std::size_t i = 0; i < lift.functions.size(); ++i)
    functions[static_cast<std::size_t>(lift.functions[i])] = static_cast<Index>(i);
  std::string text =
      "/* The functions of the metric, their coefficients, and where multipliers are found. */\n";
  text += "static const int metric_function[M] = " + braces.list(functions) + ";\n";
  text += "static const double metric[FUNCTIONS][ENTRIES] = " + braces.rows(lift.factor) + ";\n";
  text += "static const int column[SLOTS][2] = {";
  for (std::size_t i = 0; i < lift.columns.size(); ++i)
    text += fmt::format("{}{{{}, {}}}", i > 0 ? ", " : "", static_cast<int>(lift.columns[i].kind),
                        lift.columns[i].number);
  if (lift.columns.empty()) text += "{0, 0}";
  text += "};\nstatic const double length[D] = " + braces.numbers(lift.step) + ";\n";
  if (lift.norms > 0 || !lift.constraints->is_affine())
    text += "static const int group[R] = " + braces.list(lift.groups) + ";\n";
  return text;
}

std::string lifted_test(const Evaluator& parts) {
  const EvaluatorLift& lift = *parts.lift;
  std::string text = "\n#ifdef CHAOSGRAD_SELF_TEST\n#include <stdio.h>\n\n";
  text += fmt::format("enum {{ N = {} }};\n", parts.thetas.rows());
  text += "static const double test_theta[N][D] = " + braces.rows(parts.thetas) + ";\n";
  text += "static const double test_x[N][Q] = " + braces.rows(parts.x) + ";\n";
  text += "static const double test_dx[N][Q * D] = " + braces.rows(parts.slopes) + ";\n";
  text += "static const double test_lambda[N][SLOTS] = " + braces.rows(lift.multipliers) + ";\n";
  const auto scale = [&](const char* name, const Vector& values) {
    text += fmt::format("static const double test_{}_scale[] = {};\n", name,
                        braces.numbers(positive_scale(values)));
  };
  scale("x", parts.x_scale);
  scale("dx", parts.slope_scale);
  scale("lambda", lift.multiplier_scale);
  return text + lifted_test_code + "#endif\n";
}

}  // namespace

std::string export_c_lifted(const Labels& labels, const Evaluator& parts) {
  const EvaluatorLift& lift = *parts.lift;
  const bool affine = lift.constraints->is_affine();
  std::string text = lifted_opening(labels, parts) + lifted_sizes(parts);
  text += c_tables(parts) + lifted_tables(parts);
  text += source_prelude(SourceLanguage::c);
  text += constraint_source(*lift.constraints, "constraints", SourceLanguage::c);
  text += program_code;
  if (lift.norms > 0) text += norms_code;
  if (!affine) text += curved_code;
  text += projection_code;
  text += inside_code;
  text += c_value_declarations(parts) + "  int i, j, k;\n";
  text += c_value_statements(parts);
  text += expansion_code + 1;
  if (!parts.scores.empty()) text += lifted_chain_rule_code;
  text += lifted_code;
  return text + lifted_test(parts);
}

}  // namespace chaosgrad::internal
