#pragma once
// Sums over data, and means over noise on finitely many values, compiled into moments where the
// objective is a polynomial of the row: one evaluation of the compiled form stands for all rows.
#include "problem/formula/formula_data.h"

namespace chaosgrad::internal {

// Fills data.expected where all noise of the objective is of that kind.
void compile_moments(FormulaData& data);

[[nodiscard]] std::shared_ptr<const Expectation> shared_expectation(
    const std::shared_ptr<const FormulaData>& data);

}  // namespace chaosgrad::internal
