#pragma once
// The step of a point whose x is constrained: to the minimum of the quadratic model of f over C(θ),
//   x⁺ = argmin over C of g·(x⁺ − x) + ½ |x⁺ − x|²_H = P_H(x − H⁻¹ g).
#include <functional>
#include <vector>

#include "constraint/projection.h"
#include "solve/pointwise/pointwise.h"

namespace chaosgrad::internal {

struct PointConstraints {
  const Constraints& set;
  // A common model of ∇²f at rows of germs (B×d): its Cholesky factors, one for each row or one for
  // all.
  std::function<std::vector<Matrix>(Block)> factors;
  double proximal = 0;  // δ in them, beyond ∇²f (proximal_weight)
};

// P_H(x − H⁻¹g). H is the common model, factor factorᵀ, updated by the secant pairs of the point
// (BFGS), and rescaled before that where it fits the last pair badly: what BlockPolisher does with
// inverses. Pairs that make H indefinite are rounding, and are cleared.
[[nodiscard]] Projection constrained_step(const Constraints& set, const Vector& theta,
                                          const Matrix& factor, double rescale_from,
                                          const Vector& x, const Vector& g,
                                          std::vector<Secant>& pairs);

}  // namespace chaosgrad::internal
