#pragma once
// What the formulas tell of their noise: F as a function of it (which numbers come together, where
// its kinks are, where it is a polynomial between them), and sums over data, and means over noise on
// finitely many values, compiled into moments where the objective is a polynomial of the row.
#include <memory>

#include "problem/formula/formula_data.h"

namespace chaosgrad::internal {

// Fills data.noise_shape and its program. Nothing where there is no noise, or where kinks are too
// many to be followed (floor, ceil).
void find_noise_shape(FormulaData& data);

// Fills data.expected where all noise of the objective is on finitely many cases, and the objective a
// polynomial in it: one evaluation of the compiled form stands for all rows.
void compile_moments(FormulaData& data);

// The same as the facts of a problem have it; empty where there is none.
[[nodiscard]] std::shared_ptr<const NoiseShape> shared_noise_shape(
    const std::shared_ptr<const FormulaData>& data);
[[nodiscard]] std::shared_ptr<const Expectation> shared_expectation(
    const std::shared_ptr<const FormulaData>& data);

}  // namespace chaosgrad::internal
