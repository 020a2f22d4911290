#pragma once
// The domain of a formula problem: where F is defined, and in words why it is not elsewhere.
#include "problem/formula/formula_data.h"

namespace chaosgrad::internal {

// What an input can be, whatever the sample.
[[nodiscard]] Range input_range(const FormulaData& data, int slot, Index column, Index count);

// A place of the problem's formulas as written; empty if it is long or has no text.
[[nodiscard]] std::string text_at(const FormulaSpec& spec, SourceSpan span);

// Finds the domain of the objective, around the start; anew if that has moved. The graph has all
// nodes of the objective.
void add_domain(FormulaData& data, const FormulaSpec& spec);

// The first condition that does not hold at one sample (inputs as programs read them, one row);
// `border` counts its border as outside. None: the sample is inside.
struct OutsideDomain {
  SourceSpan span;
  std::string reason;  // "log of a negative number (1 + r*w = -0.2 with w = 3)"
};
[[nodiscard]] std::optional<OutsideDomain> why_outside(const FormulaData& data,
                                                       std::span<const Block> inputs,
                                                       bool border = false);

}  // namespace chaosgrad::internal
