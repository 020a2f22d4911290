#pragma once
// P(y) = argmin over C(θ) of ½ (x − y)ᵀ M (x − y) plus the terms with kinks: the step of every
// constrained method, and how a lifted expansion is evaluated. Rows that are not affine take a few
// quadratic programs (Newton's method on the optimality conditions); no gradient of F.
#include <vector>

#include "chaosgrad/constraints.h"
#include "constraint/quadratic_program.h"

namespace chaosgrad::internal {

struct Projection {
  QuadraticSolution::Outcome outcome = QuadraticSolution::Outcome::unfinished;
  Vector x;
  Vector bound_multipliers;  // q, as in QuadraticSolution
  Vector row_multipliers;    // p
  Vector force;              // q: bound_multipliers + Σ λ_i ∇c_i(x) = M (y − x)
  Index violated = -1;       // infeasible: which row, or p + component
  std::vector<Index> working = {};
};

// At one θ (d), with M = factor factorᵀ. `guess` as for quadratic programs.
[[nodiscard]] Projection project(const Constraints& constraints, const Vector& theta,
                                 const Matrix& factor, const Vector& y,
                                 const std::vector<Index>& guess = {});

// Of rows of y (B×q) at rows of theta (B×d); factors[b] is for row b, or factors[0] for all.
[[nodiscard]] std::vector<Projection> project_block(const Constraints& constraints,
                                                    const Block& theta,
                                                    const std::vector<Matrix>& factors,
                                                    const Block& y);

// The terms with kinks at x, and the largest violation of the others, relative to 1 + |b_i| where
// c_i = a_iᵀx − b_i (bounds: 1 + |bound|). Values only, nothing is projected.
struct ConstraintState {
  double kinks = 0;      // Σ over rows that are kinks
  double violation = 0;  // ≥ 0
  Index worst = -1;      // row, or p + component; −1: none is violated
};
[[nodiscard]] ConstraintState state_at(const Constraints& constraints, const Vector& theta,
                                       const Vector& x);
// Those terms at rows of x and theta (B ≤ block_size).
[[nodiscard]] Vector kinks_at(const Constraints& constraints, const Block& theta, const Block& x);

}  // namespace chaosgrad::internal
