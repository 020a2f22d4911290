#include "io/export/c/c_basis.h"

#include <algorithm>

#include "io/export/c/c_code.h"
#include "io/export/c/c_laws.h"

namespace chaosgrad::internal {
namespace {

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

}  // namespace

std::string c_comment(std::string text) {
  for (std::size_t at = text.find("*/"); at != std::string::npos; at = text.find("*/", at))
    text.replace(at, 2, "* /");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

Vector positive_scale(const Vector& scale) {
  return scale.unaryExpr([](double s) { return s > 0 ? s : 1.0; });
}

std::string c_tables(const Evaluator& parts) {
  std::string text =
      "/* Which values each function is a product of. */\nstatic const int position[M][D] = {";
  for (std::size_t i = 0; i < parts.positions.size(); ++i)
    text += (i > 0 ? ",\n  " : "\n  ") + braces.list(parts.positions[i]);
  text +=
      "\n};\nstatic const double coefficient[M][Q] = " + braces.rows(parts.coefficients) + ";\n";
  text += "#ifndef CHAOSGRAD_EXTRAPOLATE\nstatic const double support[D][2] = " +
          braces.rows(parts.support) + ";\n#endif\n";
  text += family_tables(parts);
  if (!parts.scores.empty()) text += germ_code(parts);
  return text;
}

std::string c_value_declarations(const Evaluator& parts) {
  std::string text = fmt::format("  double p[{0}], dp[{0}], after[D + 1];\n", parts.table_size);
  return text + (parts.scores.empty() ? "  const double *eta = theta;\n"
                                      : "  double eta[D], jacobian[D][D];\n");
}

std::string c_value_statements(const Evaluator& parts) {
  const auto d = parts.families.size();
  std::string text;
  if (!parts.scores.empty()) text += "  germ(theta, eta, jacobian);\n";
  if (parts.table_size == static_cast<Index>(d)) text += "  (void)eta;\n";  // a constant
  for (std::size_t k = 0; k < d; ++k) text += family_call(parts.families[k], k);
  return text;
}

}  // namespace chaosgrad::internal
