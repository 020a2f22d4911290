#pragma once
// Formulas as source text of other languages: straight-line code from one walk over the graph
// (scalar_code.h), printed with a table of operations (language_table.h).
//
//   C       static void name(const double *x, const double *theta, double *value, …), C99 with
//           <math.h>. Outputs whose pointer is null are left out.
//   Python  def name(x, theta): returns the outputs as lists, in order (one output: that list).
//           Nothing but math; source_prelude() stands above it.
//   JSON    {"inputs": ["x", "theta"], "steps": [ … ], "outputs": {"value": [ … ], …}}
//           Step k is ["number", 1.5], ["x", 3] (component 3 of the input x), or
//           [operation, i, j, …] of the results of earlier steps. An output is a list of the
//           numbers of steps; a constant one is {"numbers": [ … ]}. Infinite numbers are the
//           strings "Infinity" and "-Infinity". The operations are those of language_table.cpp;
//           "sum" and "dot" take any number of arguments, dot in pairs: a0*b0 + a1*b1 + …
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

// Throws InputError("export", …) if an operation has no text in other languages.
[[nodiscard]] std::string source_code(const Graph& graph, const SourceFunction& function,
                                      SourceLanguage language);

// What the functions need above them, once in a file.
[[nodiscard]] std::string source_prelude(SourceLanguage language);

}  // namespace chaosgrad::internal
