// C99, nothing but math.h. Every part is there only if it is used, so that no compiler complains.
#include <algorithm>

#include "chaosgrad/chaosgrad.h"
#include "io/export/export_c_code.h"
#include "io/export/export_c_laws.h"
#include "io/export/export_text.h"

namespace chaosgrad::internal {
namespace {

constexpr ListStyle braces{"{", "}", "HUGE_VAL"};

// z[k] = …, slope[k] = …
std::string score_lines(const EvaluatorScore& score, std::size_t k) {
  using Kind = EvaluatorScore::Kind;
  switch (score.kind) {
    case Kind::independent:
      return fmt::format("  z[{0}] = theta[{0}];\n  slope[{0}] = 1;\n", k);
    case Kind::normal:
      return fmt::format(
          "  z[{0}] = (theta[{0}] - {1:.17g}) / {2:.17g};\n  slope[{0}] = 1.0 / {2:.17g};\n", k,
          score.arguments[0], score.arguments[1]);
    case Kind::lognormal:
      return fmt::format(
          "  z[{0}] = (log(theta[{0}]) - {1:.17g}) / {2:.17g};\n"
          "  slope[{0}] = 1 / ({2:.17g} * theta[{0}]);\n",
          k, score.arguments[0], score.arguments[1]);
    case Kind::discrete:
      return fmt::format(
          "  z[{0}] = discrete_score(theta[{0}], {1}, values_{0}, at_{0}, between_{0});\n"
          "  slope[{0}] = 0;\n",
          k, score.values.size());
    case Kind::closed_form:
      break;
  }
  std::string arguments;
  for (const double argument : score.arguments) arguments += fmt::format(", {:.17g}", argument);
  return fmt::format("  z[{0}] = {1}_score(theta[{0}]{2}, &slope[{0}]);\n", k, score.name,
                     arguments);
}

// η = C⁻¹ z and its derivatives by θ.
std::string germ_code(const Evaluator& parts) {
  std::string text;
  bool discrete = false;
  for (std::size_t k = 0; k < parts.scores.size(); ++k) {
    const EvaluatorScore& score = parts.scores[k];
    if (score.kind != EvaluatorScore::Kind::discrete) continue;
    discrete = true;
    text += fmt::format("static const double values_{}[] = {};\n", k, braces.numbers(score.values));
    text += fmt::format("static const double at_{}[] = {};\n", k, braces.numbers(score.at));
    text +=
        fmt::format("static const double between_{}[] = {};\n", k, braces.numbers(score.between));
  }
  text += closed_form_code(parts.scores, law_codes, quantile_code, "C");
  if (discrete) text += discrete_code;
  text += "\n/* theta = F^-1(Phi(C eta)) with this C. */\nstatic const double factor[D][D] = " +
          braces.rows(parts.factor) + ";\n";
  text += R"(
/* The independent variables behind theta, and their derivatives by it. */
static void germ(const double *theta, double *eta, double (*jacobian)[D]) {
  double z[D], slope[D];
  int i, j, k;
)";
  for (std::size_t k = 0; k < parts.scores.size(); ++k) text += score_lines(parts.scores[k], k);
  text += R"(  for (k = 0; k < D; ++k) {
    eta[k] = z[k];
    for (i = 0; i < k; ++i) eta[k] -= factor[k][i] * eta[i];
    eta[k] /= factor[k][k];
    for (j = 0; j < D; ++j) {
      jacobian[k][j] = k == j ? slope[k] : 0;
      for (i = 0; i < k; ++i) jacobian[k][j] -= factor[k][i] * jacobian[i][j];
      jacobian[k][j] /= factor[k][k];
    }
  }
}
)";
  return text;
}

// The call that fills the table of values with those of component k.
std::string family_call(const EvaluatorFamily& family, std::size_t k) {
  const std::string place = fmt::format("p + {0}, dp + {0}", family.offset);
  if (family.degree == 0) return fmt::format("  p[{0}] = 1;\n  dp[{0}] = 0;\n", family.offset);
  if (family.kind == Family::Kind::fourier) {
    return fmt::format("  fourier(eta[{0}], {1}, middle_{0}, omega_{0}, {2});\n", k, family.degree,
                       place);
  }
  std::string text =
      fmt::format("  polynomial(eta[{0}], {1}, {2:.17g}, {3:.17g}, recurrence_{0}, {4});\n", k,
                  family.degree, family.center, family.inverse_scale, place);
  if (!family.points.empty()) {
    text += fmt::format("  look_up(eta[{0}], {1}, {2}, points_{0}, point_values_{0}, p + {3});\n",
                        k, family.degree, family.points.size(), family.offset);
  }
  return text;
}

