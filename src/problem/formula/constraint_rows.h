#pragma once
// Bounds and constraints of a formula problem, as nodes of its graph.
#include "problem/formula/formula_data.h"
#include "problem/names.h"

namespace chaosgrad::internal {

// Reads bounds: data.lower, data.upper, and how far they let x go.
void add_bounds(FormulaData& data, const FormulaSpec& spec, const Scope& names);

// Reads [constraints] into data.row_nodes.
void add_constraints(FormulaData& data, const FormulaSpec& spec, const Scope& names);

// All of them as facts().constraints, if there are any.
void compile_constraints(FormulaData& data, const FormulaSpec& spec);

}  // namespace chaosgrad::internal
