#pragma once
// What summary, page and tables tell of a large x: some of its components. The store keeps all.
#include <optional>
#include <string>
#include <vector>

#include "io/record.h"

namespace chaosgrad::internal {

// At most this many components, and coefficients, so that a page opens at once.
inline constexpr Index most_shown_components = 1000;
inline constexpr Index most_shown_coefficients = Index{1} << 21;

// Which of the components of these names ("x[0]", "x[1]", …, "y") are shown if `most` may be: all of
// the small variables, and the others evenly spread.
[[nodiscard]] std::vector<Index> spread_components(const std::vector<std::string>& names,
                                                   Index most);
// Those that the user asks for, ascending: "x" (all of it), "x[3]", "x[10:20]" (20 is not in it);
// several with commas between them. Throws InputError("components", …).
[[nodiscard]] std::vector<Index> named_components(const std::vector<std::string>& names,
                                                  const std::string& text);

// A record with some of its components only. Constrained x are shown whole: bounds and rows tie their
// components together.
class ShownRecord {
 public:
  explicit ShownRecord(const Record& whole);  // as many as there may be
  ShownRecord(const Record& whole, std::vector<Index> components);
  ShownRecord(const ShownRecord&) = delete;

  [[nodiscard]] const Record& record() const { return part_ ? *part_ : whole_; }
  [[nodiscard]] const Record& whole() const { return whole_; }
  [[nodiscard]] const std::vector<Index>& components() const { return components_; }
  [[nodiscard]] bool all() const { return !part_; }

 private:
  const Record& whole_;
  std::vector<Index> components_;
  std::optional<Solution> solution_;
  std::optional<Record> part_;
};

}  // namespace chaosgrad::internal
