#pragma once
// What is known of each operation: its name, its number of arguments, the shape of its result, its
// value on constants.
#include "expression/expression.h"

namespace chaosgrad::internal {

struct Operation {
  std::string_view name;
  int arguments;  // −1: any number
  bool elementwise = true;
  bool commutative = false;
};
[[nodiscard]] const Operation& operation(Op op);

[[nodiscard]] bool is_comparison(Op op);
[[nodiscard]] bool is_logical(Op op);

// "a number", "a vector of 3", "a row of 3", "a 2 × 3 matrix"
[[nodiscard]] std::string in_words(Shape shape);

// The shape of op(arguments…); FormulaError if the arguments do not fit together.
[[nodiscard]] Shape result_shape(Op op, std::span<const Shape> arguments, SourceSpan span);

// op of constants (not element, stack, input or constant).
[[nodiscard]] Matrix constant_result(Op op, std::span<const Matrix* const> arguments, Shape shape);

// How a formula writes op of these numbers: "sqrt(-1)", "1/0", "(-8)^0.5".
[[nodiscard]] std::string written(Op op, std::span<const double> arguments);

// Why op of these finite numbers is not finite: "log of a negative number (-5)"; "overflow" if
// nothing else is to blame. Operations on whole vectors need no numbers.
[[nodiscard]] std::string why_not_finite(Op op, std::span<const double> arguments);

}  // namespace chaosgrad::internal
