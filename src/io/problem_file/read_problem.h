#pragma once
// The sections of a problem file that say what is to be solved.
#include "io/problem_file/read_distribution.h"
#include "io/problem_file/toml_document.h"
#include "problem/any_problem.h"

namespace chaosgrad::internal {

// Complains about a key that formulas could not use as a name.
void require_word(const TomlDocument& document, const TomlDocument::Entry& entry,
                  std::string_view section);

// The named formulas of a section, in order; none if it is absent.
[[nodiscard]] std::vector<std::pair<std::string, FormulaText>> read_formulas(TomlDocument& document,
                                                                             std::string_view name);

// Data files that the problem names are read into `source`.
[[nodiscard]] FormulaSpec read_formula_spec(TomlDocument& document, ProblemSource& source);

// A problem coded in C++, from objective.builtin and objective.options.
[[nodiscard]] bool names_builtin(const TomlDocument& document);
[[nodiscard]] CodedProblem read_builtin(TomlDocument& document);

// A model that runs elsewhere, from objective.server or objective.command. Nobody is called yet.
[[nodiscard]] bool names_model(const TomlDocument& document);
[[nodiscard]] std::shared_ptr<RemoteModel> read_model(const TomlDocument& document,
                                                      const ProblemSource& source,
                                                      const ExternalSizes& sizes);
// See ProblemFile::fingerprint.
[[nodiscard]] std::string model_fingerprint(const TomlDocument& document,
                                            const ProblemSource& source);

}  // namespace chaosgrad::internal
