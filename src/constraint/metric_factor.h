#pragma once
// Cholesky factors of metrics, and how a Lift stores them: by those of their inverses.
#include <memory>

#include "chaosgrad/lift.h"

namespace chaosgrad::internal {

// Of H (symmetrised) with eigenvalues of at least `least` times the largest.
[[nodiscard]] Matrix positive_factor(const Matrix& H, double least);

// Of M = H⁻¹ for H = factor factorᵀ: the lower triangular R with R Rᵀ = H⁻¹, and back. Empty for a
// singular one.
[[nodiscard]] Matrix inverse_factor(const Matrix& factor);

// The lower triangle of R row by row: a row of Lift::factor().
[[nodiscard]] Vector packed_factor(const Matrix& R);

// The same metric factor factorᵀ for every θ.
[[nodiscard]] std::shared_ptr<const Lift> constant_lift(
    std::shared_ptr<const Constraints> constraints, const std::vector<Family>& families,
    const Matrix& factor);

}  // namespace chaosgrad::internal
