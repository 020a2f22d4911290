#pragma once
// Quadratic programs with bounds alone and many variables:
//
//   min ½ (x − y)ᵀ M (x − y),   lower ≤ x ≤ upper,
//
// by primal–dual active sets (Hintermüller, Ito and Kunisch 2002): all bounds change sides at once,
// and each change costs one factorisation of M on the free components. Such changes may cycle where
// M is far from diagonal: then there is no answer, and the dual active-set method gives one.
#include <optional>
#include <vector>

#include "chaosgrad/types.h"
#include "constraint/quadratic_program.h"

namespace chaosgrad::internal {

class BoundActiveSet {
 public:
  // With fewer variables the dual method is as fast, and more accurate on ill-conditioned M.
  static constexpr Index least_variables = 100;

  explicit BoundActiveSet(const Matrix& factor);  // L, M = L Lᵀ

  // `guess` as for quadratic programs without rows. The answer depends on its last active set alone,
  // not on the way there. Empty if the changes did not end.
  [[nodiscard]] std::optional<QuadraticSolution> solve(const Vector& y, const Vector& lower,
                                                       const Vector& upper,
                                                       const std::vector<Index>& guess) const;

 private:
  Matrix M_;
  Vector norms_;  // of its rows
};

}  // namespace chaosgrad::internal
