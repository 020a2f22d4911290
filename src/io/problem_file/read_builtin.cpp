// A problem coded in C++.
#include <fmt/format.h>

#include "io/problem_file/file_table.h"
#include "io/problem_file/read_problem.h"
#include "problem/coded/builtin.h"

namespace chaosgrad::internal {
namespace {

// The built-in problem brings these sections itself.
void require_no_own_sections(const TomlDocument& document, const std::string& name) {
  for (const FileSection& section : file_table()) {
    const toml::table* table =
        section.replaced_by_builtin ? document.section(section.name) : nullptr;
    if (table) {
      document.fail(*table,
                    fmt::format("[{}] must be left out: the built-in problem '{}' brings its own",
                                section.name, name));
    }
  }
}

}  // namespace

bool names_builtin(const TomlDocument& document) {
  const toml::table* objective = document.section("objective");
  return objective && objective->get("builtin");
}

CodedProblem read_builtin(TomlDocument& document) {
  const toml::table& objective = *document.section("objective");
  document.require_keys(objective, "[objective] with a built-in problem",
                        keys_of("objective (built-in)"));
  const std::string name = document.string(*objective.get("builtin"), "objective.builtin");
  require_no_own_sections(document, name);
  BuiltinValues values;
  Vector bounds[2];
  if (const toml::node* options = objective.get("options")) {
    for (const TomlDocument::Entry& entry :
         document.entries(document.table(*options, "objective.options"))) {
      const std::string what = "objective.options." + entry.key;
      if (entry.key == "lower" || entry.key == "upper")
        bounds[entry.key == "upper" ? 1 : 0] = document.matrix(*entry.value, what).reshaped();
      else
        values[entry.key] = document.number(*entry.value, what);
    }
  }
  CodedProblem problem = make_builtin(name, values,
                                      {.definitions = read_formulas(document, "definitions"),
                                       .quantities = read_formulas(document, "quantities")});
  problem.bound(bounds[0], bounds[1]);
  return problem;
}

}  // namespace chaosgrad::internal
