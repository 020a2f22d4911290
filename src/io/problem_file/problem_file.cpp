#include "io/problem_file/problem_file.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "io/models/remote_model.h"
#include "io/problem_file/file_table.h"
#include "io/problem_file/read_options.h"
#include "io/problem_file/read_problem.h"
#include "io/problem_file/source.h"
#include "io/problem_file/toml_document.h"

namespace chaosgrad::internal {

void require_word(const TomlDocument& document, const TomlDocument::Entry& entry,
                  std::string_view section) {
  const auto letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  bool word = !entry.key.empty() && letter(entry.key[0]);
  for (const char c : entry.key)
    word = word && (letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0);
  if (!word) {
    document.fail(
        entry.place,
        fmt::format("[{}]: '{}' is not a name that formulas can use (letters, digits and _, "
                    "not starting with a digit)",
                    section, entry.key));
  }
}

std::vector<std::pair<std::string, FormulaText>> read_formulas(TomlDocument& document,
                                                               std::string_view name) {
  std::vector<std::pair<std::string, FormulaText>> formulas;
  if (const toml::table* section = document.section(name)) {
    for (const TomlDocument::Entry& entry : document.entries(*section)) {
      require_word(document, entry, name);
      formulas.emplace_back(entry.key,
                            document.formula(*entry.value, fmt::format("{}.{}", name, entry.key)));
    }
  }
  return formulas;
}

ProblemSource read_problem_source(const std::string& path, std::vector<std::string> overrides) {
  return {.name = path,
          .directory = std::filesystem::path(path).parent_path().string(),
          .text = read_file(path),
          .overrides = std::move(overrides),
          .files = {}};
}

void fail_at_place(const ProblemSource& source, const InputError& error) {
  TomlDocument(source).fail(error);
}

ProblemFile load_problem(ProblemSource source, Checked checked) {
  TomlDocument document(source);
  refuse_stray_options(document);
  document.require_keys(document.root(), "the problem file", top_keys());
  std::string title;
  if (const toml::node* node = document.root().get("title"))
    title = document.string(*node, "title");

  try {
    std::shared_ptr<RemoteModel> model;
    ExternalSizes sizes;
    const auto read = [&]() -> AnyProblem {
      if (names_builtin(document)) return read_builtin(document);
      const FormulaSpec spec = read_formula_spec(document, source);
      if (!names_model(document)) return FormulaProblem(spec);
      sizes = external_sizes(spec);
      model = read_model(document, source, sizes);
      return ExternalProblem(spec, model);
    };
    AnyProblem problem = read();
    Options options = read_options(document);
    if (checked == Checked::now) problem.validate();
    const std::string fingerprint = model ? model_fingerprint(document, source) : "";
    return {std::move(title),  std::move(problem), std::move(options),
            std::move(source), std::move(model),   sizes,
            fingerprint};
  } catch (const FormulaError& error) {
    document.fail(error);
  } catch (const InputError& error) {
    document.fail(error);
  }
}

}  // namespace chaosgrad::internal
