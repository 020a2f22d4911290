#pragma once
// Ψ as a dense matrix.
#include "chaosgrad/basis.h"
#include "parallel/executor.h"

namespace chaosgrad::internal {

// table(i, j) = ψ_j at row i of eta, j < m; any number of rows.
[[nodiscard]] Matrix basis_table(const Basis& basis, const Matrix& eta, Index m,
                                 Executor& executor);

}  // namespace chaosgrad::internal
