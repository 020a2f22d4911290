#pragma once
// The Hessian at one place as eigenvalues and eigenvectors: what solvers precondition with, and
// where convexity shows.
#include "chaosgrad/types.h"
#include "curvature/differences.h"
#include "curvature/lanczos.h"

namespace chaosgrad::internal {

// How much of a Hessian is formed depends on how many are needed.
// One for a run: in full up to this q (q + 1 gradients), beyond it on a Krylov space.
inline constexpr Index dense_limit = 200;
// One at each of many places: in full up to this q. Beyond, Lanczos' method takes as few products
// (2 · 40 gradients by central differences, where the whole Hessian takes 2q), or a common one
// serves.
inline constexpr Index pointwise_limit = 32;

// H ≈ V diag(λ) Vᵀ + σ (I − V Vᵀ). Dense: V is q×q; otherwise k Lanczos vectors, σ the geometric
// mean of their Ritz values.
struct Curvature {
  Matrix vectors;      // V, orthonormal columns
  Vector eigenvalues;  // λ, ascending
  double rest = 1;     // σ
  double asymmetry = 0;  // ‖D − Dᵀ‖/‖D‖ of the differences; 0 for an exact Hessian, dense only
  Index asymmetric_row = 0, asymmetric_column = 0;  // the worst entry

  [[nodiscard]] double lowest() const { return eigenvalues.minCoeff(); }
  [[nodiscard]] double highest() const { return eigenvalues.maxCoeff(); }
  [[nodiscard]] Matrix solve(const Matrix& g) const;  // rows of g (B×q) → H⁻¹ g
  [[nodiscard]] Matrix matrix() const;                // H, q×q
};

// The eigendecomposition of a Hessian by differences (symmetrised), or of one on a Krylov space.
[[nodiscard]] Curvature decompose(const Matrix& hessian);
[[nodiscard]] Curvature decompose(const KrylovSpace& space);

// At x by forward differences, in full or on a Krylov space, whose first vector is drawn from
// `start`. `noisy`: the gradient is a mean over draws of noise.
[[nodiscard]] Curvature measure_curvature(const MeanGradient& gradient, const Vector& x, bool noisy,
                                          const Stream& start);

}  // namespace chaosgrad::internal
