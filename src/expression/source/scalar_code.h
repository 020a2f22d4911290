#pragma once
// A function as steps on single numbers, in an order that can be run: what every language prints.
#include <map>
#include <vector>

#include "expression/source/source_code.h"

namespace chaosgrad::internal {

// One number: a constant, a component of an input, or an operation on earlier steps. Op::sum takes
// any number of arguments, Op::dot any number of pairs. Other operations on vectors, and those that
// are made of others (huber, norm2, solve, …), are written out.
struct ScalarStep {
  Op op = Op::constant;  // constant, input, or an operation
  double number = 0;
  int slot = 0;
  Index column = 0;
  std::vector<std::size_t> arguments = {};
};

struct ScalarCode {
  std::vector<ScalarStep> steps;                  // equal ones are one
  std::vector<std::vector<std::size_t>> outputs;  // a step for every component of each
};

[[nodiscard]] ScalarCode scalar_code(const Graph& graph, const SourceFunction& function);

}  // namespace chaosgrad::internal
