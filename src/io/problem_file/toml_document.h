#pragma once
// A TOML document with its overrides, read with precise complaints: every accessor that does not
// find what it expects throws PlacedError.
#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

#include "chaosgrad/error.h"
#include "io/problem_file/source.h"

namespace chaosgrad::internal {

class TomlDocument {
 public:
  explicit TomlDocument(const ProblemSource& source);

  [[nodiscard]] const toml::table& root() const { return root_; }

  // The entries of a table in the order of the text (toml++ sorts them by name).
  struct Entry {
    std::string key;
    const toml::node* value;
    Place place;  // of the key
  };
  [[nodiscard]] std::vector<Entry> entries(const toml::table& table) const;

  // Complains about keys that are not among `allowed`, with the nearest allowed one. `section`
  // names the table.
  void require_keys(const toml::table& table, std::string_view section,
                    const std::vector<std::string>& allowed) const;

  [[nodiscard]] const toml::table& table(const toml::node& node, std::string_view what) const;
  [[nodiscard]] const toml::table* section(
      std::string_view name) const;  // of the root; null if absent
  [[nodiscard]] std::string string(const toml::node& node, std::string_view what) const;
  [[nodiscard]] bool boolean(const toml::node& node, std::string_view what) const;
  [[nodiscard]] Index integer(const toml::node& node, std::string_view what) const;
  [[nodiscard]] double number(const toml::node& node, std::string_view what) const;
  [[nodiscard]] const toml::array& array(const toml::node& node, std::string_view what) const;
  [[nodiscard]] std::vector<double> numbers(const toml::node& node, std::string_view what) const;
  [[nodiscard]] std::vector<std::string> strings(const toml::node& node,
                                                 std::string_view what) const;
  // A number, an array of numbers (a column) or an array of such arrays (rows).
  [[nodiscard]] Matrix matrix(const toml::node& node, std::string_view what) const;
  // One of `choices`; the index of it.
  [[nodiscard]] std::size_t choice(const toml::node& node, std::string_view what,
                                   const std::vector<std::string>& choices) const;
  // A formula: a string, or a number standing for itself. Its text id leads back to its place.
  [[nodiscard]] FormulaText formula(const toml::node& node, std::string_view what);
  // The same, or "inf" or "-inf", which TOML has as numbers.
  [[nodiscard]] FormulaText bound(const toml::node& node, std::string_view what);

  [[noreturn]] void fail(const toml::node& node, const std::string& message) const;
  [[noreturn]] void fail(const Place& place, const std::string& message) const;
  // Translates an error of a formula (or of a field given as section.key…) into one with a place.
  [[noreturn]] void fail(const FormulaError& error) const;
  [[noreturn]] void fail(const InputError& error) const;

 private:
  [[nodiscard]] Place place(const toml::node& node) const;
  [[nodiscard]] std::string_view text_of(const std::string& file) const;
  void apply_override(const std::string& assignment);

  std::string name_;
  std::string text_;
  std::vector<std::pair<std::string, std::string>>
      override_texts_;  // name and text of each override
  toml::table root_;
  std::vector<const toml::node*> formulas_;  // by text id
};

}  // namespace chaosgrad::internal
