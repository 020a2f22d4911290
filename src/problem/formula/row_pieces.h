#pragma once
// Constraints with kinks: |a| ≤ b is a ≤ b and −a ≤ b.
#include "problem/formula/formula_data.h"

namespace chaosgrad::internal {

// c ≤ 0, for each component, as rows without kinks of abs, max and min whose largest is c: one for
// every choice of the branches. Their multipliers sum up to that of c. At most most_pieces of them,
// FormulaError if there are more. Kinks that cannot be taken apart stay in the rows.
inline constexpr std::size_t most_pieces = 256;
[[nodiscard]] Node smooth_pieces(FormulaData& data, Node c, const std::string& name,
                                 SourceSpan span);

}  // namespace chaosgrad::internal
