#pragma once
// The Hessian at one place, by differences of gradients: the common preconditioner of the adaptive
// solvers.
#include <functional>
#include <string>

#include "chaosgrad/types.h"
#include "solve/pointwise/pointwise.h"

namespace chaosgrad::internal {

// Up to this q the whole Hessian is formed (q + 1 gradients); beyond, its action on a Krylov space.
inline constexpr Index dense_limit = 200;
inline constexpr Index krylov_dimension = 40;

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

// gradient(x) is the (mean) gradient at x ∈ R^q; differences of size h(x_a) along each direction.
using MeanGradient = std::function<Vector(const Vector&)>;
[[nodiscard]] Curvature measure_curvature(const MeanGradient& gradient, const Vector& x,
                                          double relative_step, std::uint64_t seed);

// The eigendecomposition of a given Hessian estimate (symmetrised).
[[nodiscard]] Curvature decompose(const Matrix& hessian);

class MeanInverse final : public InverseHessian {
 public:
  explicit MeanInverse(Curvature curvature) : curvature_(std::move(curvature)) {}
  void apply(Block, Block g, BlockOut r) const override { r = curvature_.solve(g); }
  [[nodiscard]] const Curvature& curvature() const { return curvature_; }

 private:
  Curvature curvature_;
};

}  // namespace chaosgrad::internal
