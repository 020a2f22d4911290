#pragma once
// The Hessian of the sieve: in the coefficients, K = E[ψ ψᵀ ⊗ ∇²f(x_u(θ), θ)], from differences of
// gradients at common samples of θ and of the noise. Where the Hessian does not depend on θ, K is
// I ⊗ H̄; where it varies much (a regularisation weight over decades), only K gives Newton steps.
#include <Eigen/Cholesky>
#include <cstdint>
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/problem.h"
#include "chaosgrad/solver_state.h"
#include "estimate/executor.h"
#include "solve/adaptive/curvature.h"

namespace chaosgrad {

class Galerkin {
 public:
  // H_j at samples η_j with weights w_j; no hessians: only the mean is known.
  Galerkin(Curvature mean, std::int64_t gradients) : mean_(std::move(mean)), gradients_(gradients) {}
  Galerkin(Matrix eta, Vector weights, std::vector<Matrix> hessians, std::int64_t gradients,
           const Basis& basis);

  [[nodiscard]] const Curvature& mean() const { return mean_; }
  // K⁻¹ (I ⊗ H̄) D for D = mean(w H̄⁻¹∇F ψ), m×q. D itself where K is I ⊗ H̄ or too large to form.
  [[nodiscard]] Coefficients solve(const Coefficients& D) const;
  // K for a basis that has grown.
  void extend(const Basis& basis);

  // Everything, as entries of a SolverState, and back; `basis` is that of K.
  void save(SolverState& state) const;
  [[nodiscard]] static Galerkin restore(const SolverState& state, const Basis& basis);

  [[nodiscard]] std::int64_t gradients() const { return gradients_; }  // spent
  [[nodiscard]] std::int64_t cost(Index m) const;  // of measuring it anew for m functions

 private:
  Curvature mean_;
  std::int64_t gradients_;
  Matrix eta_;
  Vector weights_;
  std::vector<Matrix> hessians_;
  std::optional<Eigen::LLT<Matrix>> factor_;  // of K, shrunk towards I ⊗ H̄
};

// At x_u of the functions of u, with samples of their own for each stage.
[[nodiscard]] Galerkin measure_galerkin(const Oracle& oracle, const Basis& basis,
                                        const Coefficients& u, std::uint64_t seed, Index stage,
                                        Executor& executor);

// g₁·g₂ at `blocks` blocks of fresh samples of π, for two independent draws of the noise: their mean
// is ‖∇f(x_u)‖²_π.
[[nodiscard]] Vector paired_products(const Oracle& oracle, const Basis& basis,
                                     const Coefficients& u, std::uint64_t seed, Index blocks,
                                     Executor& executor);

}  // namespace chaosgrad
