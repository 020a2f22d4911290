#pragma once
// A problem whose noise is integrated out exactly: what is left has no noise, and costs a known
// number of draws per gradient.
#include "chaosgrad/problem.h"
#include "samples/noise_rule.h"

namespace chaosgrad::internal {

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
