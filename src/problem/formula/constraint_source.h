#pragma once
// C(θ) as source text, for evaluators that stand alone (src/io/export) and for the page.
#include <string>

#include "chaosgrad/constraints.h"
#include "expression/source/source_code.h"

namespace chaosgrad::internal {

// Two functions (see source_code.h for how each language calls them), of FormulaConstraints and
// LinearConstraints; InputError for others, which are known to their own code only.
//   name            (x, theta) → lower, upper, value, jacobian, least, most, as in ConstraintBlock
//                   for one sample: q, q, p, p q (∂c_i/∂x_j at i q + j), p, p numbers
//   name_curvature  (x, theta, multipliers) → curvature: Σ λ_i ∇²c_i, q q numbers. Only where some
//                   row is not affine.
// Python: with source_prelude() above, once. JSON: one object, {"evaluate": { … }, "curvature":
// { … } or null}.
[[nodiscard]] std::string constraint_source(const Constraints& constraints, const std::string& name,
                                            SourceLanguage language);

}  // namespace chaosgrad::internal
