#pragma once
// How each language writes an operation on numbers.
#include <string_view>

#include "expression/expression.h"

namespace chaosgrad::internal {

struct OperationText {
  Op op;
  std::string_view c, python;  // {0}, {1}, {2} stand for the arguments
  std::string_view json;       // its name
};

// Of an operation that scalar_code() leaves, but Op::sum and Op::dot, which are written as sums of
// (products of) their arguments.
[[nodiscard]] const OperationText& operation_text(Op op);

// Functions of Python's math that raise where others give not-a-number or infinity: branches that
// are not taken are computed, too.
[[nodiscard]] std::string_view python_prelude();

}  // namespace chaosgrad::internal
