#pragma once
// Formulas as source text of other languages: straight-line code, a statement per number, from one
// walk over the graph. Every language has a table of its operations.
//
//   C       static void name(const double *x, const double *theta, double *value, …): the outputs
//           that are given a place are filled.
//   Python  def name(x, theta): returns the outputs as lists, in order, one list if there is one.
//           Needs `import math` above it.
//   JSON    {"inputs": ["x", "theta"], "steps": [ … ], "outputs": {"value": [ … ]}}. Step k is
//           ["number", 1.5], ["x", 3] (component 3 of the input x), or [operation, i, j, …] with
//           the numbers of earlier steps as arguments; an output is a list of steps, or of numbers
//           if it is constant: {"numbers": [ … ]}, where null is infinity and "-" is −infinity.
#include <string>
#include <utility>
#include <vector>

#include "expression/expression.h"

namespace chaosgrad::internal {

enum class SourceLanguage { c, python, json };

struct SourceFunction {
  std::string name;
  std::vector<std::pair<int, std::string>> inputs;  // slots and their names
  struct Output {
    std::string name;
    Index size = 0;
    double otherwise = 0;                       // of components that no part gives
    std::vector<std::pair<Index, Node>> parts;  // from which component on, and all of a node
  };
  std::vector<Output> outputs;
};

// Throws InputError if an operation cannot be written in the language.
[[nodiscard]] std::string source_code(const Graph& graph, const SourceFunction& function,
                                      SourceLanguage language);

}  // namespace chaosgrad::internal
