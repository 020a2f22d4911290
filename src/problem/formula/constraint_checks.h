#pragma once
// What is wrong with constraints, found before anything is solved; FormulaError at the place.
#include "problem/formula/sample_point.h"

namespace chaosgrad::internal {

// Equalities are affine. When the problem is made.
void check_equalities(const FormulaData& data);

// At one sample of θ: bounds that cross, weights of kinks that are negative, rows that are no
// numbers at the start, components that do not depend on x and are violated.
void check_constraints_at(const FormulaData& data, const Point& point);

// Rows with kinks where they reach their limit, seen from sample i: the steps of a projection would
// jump from one side to the other.
void check_row_kinks(const FormulaData& data, const Point& point, Index i);

// Rows whose convexity the rules cannot see are tried out: a Hessian with a negative eigenvalue, at
// one of some hundred samples of x and θ, denies it.
void check_convexity(const FormulaData& data);

}  // namespace chaosgrad::internal
