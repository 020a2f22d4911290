#pragma once
// What the formulas show of F as a function of its noise: which numbers come together, where its
// kinks are, where it is a polynomial between them.
#include <memory>

#include "problem/formula/formula_data.h"

namespace chaosgrad::internal {

// Fills data.noise_shape and its program. Nothing where there is no noise, or where kinks are too
// many to be followed (floor, ceil).
void find_noise_shape(FormulaData& data);

// The same as the facts of a problem have it.
[[nodiscard]] std::shared_ptr<const NoiseShape> shared_noise_shape(
    const std::shared_ptr<const FormulaData>& data);

}  // namespace chaosgrad::internal
