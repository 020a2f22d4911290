#pragma once
// The metric of the sieve: R = H(θ)⁻¹ ∇F turns gradients into steps in x. H(θ) is the Hessian of f
// at x_u(θ), fitted linearly in the germ to differences of gradients at common samples of θ and
// noise; its mean H̄ where it does not vary, or where q is large. With a Hessian that varies over
// decades (a regularisation weight) the mean would make large errors look small.
#include <cstdint>
#include <optional>
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/problem.h"
#include "chaosgrad/solution.h"
#include "curvature/curvature.h"
#include "parallel/executor.h"

namespace chaosgrad::internal {

class LocalMetric {
 public:
  explicit LocalMetric(Curvature mean) : mean_(std::move(mean)) {}
  // Wᵀ H(η) W = Σ_ν parts[ν] ψ_ν(η) over the constant and linear functions, W = H̄^{−1/2}; its
  // eigenvalues are taken to be at least `floor`.
  LocalMetric(Curvature mean, Basis basis, std::vector<Matrix> parts, double floor)
      : mean_(std::move(mean)), basis_(std::move(basis)), parts_(std::move(parts)), floor_(floor) {}

  [[nodiscard]] const Curvature& mean() const { return mean_; }
  // Rows of g (B×q) → H(η)⁻¹ g.
  [[nodiscard]] Matrix steps(Block eta, Block g) const;

  // Everything, as entries of a SolverState, and back.
  void save(SolverState& state) const;
  [[nodiscard]] static LocalMetric restore(const SolverState& state,
                                           const std::vector<Family>& families);

 private:
  Curvature mean_;
  std::optional<Basis> basis_;
  std::vector<Matrix> parts_;
  double floor_ = 1;
};

// Blocks of samples for the metric when `gradients` were spent so far: a twentieth of that, at
// least some samples per unknown; and the gradients that they take.
[[nodiscard]] Index metric_blocks(Index d, Index q, std::int64_t gradients);
[[nodiscard]] std::int64_t metric_cost(Index q, Index blocks);

// At x_u of the functions of u, with samples of their own for each stage.
[[nodiscard]] LocalMetric measure_metric(const Oracle& oracle, const Basis& basis,
                                         const Coefficients& u, std::uint64_t seed, Index stage,
                                         Index blocks, Executor& executor);

// g₁·g₂ at `blocks` blocks of fresh samples of π, for two independent draws of the noise: their
// mean is ‖∇f(x_u)‖²_π.
[[nodiscard]] Vector paired_products(const Oracle& oracle, const Basis& basis,
                                     const Coefficients& u, std::uint64_t seed, Index blocks,
                                     Executor& executor);

}  // namespace chaosgrad::internal
