#pragma once
// The names of a problem: every one may be used only once.
#include <set>
#include <string>

#include "chaosgrad/error.h"
#include "chaosgrad/formula.h"
#include "expression/expression.h"

namespace chaosgrad::internal {

class Names {
 public:
  void add(const std::string& name, Node node, const std::string& section) {
    static const std::set<std::string, std::less<>> reserved = {"pi", "if", "and", "or", "not"};
    if (reserved.contains(name))
      throw InputError(section + "." + name, "'" + name + "' is a reserved word");
    if (!scope_.emplace(name, node).second) {
      throw InputError(section + "." + name, "the name '" + name + "' is used twice");
    }
  }
  [[nodiscard]] const Scope& scope() const { return scope_; }

 private:
  Scope scope_;
};

// All of a formula, for errors.
[[nodiscard]] inline SourceSpan span_of(const FormulaText& formula) {
  return {formula.id, 0, static_cast<Index>(formula.text.size())};
}

// A formula whose value must be a number. Throws FormulaError.
[[nodiscard]] inline Node scalar_formula(Graph& graph, const FormulaText& formula,
                                         const Scope& names) {
  const Node node = parse(graph, formula.text, names, formula.id);
  if (!graph.shape(node).is_scalar()) {
    throw FormulaError(
        "expected a scalar, found a vector of " + std::to_string(graph.shape(node).size()) +
            "; sum(…) adds its components, dot(a, b) is the inner product of two vectors",
        span_of(formula));
  }
  return node;
}

// One name per component of a variable: "x", or "w[0]", "w[1]", … for a vector.
inline void append_component_names(const VariableSpec& variable, std::vector<std::string>& names) {
  for (Index i = 0; i < variable.start.size(); ++i) {
    names.push_back(variable.is_vector ? variable.name + "[" + std::to_string(i) + "]"
                                       : variable.name);
  }
}

}  // namespace chaosgrad::internal
