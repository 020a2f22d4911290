#include "io/problem_file/file_table.h"

#include <algorithm>

namespace chaosgrad::internal {
namespace {

constexpr bool replaced = true;

std::vector<FileSection> make_table() {
  return {
      {"",
       "Above all sections.",
       "",
       {{"title", "text", "none", "shown in reports"}},
       "title = \"A first problem\""},
      {"parameters",
       "The uncertain parameters θ, in this order; at least one.",
       "a table with a distribution and its arguments (numbers, or formulas of constants), and",
       {{"basis", "word", "\"polynomial\"", "the functions of this parameter"},
        {"breakpoints", "list of numbers or formulas", "none",
         "where x*(θ) has kinks: quadrature is done piece by piece"}},
       "[parameters]\n"
       "theta = { distribution = \"uniform\", lower = \"-pi\", upper = \"pi\" }\n"
       "eta = { distribution = \"normal\", mean = 0, sd = 1 }",
       replaced},
      {"dependence",
       "Optional: parameters that depend on each other.",
       "",
       {{"copula", "word", "\"gaussian\"", "the only one there is"},
        {"correlation", "matrix", "required",
         "of the standard normal scores of the parameters, in their order"}},
       "[dependence]\n"
       "correlation = [[1.0, 0.5], [0.5, 1.0]]",
       replaced},
      {"noise",
       "Optional: the noise v. A name is a random number with a distribution, whose arguments may "
       "be formulas in the parameters; values and weights of a discrete one may not: for chances p "
       "that depend on them take u uniform on (0, 1) and if(u < p, a, b).",
       "a table with a distribution and its arguments. Two keys are not names of noise",
       {{"data", "text", "none",
         "CSV file: v is one of its rows, drawn uniformly; its columns are names"},
        {"vectors", "table of lists", "none",
         "columns of the data that form a vector: { a = [\"age\", \"bmi\"] }"}},
       "[noise]\n"
       "v = { distribution = \"normal\", mean = 0, sd = \"1 + theta^2\" }",
       replaced},
      {"constants",
       "Optional: named numbers, vectors and matrices.",
       "a number, a list (a vector), a list of lists (the rows of a matrix), a formula of the "
       "constants before it, or a table with",
       {{"file", "text", "required", "CSV file that holds the numbers"}},
       "[constants]\n"
       "A = [[2.0, 0.3], [0.3, 1.0]]\n"
       "B = { file = \"b.csv\" }",
       replaced},
      {"definitions",
       "Optional: named formulas; each may use those before it.",
       "a formula",
       {},
       "[definitions]\n"
       "s = \"sin(theta)\""},
      {"variables",
       "The variables x of the optimisation, in this order; at least one.",
       "a table with",
       {{"start", "number or list", "0", "where solvers start; a list makes it a vector"},
        {"size", "whole number", "a scalar", "components of a vector, at most 1000000"},
        {"lower", "number, formula, or list", "none",
         "x ≥ lower: formulas in the parameters and constants. One for all components, or a list "
         "with one for each, where -inf is none. A start outside is moved inside"},
        {"upper", "number, formula, or list", "none", "x ≤ upper, the same"}},
       "[variables]\n"
       "x = { lower = -2, upper = \"3 + theta^2\" }\n"
       "w = { size = 2, start = 0.25 }",
       replaced},
      {"constraints",
       "Optional: what else holds for x, for every θ. Vectors are compared by component.",
       "a comparison of two formulas in the variables and parameters, with <=, >= or ==; what is "
       "kept below a limit is convex, above one concave, equal affine in the variables",
       {},
       "[constraints]\n"
       "energy = \"x^2 + theta^2/10 <= 5\"",
       replaced},
      {"objective",
       "What is minimised, E_v F(x, θ, v) for every θ; constants that are known to hold for every "
       "θ. Formulas in the constants and definitions.",
       "",
       {{"minimize", "formula", "required",
         "F(x, θ, v), convex in x, with one minimum for every θ"},
        {"strong_convexity", "formula", "estimated",
         "μ > 0, at most the smallest eigenvalue of the Hessian of E_v F. With it errors have a "
         "rigorous bound"},
        {"smoothness", "formula", "estimated",
         "L, at least the largest eigenvalue of the Hessian of E_v F"},
        {"noise_variance", "formula", "estimated", "V in E|∇F|² ≤ V + V_G |∇f|²"},
        {"noise_growth", "formula", "estimated", "V_G in the same"}},
       "[objective]\n"
       "minimize = \"(x - s)^2/2 + dot(w, A*w)/2 - eta*w[0] + v*x\"\n"
       "strong_convexity = 0.9"},
      {"objective (built-in)",
       "Instead of formulas, a problem that is coded in C++.",
       "",
       {{"builtin", "word", "required", "which one"},
        {"options", "table of numbers", "its own",
         "see below; and for each `lower` and `upper`, bounds of x: a number for all components, "
         "or a list"}},
       "[objective]\n"
       "builtin = \"elliptic-control\"\n"
       "options = { d = 8, q = 15 }"},
      {"objective (model)",
       "Instead of formulas, a model that runs elsewhere and computes F and its gradient in x: a "
       "server that speaks UM-Bridge, or a program on this machine (models.md). All other sections "
       "stay as they are.",
       "",
       {{"server", "text", "this or command", "address of the server, http://HOST:PORT"},
        {"model", "text", "\"F\"", "its name there; inputs x, θ and, with noise, v"},
        {"config", "table", "{}", "goes to the server with every request"},
        {"command", "text", "this or server",
         "a program, as a shell reads it; it runs in the folder of the problem file and is "
         "started once for each of `parallel`"},
        {"parallel", "whole number", "4", "calls under way at a time, from 1 to 256"},
        {"timeout", "number", "600", "seconds within which a call is answered, or has failed"},
        {"retries", "whole number", "2", "of a call that failed, before its point is skipped"},
        {"strong_convexity", "formula", "estimated", "as above"},
        {"smoothness", "formula", "estimated", "as above"},
        {"noise_variance", "formula", "estimated", "as above"},
        {"noise_growth", "formula", "estimated", "as above"}},
       "[objective]\n"
       "server = \"http://localhost:4242\"\n"
       "model = \"F\"\n"
       "parallel = 4"},
      {"reference",
       "Optional: the exact optimum, to compare with. Then runs report `true_error`.",
       "the formula of the variable of this name, for every variable; in the parameters",
       {},
       "[reference]\n"
       "x = \"s\"\n"
       "w = \"solve(A, [eta, 0])\"",
       replaced},
      {"quantities",
       "Optional: other numbers whose distribution is wanted.",
       "a formula in the variables and parameters. Where the noise appears, the mean over it is "
       "taken",
       {},
       "[quantities]\n"
       "effort = \"dot(w, w) + 3*theta\""},
      {"solve",
       "Optional: how to solve. Also on the command line: `--set solve.key=value`.",
       "",
       {},
       "[solve]\n"
       "tolerance = 1e-2\n"
       "seed = 7"}};
}

const FileSection& find_section(std::string_view name) {
  return *std::ranges::find(file_table(), name, &FileSection::name);
}

}  // namespace

const std::vector<FileSection>& file_table() {
  static const std::vector<FileSection> table = make_table();
  return table;
}

std::vector<std::string> top_keys() {
  std::vector<std::string> keys;
  for (const FileSection& section : file_table()) {
    if (section.name.empty()) {
      for (const FileKey& key : section.keys) keys.emplace_back(key.key);
    } else if (section.name.find(' ') == std::string_view::npos) {
      keys.emplace_back(section.name);
    }
  }
  return keys;
}

std::vector<std::string> keys_of(std::string_view section) {
  std::vector<std::string> keys;
  for (const FileKey& key : find_section(section).keys) keys.emplace_back(key.key);
  return keys;
}

const std::vector<BasisChoice>& basis_choices() {
  static const std::vector<BasisChoice> table = {
      {"polynomial", Family::Kind::polynomial, false, "orthonormal for the distribution"},
      {"fourier", Family::Kind::fourier, false,
       "1, cos, sin, … over the interval of a uniform parameter"},
      {"log", Family::Kind::polynomial, true,
       "polynomials in log θ, for parameters that span orders of magnitude; the default for "
       "lognormal ones"}};
  return table;
}

std::string_view basis_name(Family::Kind kind, bool logarithmic) {
  return std::ranges::find_if(basis_choices(),
                              [&](const BasisChoice& choice) {
                                return choice.kind == kind && choice.logarithmic == logarithmic;
                              })
      ->name;
}

}  // namespace chaosgrad::internal
