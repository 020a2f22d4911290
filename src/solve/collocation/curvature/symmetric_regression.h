#pragma once
// A symmetric matrix as a function of θ, learnt from pairs of vectors: t ≈ Σ_{ν ∈ Λ} W_ν ψ_ν(η) z with
// W_ν = W_νᵀ. Symmetry is worth as much as twice the pairs, and it tells about directions that no
// pair has gone along, as it does in quasi-Newton methods.
#include <vector>

#include "chaosgrad/basis.h"

namespace chaosgrad::internal {

struct SymmetricRegression {
  Basis basis;  // Λ
  std::vector<Matrix> weights;

  // Σ W_ν ψ_ν at rows of germs.
  [[nodiscard]] std::vector<Matrix> matrices(const Matrix& eta) const;
};

// Minimises Σ_j |t_j − Σ_ν ψ_ν(η_j) W_ν z_j|² + ridge n̄ Σ_ν |W_ν|², n̄ = Σ|z_j|²/q, over symmetric
// W_ν, by at most so many steps of conjugate gradients.
[[nodiscard]] SymmetricRegression fit_symmetric(const Basis& basis, const Matrix& eta,
                                                const Matrix& z, const Matrix& t, double ridge,
                                                int steps);

}  // namespace chaosgrad::internal
