#pragma once
// Terms with kinks whose arguments hold noise on finitely many cases, as in the hinge loss over the
// rows of a table: E_v w |c(x, θ, v)| = Σ_k p_k w_k |c(x, θ, v_k)|, a row for each case.
#include "problem/formula/formula_constraints.h"
#include "problem/formula/formula_data.h"

namespace chaosgrad::internal {

// Appends the rows of a term that is affine in x; `first` is the number of the first of them.
// Returns how many there are.
Index add_case_rows(FormulaData& data, const RowNodes& term, Index first,
                    ConstraintFormulas& formulas);

}  // namespace chaosgrad::internal
