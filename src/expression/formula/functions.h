#pragma once
// The words and signs of formulas: functions and operators, each with its meaning and an example.
// The parser, its messages and docs/formulas.md read from here.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expression/expression.h"

namespace chaosgrad::internal {

// An example: the formula has the same value as the other one, which is shorter.
struct FormulaExample {
  std::string_view formula, value;
};

struct FormulaFunction {
  static constexpr int any_number = 1000000;

  Op op;
  std::string_view meaning;
  FormulaExample example;
  std::string_view own_name = {};  // where it is not that of the operation
  int most = 0;                    // arguments; 0: as many as the operation has

  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] int least_arguments() const;
  [[nodiscard]] int most_arguments() const;
  // How it is called: "dot(a, b)", "max(a, b, …)".
  [[nodiscard]] std::string call() const;
};
[[nodiscard]] std::span<const FormulaFunction> formula_functions();
[[nodiscard]] const FormulaFunction* find_function(std::string_view name);

// From weak to strong.
enum class Precedence {
  logical_or,
  logical_and,
  logical_not,
  comparison,
  sum,
  product,
  sign,
  power
};

struct FormulaOperator {
  std::string_view symbol;
  Op op;
  Precedence precedence;
  std::string_view meaning;
  FormulaExample example;
};
[[nodiscard]] std::span<const FormulaOperator> binary_operators();
[[nodiscard]] std::span<const FormulaOperator> prefix_operators();
// The operator of this symbol, which the grammar has let through.
[[nodiscard]] const FormulaOperator& operator_of(std::span<const FormulaOperator> operators,
                                                 std::string_view symbol);

}  // namespace chaosgrad::internal
