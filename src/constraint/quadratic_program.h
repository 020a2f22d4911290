#pragma once
// A strictly convex quadratic program whose multipliers have limits:
//
//   min ½ (x − y)ᵀ M (x − y) + Σ_i max { λ (a_iᵀ x − b_i) : least_i ≤ λ ≤ most_i },  lower ≤ x ≤ upper,
//
// by a dual active-set method (Goldfarb and Idnani 1983, with limits on the multipliers).
#include <vector>

#include "chaosgrad/types.h"

namespace chaosgrad::internal {

class BoundActiveSet;

struct QuadraticProgram {
  const Matrix& factor;         // L, lower triangular: M = L Lᵀ
  const Vector& y;              // q
  const Vector &lower, &upper;  // q; ∓∞: none
  const Matrix& rows;           // p×q: a_i
  const Vector& right;          // p: b_i
  const Vector &least, &most;   // p
};

struct QuadraticSolution {
  enum class Outcome {
    solved,
    infeasible,  // no x satisfies the rows with unlimited multipliers and the bounds
    unfinished   // too many steps: rounding
  };
  Outcome outcome = Outcome::unfinished;
  Vector x;
  Vector bound_multipliers;  // q: > 0 at the upper bound, < 0 at the lower one
  Vector row_multipliers;    // p
  Index violated = -1;       // infeasible: a row that cannot be met, or p + component of a bound
  Index steps = 0;
  // Which rows and bounds are met with equality and multipliers inside of their limits: a guess for
  // the next program (rows 0 … p − 1, p + component for bounds). Numbers from p + q on are further
  // hints: p + q + component, that the bound is the lower one; p + 2q + row and 2p + 2q + row, that
  // the multiplier of the row rests at `most` or at `least`.
  std::vector<Index> working;
};

// `guess` is the working set of a similar program, or empty. `of_metric`, for programs with bounds
// alone and many variables, is what several of them with the same M share.
[[nodiscard]] QuadraticSolution solve(const QuadraticProgram& program,
                                      const std::vector<Index>& guess = {},
                                      const BoundActiveSet* of_metric = nullptr);
// Whether programs with so many rows and variables are solved by a BoundActiveSet.
[[nodiscard]] bool has_many_bounds(Index rows, Index variables);

}  // namespace chaosgrad::internal
