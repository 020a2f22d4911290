#pragma once
// Every distribution on one line of one table: its name, its arguments with what they must satisfy
// and what they default to, and its quantile as a formula. The reader of problem files, the JSON,
// the messages, noise whose arguments are formulas, the exports and docs/file.md read from it.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chaosgrad/distribution.h"

namespace chaosgrad::internal {

// What an argument must be. `lower` and `upper` are the arguments of these names.
enum class ArgumentRule {
  finite,
  positive,
  extended,              // a number, possibly infinite
  above_lower,           // finite, and greater than lower
  extended_above_lower,  // possibly infinite, and greater than lower
  within_bounds,         // from lower to upper
  list,                  // of numbers
  text
};

struct DistributionArgument {
  std::string_view key;
  ArgumentRule rule;
  std::optional<double> fallback;  // empty: the argument must be given (lists: may be left out)
  // Its value in a distribution: one number, or a list. Empty for what only files have.
  std::function<std::vector<double>(const Distribution::Variant&)> values;
};

struct DistributionEntry {
  std::string_view name;
  std::string_view meaning;
  std::vector<DistributionArgument> arguments;
  std::size_t alternative;  // of Distribution::Variant
  // From one number per argument, in their order. Empty where arguments are lists or text.
  std::function<Distribution::Variant(std::span<const double>)> make;
  // The quantile at the level u, in the arguments. Empty: not a noise with formulas as arguments.
  std::string_view quantile = {};
  // Noise is integrated out in the normal score of u instead of u itself: for unbounded ones.
  bool in_normal_score = false;
  // The distribution of log θ, where that is in the table, too.
  std::function<Distribution::Variant(const Distribution::Variant&)> logarithm = {};
};

// In the order in which messages and pages list them.
[[nodiscard]] const std::vector<DistributionEntry>& distribution_table();
[[nodiscard]] const DistributionEntry& entry_of(const Distribution::Variant& parameters);
// Null if there is none of this name.
[[nodiscard]] const DistributionEntry* find_distribution(std::string_view name);
[[nodiscard]] std::vector<std::string> distribution_names();

// Throws InputError at the first argument that breaks its rule. (Lists are checked by their law.)
void require_valid_arguments(const Distribution::Variant& parameters);
// "greater than lower", as in "upper must be …"; empty for rules that every number satisfies.
[[nodiscard]] std::string_view in_words(ArgumentRule rule);

// "uniform(lower = 0, upper = 1)", "discrete(3 values)"
[[nodiscard]] std::string in_words(const Distribution& distribution);

// The distribution of log θ; nothing where the table has none.
[[nodiscard]] std::optional<Distribution> logarithm(const Distribution& distribution);
// The distributions that have one: "lognormal or loguniform".
[[nodiscard]] std::string names_with_logarithm();

}  // namespace chaosgrad::internal
