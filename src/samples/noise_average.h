#pragma once
// Noise that can be integrated out exactly: finitely many cases (rows of data), and numbers in
// which the gradient is a polynomial. The problem without noise that is left costs a known number
// of draws per gradient.
#include <optional>

#include "chaosgrad/problem.h"

namespace chaosgrad::internal {

// A rule for E over one noise number: Gauss on its own scale, or all cases. Nodes are in (0, 1).
[[nodiscard]] Quadrature noise_quadrature(const NoiseAxis& axis, Index nodes);

// E_v φ(v) = Σ_k weights_k φ(nodes_k) for the gradient φ of a problem.
struct NoiseRule {
  Matrix nodes;  // K×r
  Vector weights;
};

// K of the exact rule, the product over the axes; infinite if there is none.
[[nodiscard]] double exact_noise_draws(const ProblemFacts& facts);
// The rule itself; exact_noise_draws(facts) must be affordable.
[[nodiscard]] NoiseRule exact_noise_rule(const ProblemFacts& facts);

// ∇f(x, θ) = Σ_k weights_k ∇F(x, θ, nodes_k). Does not own the problem behind the oracle.
class AveragedProblem {
 public:
  explicit AveragedProblem(const Oracle& oracle);

  [[nodiscard]] Index dimension() const { return oracle_.dimension(); }
  [[nodiscard]] Index noise_dimension() const { return 0; }
  [[nodiscard]] const Measure& parameters() const { return oracle_.parameters(); }
  [[nodiscard]] ProblemFacts facts() const;
  void gradient(Block x, Block theta, Block noise, BlockOut g) const;

 private:
  const Oracle& oracle_;
  NoiseRule rule_;
};

}  // namespace chaosgrad::internal
