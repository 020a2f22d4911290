#pragma once
// Gauss rules from recurrence coefficients.
#include "basis/family/kernel.h"

namespace chaosgrad::internal {

// The n zeros of p_n as eigenvalues of the Jacobi matrix, polished by Newton steps on p_n; weights
// 1/Σ_{k<n} p_k². Nodes whose weight underflows are left out.
[[nodiscard]] Quadrature gauss_rule(const Recurrence& recurrence, Index n);

// The same for coefficients that grow geometrically, on θ > 0: the zeros by Sturm counts, each to
// full relative accuracy.
[[nodiscard]] Quadrature graded_gauss_rule(const Recurrence& recurrence, Index n);

// Nodes and weights from eigenvalues and eigenvectors alone, for measures on finitely many points,
// where evaluating p_n is unstable.
[[nodiscard]] Quadrature eigenvector_gauss_rule(const Recurrence& recurrence, Index n);

}  // namespace chaosgrad::internal