std::string family_tables(const Evaluator& parts) {
  std::string text, code;
  bool polynomial = false, points = false, fourier = false;
  for (std::size_t k = 0; k < parts.families.size(); ++k) {
    const EvaluatorFamily& family = parts.families[k];
    if (family.degree == 0) continue;
    if (family.kind == Family::Kind::fourier) {
      fourier = true;
      text += fmt::format("static const double middle_{0}[2] = {1};\n", k,
                          braces.numbers(family.middle));
      text += fmt::format("static const double omega_{0}[2] = {1};\n", k,
                          braces.numbers(family.frequency));
      continue;
    }
    polynomial = true;
    text += fmt::format("static const double recurrence_{}[{}][3] = {};\n", k, family.degree,
                        braces.rows(family.recurrence));
    if (family.points.empty()) continue;
    points = true;
    text +=
        fmt::format("static const double points_{}[] = {};\n", k, braces.numbers(family.points));
    text += fmt::format("static const double point_values_{}[] = {};\n", k,
                        braces.numbers(Vector(family.point_values.reshaped<Eigen::RowMajor>())));
  }
  if (polynomial) code += polynomial_code;
  if (points) code += point_code;
  if (fourier) code += fourier_code;
  return text + code;
}

// A scale of zero is that of an output that is always zero: any number will do.
Vector positive(const Vector& scale) {
  return scale.unaryExpr([](double s) { return s > 0 ? s : 1.0; });
}

// Text inside a comment cannot end it.
std::string comment(std::string text) {
  for (std::size_t at = text.find("*/"); at != std::string::npos; at = text.find("*/", at))
    text.replace(at, 2, "* /");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

std::string export_c(const Labels& labels, const Evaluator& parts) {
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
      comment(labels.title), d, fmt::join(labels.parameters, ", "),
      fmt::join(labels.variables, ", "), version());
  text += fmt::format("enum {{ D = {}, Q = {}, M = {} }};\n\n", d, q, m);
  text += "/* Which values each function is a product of. */\nstatic const int position[M][D] = {";
  for (std::size_t i = 0; i < parts.positions.size(); ++i)
    text += (i > 0 ? ",\n  " : "\n  ") + braces.list(parts.positions[i]);
  text +=
      "\n};\nstatic const double coefficient[M][Q] = " + braces.rows(parts.coefficients) + ";\n";
  text += "#ifndef CHAOSGRAD_EXTRAPOLATE\nstatic const double support[D][2] = " +
          braces.rows(parts.support) + ";\n#endif\n";
  text += family_tables(parts);
  const bool dependent = !parts.scores.empty();
  if (dependent) text += germ_code(parts);
  text += fmt::format(
      "\nvoid optimum(const double *theta, double *x, double *dx);\n"
      "void optimum(const double *theta, double *x, double *dx) {{\n"
      "  double p[{0}], dp[{0}], after[D + 1];\n",
      parts.table_size);
  text += dependent ? "  double eta[D], jacobian[D][D];\n" : "  const double *eta = theta;\n";
  text += "  int i, j, k;\n";
  text += support_code + 1;
  if (dependent) text += "  germ(theta, eta, jacobian);\n";
  if (parts.table_size == static_cast<Index>(d)) text += "  (void)eta;\n";  // a constant
  for (std::size_t k = 0; k < d; ++k) text += family_call(parts.families[k], k);
  text += evaluation_code + 1;
  if (dependent) text += chain_rule_code;
  text += "}\n\n#ifdef CHAOSGRAD_SELF_TEST\n#include <stdio.h>\n\n";
  text += fmt::format("enum {{ N = {} }};\n", parts.thetas.rows());
  text += "static const double test_theta[N][D] = " + braces.rows(parts.thetas) + ";\n";
  text += "static const double test_x[N][Q] = " + braces.rows(parts.x) + ";\n";
  text += "static const double test_dx[N][Q * D] = " + braces.rows(parts.slopes) + ";\n";
  text +=
      "static const double test_x_scale[Q] = " + braces.numbers(positive(parts.x_scale)) + ";\n";
  text +=
      "static const double test_dx_scale[Q * D] = " + braces.numbers(positive(parts.slope_scale)) +
      ";\n";
  text += test_code;
  return text + "#endif\n";
}

}  // namespace chaosgrad::internal
