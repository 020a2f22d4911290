#include <algorithm>
#include <cctype>

#include "expression/formula/formula_builder.h"

namespace chaosgrad::internal {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Insertions, deletions, changes and swaps of neighbours that lead from a to b, upper and lower
// case alike.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates) {
  std::optional<std::string> nearest;
  std::size_t best = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    // One slip in two to four letters, two in five to seven, …
    const std::size_t allowed = (name.size() + 1) / 3;
    if (distance <= allowed && (!nearest || distance < best)) {
      nearest = candidate;
      best = distance;
    }
  }
  return nearest;
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates,
                       std::string_view kind) {
  constexpr std::size_t few = 12;
  if (const auto nearest = nearest_name(name, candidates)) {
    return "; did you mean '" + *nearest + "'?";
  }
  if (candidates.empty() || candidates.size() > few) return "";
  std::string text = "; known " + std::string(kind) + ": ";
  for (const std::string& candidate : candidates) {
    text += candidate + (&candidate == &candidates.back() ? "" : ", ");
  }
  return text;
}

}  // namespace chaosgrad::internal
