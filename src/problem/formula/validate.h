#pragma once
// What FormulaProblem::validate does, for whatever is made of formulas.
#include "problem/formula/formula_data.h"

namespace chaosgrad::internal {

void validate_formulas(const FormulaData& data, Index points);

}  // namespace chaosgrad::internal
