#pragma once
// Cholesky factors of metrics, and how a Lift stores them: by those of their inverses.
#include <memory>

#include "chaosgrad/lift.h"

namespace chaosgrad::internal {

// The units of x in which every variable has the curvature 1, those without any that of the largest:
// a quantity in millions beside one in thousandths does not make H singular.
[[nodiscard]] Vector own_units(const Matrix& H);
[[nodiscard]] Vector eigenvalues_in_own_units(const Matrix& H);

// Of H (symmetrised) with eigenvalues of at least `least` times the largest, in its own units.
[[nodiscard]] Matrix positive_factor(const Matrix& H, double least);

// H + ρ Σ a aᵀ/|a|² over the gradients a of the equalities at x, ρ the mean eigenvalue of H. No
// optimum changes, since x meets them anyway; and where they alone hold x, as the balances of a
// homogeneous function do, H is singular and this is not.
[[nodiscard]] Matrix with_equalities(const Matrix& H, const Constraints& constraints,
                                     const Vector& x, const Vector& theta);

// Along directions in which f is linear the constraints hold x, and H, which is singular there, is
// no metric. H + δI is one: the steps P_M(x − M⁻¹g) with it are those of the proximal point method,
// which contract by δ/(δ + λ), λ the curvature that constraints give the Lagrangian there, and end
// at once where these have a corner. δ is the pull of f and its kinks at x over R, with the least
// R = 4^k (1 + |x|) of which a larger one changes the step by less than a twentieth.
struct ProximalWeight {
  double weight = 0;  // δ; 0 where H is not singular
  bool settled =
      true;  // false: no R does, the model of f falls without end; δ is for R = 10 (1 + |x|)
};
[[nodiscard]] ProximalWeight proximal_weight(const Matrix& H, const Vector& g,
                                             const Constraints& constraints, const Vector& theta,
                                             const Vector& x);

// Of M = H⁻¹ for H = factor factorᵀ: the lower triangular R with R Rᵀ = H⁻¹, and back. Empty for a
// singular one.
[[nodiscard]] Matrix inverse_factor(const Matrix& factor);

// The lower triangle of R row by row: a row of Lift::factor(). And back.
[[nodiscard]] Vector packed_factor(const Matrix& R);
[[nodiscard]] Matrix unpacked_factor(const Vector& entries, Index q);

// The same metric factor factorᵀ for every θ.
[[nodiscard]] std::shared_ptr<const Lift> constant_lift(
    std::shared_ptr<const Constraints> constraints, const std::vector<Family>& families,
    const Matrix& factor);

}  // namespace chaosgrad::internal
