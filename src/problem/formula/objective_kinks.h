#pragma once
// Kinks of the objective in x that no noise smooths, as rows of the constraints.
#include "problem/formula/formula_data.h"

namespace chaosgrad::internal {

// Leaves the smooth part in data.objective and appends the rest to data.row_nodes. Kinks whose
// arguments hold noise on finitely many cases, at most this many, become a row for each case: they
// would stay kinks however often the noise is drawn.
inline constexpr Index most_case_rows = 2000;
void split_objective(FormulaData& data, const FormulaSpec& spec);

// Whether the mean over the noise has no kink where a node of x and noise is 0: there is noise with
// a density in it, or more cases than become rows.
[[nodiscard]] bool is_smoothed(const FormulaData& data, const Graph& graph, Node node);

}  // namespace chaosgrad::internal
