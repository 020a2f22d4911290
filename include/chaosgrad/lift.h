#pragma once
// How x*(θ) is expanded where x is constrained. A constraint that becomes active puts a kink into
// x*(θ), so another function is expanded,
//
//   y(θ) = x*(θ) − M(θ)⁻¹ ∇f(x*(θ), θ),   and   x*(θ) = P(y(θ)),
//
// P(y) the point of C(θ) that is nearest to y in the metric M(θ): for any M this is the condition of
// optimality, and with M near the Hessian of f y has (nearly) no kink. What M (y − x) is at x are
// the multipliers.
#include <memory>

#include "chaosgrad/basis.h"
#include "chaosgrad/constraints.h"

namespace chaosgrad {

// P at B samples. Where C(θ) is empty, a row of NaN.
struct LiftedBlock {
  Matrix x;                  // B×q
  Matrix bound_multipliers;  // B×q: > 0 at the upper bound, < 0 at the lower one
  Matrix row_multipliers;    // B×p
  Matrix force;              // B×q: M (y − x) = bound_multipliers + Σ λ_i ∇c_i(x)
};

class Lift {
 public:
  // M(η)⁻¹ = R Rᵀ, R lower triangular, so that M is positive definite wherever it is evaluated. The
  // entries of R are expansions on `basis`, row by row in the q(q + 1)/2 columns of `factor`: R_00,
  // R_10, R_11, R_20, …
  Lift(std::shared_ptr<const Constraints> constraints, Basis basis, Coefficients factor);

  [[nodiscard]] const Constraints& constraints() const { return *constraints_; }
  [[nodiscard]] const std::shared_ptr<const Constraints>& shared_constraints() const {
    return constraints_;
  }
  [[nodiscard]] const Basis& basis() const { return basis_; }
  [[nodiscard]] const Coefficients& factor() const { return factor_; }

  // L from its entries, as `factor` has them.
  [[nodiscard]] Matrix factor_of(const Vector& entries) const;
  // L with M = L Lᵀ at rows of germs (B×d), B ≤ block_size; one for all if M is the same.
  [[nodiscard]] std::vector<Matrix> factors(Block eta) const;
  // P of rows of y (B×q) at germs eta and parameters theta (B×d each).
  [[nodiscard]] LiftedBlock project(Block eta, Block theta, Block y) const;

 private:
  std::shared_ptr<const Constraints> constraints_;
  Basis basis_;
  Coefficients factor_;
};

// The multipliers of P as users know them: λ ≥ 0 of bounds and of rows c ≤ 0, any sign for
// equalities, a column per component in the order of Constraints::list(); kinks have none here.
// Their names: "budget", "w.lower[2]".
[[nodiscard]] std::vector<std::string> multiplier_names(const Constraints& constraints);
[[nodiscard]] Matrix multipliers(const Constraints& constraints, const LiftedBlock& at);

}  // namespace chaosgrad
