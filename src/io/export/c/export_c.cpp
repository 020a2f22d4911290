// C99, nothing but math.h. Every part is there only if it is used, so that no compiler complains.
#include "chaosgrad/chaosgrad.h"
#include "io/export/c/c_basis.h"
#include "io/export/c/c_code.h"
#include "io/export/export_text.h"

namespace chaosgrad::internal {

std::string export_c(const Labels& labels, const Evaluator& parts) {
  if (parts.lift) return export_c_lifted(labels, parts);
  const auto d = parts.families.size();
  const Index q = parts.coefficients.cols(), m = parts.coefficients.rows();
  std::string text = fmt::format(
      "/* {}\n"
      " *\n"
      " * optimum(theta, x, dx) evaluates the optimum x as a function of theta, and dx[j * {} + k] "
      "= "
      "d x_j / d theta_k\n"
      " * unless dx is a null pointer. theta: {}. x: {}.\n"
      " * Outside the support of theta the expansion means nothing: x and dx are NaN there, unless "
      "this is compiled with\n"
      " * -DCHAOSGRAD_EXTRAPOLATE. With -DCHAOSGRAD_SELF_TEST it is a program that tests it. "
      "Written "
      "by chaosgrad {}. */\n"
      "#include <math.h>\n\n",
      c_comment(labels.title), d, fmt::join(labels.parameters, ", "),
      fmt::join(labels.variables, ", "), version());
  text += fmt::format("enum {{ D = {}, Q = {}, M = {} }};\n\n", d, q, m);
  text += c_tables(parts);
  text +=
      "\nvoid optimum(const double *theta, double *x, double *dx);\n"
      "void optimum(const double *theta, double *x, double *dx) {\n";
  text += c_value_declarations(parts) + "  int i, j, k;\n";
  text += support_code + 1;
  text += c_value_statements(parts);
  text += evaluation_code + 1;
  if (!parts.scores.empty()) text += chain_rule_code;
  text += "}\n\n#ifdef CHAOSGRAD_SELF_TEST\n#include <stdio.h>\n\n";
  text += fmt::format("enum {{ N = {} }};\n", parts.thetas.rows());
  text += "static const double test_theta[N][D] = " + braces.rows(parts.thetas) + ";\n";
  text += "static const double test_x[N][Q] = " + braces.rows(parts.x) + ";\n";
  text += "static const double test_dx[N][Q * D] = " + braces.rows(parts.slopes) + ";\n";
  text += "static const double test_x_scale[Q] = " + braces.numbers(positive_scale(parts.x_scale)) +
          ";\n";
  text += "static const double test_dx_scale[Q * D] = " +
          braces.numbers(positive_scale(parts.slope_scale)) + ";\n";
  text += test_code;
  return text + "#endif\n";
}

}  // namespace chaosgrad::internal
