#pragma once
// Every section and key of a problem file with its type, default and meaning. The reader takes the
// keys it allows from here, and docs/file.md is made of it. The arguments of distributions, the
// options of [solve] and those of built-in problems have tables of their own.
#include <string>
#include <string_view>
#include <vector>

#include "chaosgrad/basis.h"

namespace chaosgrad::internal {

struct FileKey {
  std::string_view key;
  std::string_view type;
  std::string_view fallback;  // its default; "required" where there is none
  std::string_view meaning;
};

struct FileSection {
  std::string_view name;  // empty: above all sections
  std::string_view meaning;
  std::string_view entries;          // what NAME = … holds, where names are free; else empty
  std::vector<FileKey> keys;         // of the section, or of the table NAME = { … }
  std::string_view example;          // TOML
  bool replaced_by_builtin = false;  // a problem coded in C++ brings it
};
[[nodiscard]] const std::vector<FileSection>& file_table();

// The keys that a file may have at its top: those above all sections, then the sections.
[[nodiscard]] std::vector<std::string> top_keys();
// The keys of a section; "objective" with a built-in problem is "objective (built-in)",
// with a model "objective (model)".
[[nodiscard]] std::vector<std::string> keys_of(std::string_view section);

// The values of `basis`.
struct BasisChoice {
  std::string_view name;
  Family::Kind kind;
  bool logarithmic;  // of log θ
  std::string_view meaning;
};
[[nodiscard]] const std::vector<BasisChoice>& basis_choices();
[[nodiscard]] std::string_view basis_name(Family::Kind kind, bool logarithmic);

}  // namespace chaosgrad::internal
