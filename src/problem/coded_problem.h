#pragma once
// Problems coded in C++, with names for their parts and formulas of them as quantities.
#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chaosgrad/constraints.h"
#include "chaosgrad/formula.h"
#include "chaosgrad/problem.h"

namespace chaosgrad::internal {

// A problem whose parts have names. It may also have a member value(x, theta, noise, values) that
// fills values (B×1) with F.
template <class P>
concept NamedProblem = Problem<P> && requires(const P& p) {
  { p.parameter_names() } -> std::convertible_to<std::vector<std::string>>;
  { p.variables() } -> std::convertible_to<std::vector<VariableSpec>>;  // in the order of x
};

// Formulas in the variables and parameters of a coded problem.
struct QuantitySpec {
  std::vector<std::pair<std::string, FormulaText>> definitions;
  std::vector<std::pair<std::string, FormulaText>> quantities;  // scalars
};

// Satisfies Problem. Thread-safe. Throws FormulaError or InputError when it is made.
class CodedProblem {
 public:
  template <NamedProblem P>
  CodedProblem(P problem, const QuantitySpec& quantities)
      : CodedProblem(std::make_shared<const P>(std::move(problem)), quantities) {}
  template <NamedProblem P>
  CodedProblem(std::shared_ptr<const P> problem, const QuantitySpec& quantities)
      : owner_(problem), oracle_(*problem) {
    add_names(problem->parameter_names(), problem->variables(), quantities);
  }

  [[nodiscard]] Index dimension() const { return oracle_.dimension(); }
  [[nodiscard]] const Measure& parameters() const { return oracle_.parameters(); }
  [[nodiscard]] Index noise_dimension() const { return oracle_.noise_dimension(); }
  [[nodiscard]] ProblemFacts facts() const;
  // lower ≤ x ≤ upper: one number for all components, or one for each; empty: none. The start is
  // moved inside.
  void bound(const Vector& lower, const Vector& upper);
  void gradient(const Block& x, const Block& theta, const Block& noise, BlockOut g) const {
    oracle_.gradient(x, theta, noise, g);
  }
  void gradient(const Block& x, const Block& theta, const Block& noise, const Block& known,
                BlockOut g) const {
    oracle_.gradient(x, theta, noise, known, g);
  }

  [[nodiscard]] bool has_value() const { return oracle_.has_value(); }
  // values(i, 0) = F at row i, where has_value().
  void value(Block x, Block theta, Block noise, BlockOut values) const {
    oracle_.value(x, theta, noise, values);
  }
  [[nodiscard]] bool has_hessian() const { return oracle_.has_hessian(); }
  void hessian(Block x, Block theta, Block noise, BlockOut h) const {
    oracle_.hessian(x, theta, noise, h);
  }
  [[nodiscard]] std::string explain(Block x, Block theta, Block noise) const {
    return oracle_.explain(x, theta, noise);
  }
  // values(i, j) = quantity j at row i. Quantities do not depend on the noise.
  void quantities(Block x, Block theta, Block noise, BlockOut values) const;
  [[nodiscard]] const std::vector<std::string>& quantity_names() const;
  [[nodiscard]] const std::vector<std::string>& component_names() const;
  [[nodiscard]] const std::vector<std::string>& parameter_names() const;

  // Throws InputError("objective", …) if the gradient at the start is not finite at one of `points`
  // samples.
  void validate(Index points = 32) const;

  struct Formulas;  // opaque

 private:
  void add_names(const std::vector<std::string>& parameters,
                 const std::vector<VariableSpec>& variables, const QuantitySpec& quantities);

  std::shared_ptr<const void> owner_;
  Oracle oracle_;
  std::shared_ptr<const Formulas> formulas_;
  std::shared_ptr<const Constraints> constraints_;
  Vector start_;  // empty: that of the problem
};

}  // namespace chaosgrad::internal
