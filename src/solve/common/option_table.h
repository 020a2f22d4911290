#pragma once
// Every option on one line: its key in [solve], where it stands in Options, its range, its default,
// who uses it, what it means. The reader of files, the JSON, the checks, the notes on options that
// a method has no use for, and docs/file.md read from it.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "chaosgrad/options.h"
#include "solve/common/methods.h"

namespace chaosgrad::internal {

// One of several words.
struct OptionChoice {
  std::string_view name;
  int value;  // of the enumeration
  std::string_view meaning;
};
struct ChoiceMember {
  std::vector<OptionChoice> choices;
  int (*get)(const Options&);
  void (*set)(Options&, int);
};
// The order of the basis: a word, or a list of multi-indices.
struct IndexSetMember {
  std::vector<OptionChoice> choices;  // values of IndexSetName
};
enum class IndexSetName { total_degree, hyperbolic, adaptive };
// Numbers, one per parameter.
struct IndexWeightsMember {};

using OptionMember = std::variant<double Options::*, std::optional<double> Options::*,
                                  Index Options::*, int Options::*, std::uint64_t Options::*,
                                  bool Options::*, std::optional<Schedule> Options::*, ChoiceMember,
                                  IndexSetMember, IndexWeightsMember>;

enum class OptionRange { any, positive, not_negative, at_least_one, between_zero_and_one };

// A default that depends on the method.
struct MethodDefault {
  MethodSet methods;
  std::string_view value;
};

struct OptionEntry {
  std::string_view key;
  OptionMember member;
  OptionRange range;
  MethodSet users;
  std::string_view meaning;
  std::vector<MethodDefault> defaults = {};  // empty: what Options{} says
};

[[nodiscard]] const std::vector<OptionEntry>& option_table();
[[nodiscard]] const OptionEntry& option_entry(std::string_view key);

// The schedule that stands for one that is not given; the first in the table for methods that do
// not use it.
[[nodiscard]] Schedule default_schedule(std::string_view key, Method method);

// The index set by name; as a list it has none.
[[nodiscard]] std::optional<IndexSetName> index_set_name(const Options& options);
void set_index_set(Options& options, IndexSetName name);

// Whether an option differs from its default.
[[nodiscard]] bool is_given(const OptionEntry& entry, const Options& options);
[[nodiscard]] std::string_view in_words(OptionRange range);  // "must be positive"; empty for any

// Throws InputError("solve.key", …) at the first option outside its range.
void check_ranges(const Options& options);
// What is given and not used: "solve.step is not used by method sieve". One file often serves
// several methods, so these are notes and no errors.
[[nodiscard]] std::vector<std::string> notes_on_unused(const Options& options);

}  // namespace chaosgrad::internal
