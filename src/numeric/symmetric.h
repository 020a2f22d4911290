#pragma once
#include "chaosgrad/types.h"

namespace chaosgrad::internal {

// (A + Aᵀ)/2. A Hessian from differences of gradients is symmetric up to rounding only.
[[nodiscard]] inline Matrix symmetric_part(const Matrix& A) { return 0.5 * (A + A.transpose()); }

}  // namespace chaosgrad::internal
