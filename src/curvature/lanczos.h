#pragma once
// Lanczos' method: a symmetric matrix, known by its products with vectors only, on a Krylov space.
#include <functional>

#include "chaosgrad/types.h"
#include "random/streams.h"

namespace chaosgrad::internal {

inline constexpr Index krylov_dimension = 40;  // of the space, at most

struct KrylovSpace {
  Matrix vectors;      // V, q×k, orthonormal columns
  Matrix tridiagonal;  // VᵀHV, k×k
};

// product(v) = Hv. The space begins with the direction of `first`, or with one drawn from `start`.
// Every vector is orthogonalised against all before it, twice, which keeps them orthogonal to
// rounding.
[[nodiscard]] KrylovSpace lanczos(const std::function<Vector(const Vector&)>& product,
                                  const Vector& first);
[[nodiscard]] KrylovSpace lanczos(const std::function<Vector(const Vector&)>& product, Index q,
                                  const Stream& start);

}  // namespace chaosgrad::internal
