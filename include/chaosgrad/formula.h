#pragma once
// Problems written as formulas: F(x, θ, v) with parameters, noise, constants and definitions by
// name.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chaosgrad/error.h"
#include "chaosgrad/problem.h"

namespace chaosgrad {

namespace internal {
struct FormulaData;
}

// A formula and the number under which errors refer to it (see SourceSpan::text).
struct FormulaText {
  std::string text;
  int id = -1;
};

struct ParameterSpec {
  std::string name;
  Distribution distribution;
  Family::Kind basis = Family::Kind::polynomial;
  std::vector<double> breakpoints = {};
  bool logarithmic = false;  // polynomials in log θ (see Measure::with_logarithm)
};

// One noise number v. Either a distribution on finitely many values, or a named one (as in problem
// files) whose arguments are formulas that may depend on θ.
struct NoiseSpec {
  std::string name;
  std::optional<Distribution> finite;
  std::string distribution;
  std::map<std::string, FormulaText> arguments;
};

// v is one row of a table, drawn uniformly; columns are scalars, and `vectors` bundles some of
// them.
struct NoiseTable {
  std::vector<std::string> columns;
  Matrix rows;
  std::vector<std::pair<std::string, std::vector<std::string>>> vectors;
};

struct VariableSpec {
  std::string name;
  bool is_vector = false;
  Vector start;  // its size is the variable's
  // Bounds, formulas in θ: none, one for all components (a number or a vector), or one for each;
  // "inf" and "-inf" are no bounds.
  std::vector<FormulaText> lower = {}, upper = {};
};

struct FormulaSpec {
  std::vector<ParameterSpec> parameters = {};
  std::optional<Matrix> correlation = {};
  std::vector<NoiseSpec> noise = {};
  std::optional<NoiseTable> table = {};
  std::vector<std::pair<std::string, Matrix>> constants = {};
  std::vector<std::pair<std::string, FormulaText>> definitions = {};
  std::vector<VariableSpec> variables = {};
  // By name: "formula <= formula", or with >= or ==, in x and θ; vectors compare by component.
  std::vector<std::pair<std::string, FormulaText>> constraints = {};
  FormulaText objective = {};
  std::optional<FormulaText> strong_convexity = {}, smoothness = {}, noise_variance = {},
                             noise_growth = {};
  std::vector<std::pair<std::string, FormulaText>> reference = {};   // one per variable, or none
  std::vector<std::pair<std::string, FormulaText>> quantities = {};  // scalars
};

// Satisfies Problem. Thread-safe. Throws FormulaError or InputError when it is made.
class FormulaProblem {
 public:
  explicit FormulaProblem(const FormulaSpec& spec);

  [[nodiscard]] Index dimension() const;
  [[nodiscard]] const Measure& parameters() const;
  [[nodiscard]] Index noise_dimension() const;
  [[nodiscard]] ProblemFacts facts() const;
  void gradient(const Block& x, const Block& theta, const Block& noise, BlockOut g) const;
  // known: sines and cosines that the formula shares with a fourier basis.
  void gradient(const Block& x, const Block& theta, const Block& noise, const Block& known,
                BlockOut g) const;

  [[nodiscard]] bool has_value() const { return true; }
  // values(i, 0) = F at row i.
  void value(Block x, Block theta, Block noise, BlockOut values) const;
  // Row i of h (B×q²) = ∇²F at row i; for at most 50 variables.
  [[nodiscard]] bool has_hessian() const;
  void hessian(Block x, Block theta, Block noise, BlockOut h) const;
  // Why F or ∇F is not finite at one row, in words; empty if both are.
  [[nodiscard]] std::string explain(const Block& x, const Block& theta, const Block& noise) const;
  // values(i, j) = quantity j at row i.
  void quantities(Block x, Block theta, Block noise, BlockOut values) const;
  [[nodiscard]] const std::vector<std::string>& quantity_names() const;
  // One name per component of x: "x", or "w[0]", "w[1]", … for a vector.
  [[nodiscard]] const std::vector<std::string>& component_names() const;
  [[nodiscard]] const std::vector<std::string>& parameter_names() const;

  // Looks for what no solver could survive, at `points` samples of θ and noise: values or gradients
  // that are not finite
  // ("complex-valued": log or root of a negative number) at the start, and kinks of F in x that no
  // noise smooths. Throws FormulaError at the place.
  void validate(Index points = 32) const;

 private:
  std::shared_ptr<const internal::FormulaData> data_;
};

}  // namespace chaosgrad
