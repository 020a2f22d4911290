#pragma once
// The two products with the basis matrix Ψ (samples × functions) that all solvers spend their time
// in, on its factored form. Every sum is formed in one fixed order, which depends on neither
// threads nor the number of components.
#include "chaosgrad/basis.h"

namespace chaosgrad::internal {

// x = Ψ u: x is samples × q, u the first m = psi.functions() rows of the coefficients.
void expand(const BasisBlock& psi, const Coefficients& u, BlockOut x);

// sums += Ψᵀ g: g is samples × q; sums is m × q, m = psi.functions().
void project(const BasisBlock& psi, const Block& g, Coefficients& sums);
// The same with row s of g taken weights[s] times.
void project(const BasisBlock& psi, const Block& g, const double* weights, Coefficients& sums);

// values[s] = factor · T_column at sample s, a column of the table.
void read_column(const BasisBlock& psi, Index column, double factor, double* values);

// squares[s] = Σ_i ψ_i² at sample s: the reciprocal Christoffel function.
void sum_of_squares(const BasisBlock& psi, double* squares);

}  // namespace chaosgrad::internal
