#pragma once
// Distributions in problem files.
#include "chaosgrad/formula.h"
#include "expression/expression.h"
#include "io/problem_file/toml_document.h"

namespace chaosgrad::internal {

// Reads the data files of a problem: from what is already in hand, or from its directory.
class DataFiles {
 public:
  explicit DataFiles(ProblemSource& source) : source_(source) {}
  // The content of the file that `node` names. A missing file is an error at the node.
  const std::string& content(const TomlDocument& document, const toml::node& node,
                             std::string_view what);

 private:
  ProblemSource& source_;
};

// Names that formulas of a constant nature may use.
struct ConstantScope {
  Graph graph;
  Scope names;
  // A number or a formula of constants, and one that must be a number.
  Matrix evaluate(TomlDocument& document, const toml::node& node, std::string_view what);
  double number(TomlDocument& document, const toml::node& node, std::string_view what);
};

// A parameter's distribution, from the keys of its table (other keys, such as basis, are the
// caller's).
[[nodiscard]] Distribution read_distribution(TomlDocument& document, const toml::table& table,
                                             const std::string& what,
                                             const std::vector<std::string>& other_keys,
                                             ConstantScope& constants, DataFiles& files);

// A noise entry: the same distributions, with arguments that may be formulas in the parameters.
[[nodiscard]] NoiseSpec read_noise(TomlDocument& document, const std::string& name,
                                   const toml::table& table, ConstantScope& constants,
                                   DataFiles& files);

}  // namespace chaosgrad::internal
