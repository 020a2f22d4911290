#pragma once
// The two products with the basis matrix Ψ (samples × functions) that all solvers spend their time in.
#include "chaosgrad/basis.h"

namespace chaosgrad {

// x = Ψ u: x is samples × q, u the first m = psi.functions() rows of the coefficients.
void expand(const BasisBlock& psi, const Coefficients& u, BlockOut x);

// sums += Ψᵀ g: g is samples × q; sums is m × q, m = psi.functions(). The order of the additions is fixed.
void project(const BasisBlock& psi, Block g, Coefficients& sums);

}  // namespace chaosgrad
