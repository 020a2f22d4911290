#pragma once
// Rules for E_v. Noise that can be integrated out exactly: finitely many cases (rows of data), and
// numbers in which the gradient is a polynomial.
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/measure.h"

namespace chaosgrad::internal {

// A rule for E over one noise number: Gauss on its own scale, or all cases. Nodes are in (0, 1).
[[nodiscard]] Quadrature noise_quadrature(const NoiseAxis& axis, Index nodes);

// E_v φ(v) = Σ_k weights_k φ(nodes_k) for the gradient φ of a problem.
struct NoiseRule {
  Matrix nodes;  // K×r
  Vector weights;
};

// K of the exact rule, the product over the axes; infinite if there is none.
[[nodiscard]] double exact_noise_draws(const std::vector<NoiseAxis>& axes);
// The rule itself; exact_noise_draws(axes) must be affordable.
[[nodiscard]] NoiseRule exact_noise_rule(const std::vector<NoiseAxis>& axes);

}  // namespace chaosgrad::internal
