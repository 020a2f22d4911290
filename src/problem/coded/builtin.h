#pragma once
// The problems coded in C++ that a file can name: [objective] builtin = "elliptic-control".
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "problem/coded_problem.h"

namespace chaosgrad::internal {

// An option of a built-in problem, a number in [lower, upper].
struct BuiltinOption {
  std::string name;
  double otherwise;  // its value where it is not given
  double lower, upper;
  bool whole = false;
  std::string meaning;
};

using BuiltinValues = std::map<std::string, double>;

struct Builtin {
  std::string name, summary;
  std::vector<BuiltinOption> options;
  // Given a value in range for every option.
  std::function<CodedProblem(const BuiltinValues&, const QuantitySpec&)> make;
};

[[nodiscard]] const std::vector<Builtin>& builtins();

// `given` are some of the options. Throws InputError that names objective.builtin or
// objective.options.….
[[nodiscard]] CodedProblem make_builtin(const std::string& name, const BuiltinValues& given = {},
                                        const QuantitySpec& quantities = {});

}  // namespace chaosgrad::internal
