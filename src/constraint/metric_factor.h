#pragma once
// Cholesky factors of metrics, and how a Lift stores them.
#include <memory>

#include "chaosgrad/lift.h"

namespace chaosgrad::internal {

// Of H (symmetrised) with eigenvalues of at least `least` times the largest.
[[nodiscard]] Matrix positive_factor(const Matrix& H, double least);

// The lower triangle row by row, the logarithm of the diagonal: a row of Lift::factor().
[[nodiscard]] Vector packed_factor(const Matrix& factor);

// The same metric factor factorᵀ for every θ.
[[nodiscard]] std::shared_ptr<const Lift> constant_lift(
    std::shared_ptr<const Constraints> constraints, const std::vector<Family>& families,
    const Matrix& factor);

}  // namespace chaosgrad::internal
