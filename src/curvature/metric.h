#pragma once
// The metric H⁻¹: r = H(θ)⁻¹∇F turns gradients into steps in x, which say how far the optimum is.
#include <optional>
#include <vector>

#include "chaosgrad/basis.h"
#include "curvature/curvature.h"

namespace chaosgrad::internal {

// A common approximation of ∇²f(·, θ)⁻¹, applied row by row: r = H(η)⁻¹ g.
class InverseHessian {
 public:
  virtual ~InverseHessian() = default;
  virtual void apply(Block eta, Block g, BlockOut r) const = 0;
};

// The same H for every θ.
class MeanInverse final : public InverseHessian {
 public:
  explicit MeanInverse(Curvature curvature) : curvature_(std::move(curvature)) {}
  void apply(Block, Block g, BlockOut r) const override { r = curvature_.solve(g); }

 private:
  Curvature curvature_;
};

// H(θ) linear in the germ; its mean H̄ where it does not vary, or where q is large. With a Hessian
// that varies over decades (a regularisation weight) the mean would make large errors look small.
class LocalMetric {
 public:
  explicit LocalMetric(Curvature mean) : mean_(std::move(mean)) {}
  // Wᵀ H(η) W = Σ_ν parts[ν] ψ_ν(η) over the constant and linear functions of the families, W =
  // H̄^{−1/2}; its eigenvalues are taken to be at least `floor`.
  LocalMetric(Curvature mean, const std::vector<Family>& families, std::vector<Matrix> parts,
              double floor);

  [[nodiscard]] const Curvature& mean() const { return mean_; }
  [[nodiscard]] const std::vector<Matrix>& parts() const { return parts_; }  // empty: H̄ alone
  [[nodiscard]] double floor() const { return floor_; }
  // Rows of g (B×q) → H(η)⁻¹ g.
  [[nodiscard]] Matrix steps(Block eta, Block g) const;

 private:
  Curvature mean_;
  std::optional<Basis> basis_;
  std::vector<Matrix> parts_;
  double floor_ = 1;
};

// Hessians of F at samples of θ and noise: row j of eta, with its weight.
struct HessianSamples {
  Matrix eta;  // n×d, n a multiple of block_size
  Vector weights;
  std::vector<Matrix> hessians;
};

// The number of functions that fit_metric() uses for H(θ) in d parameters.
[[nodiscard]] Index metric_functions(Index d, Index q);

// Least squares on the constant and linear functions around `mean`, whose eigenvalues are positive;
// the mean alone where the Hessians do not vary beyond their noise. μ, where it is known, is a lower
// bound of H(θ). Samples of weight 0 do not count.
[[nodiscard]] LocalMetric fit_metric(const HessianSamples& samples, Curvature mean,
                                     const std::vector<Family>& families,
                                     const std::optional<double>& strong_convexity);

}  // namespace chaosgrad::internal
