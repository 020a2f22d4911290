#pragma once
// A problem whose noise is integrated out exactly: what is left has no noise, and costs a known
// number of draws per gradient.
#include <utility>

#include "chaosgrad/problem.h"
#include "samples/noise_rule.h"

namespace chaosgrad::internal {

// ∇f(x, θ) = Σ_k weights_k ∇F(x, θ, nodes_k). Does not own the problem behind the oracle.
class AveragedProblem {
 public:
  explicit AveragedProblem(const Oracle& oracle);
  AveragedProblem(const Oracle& oracle, NoiseRule rule);

  [[nodiscard]] Index dimension() const { return oracle_.dimension(); }
  [[nodiscard]] Index noise_dimension() const { return 0; }
  [[nodiscard]] const Measure& parameters() const { return oracle_.parameters(); }
  [[nodiscard]] ProblemFacts facts() const;
  void gradient(Block x, Block theta, Block noise, BlockOut g) const;
  [[nodiscard]] bool has_value() const { return oracle_.has_value(); }
  void value(Block x, Block theta, Block noise, BlockOut f) const;
  [[nodiscard]] bool has_hessian() const { return oracle_.has_hessian(); }
  void hessian(Block x, Block theta, Block noise, BlockOut h) const;
  // The first node at which F or its gradient is not finite speaks for all.
  [[nodiscard]] std::string explain(const Block& x, const Block& theta, const Block& noise) const;

 private:
  // out = Σ_k weights_k call(x, θ, nodes_k).
  template <class Call>
  void average(const Block& x, const Block& theta, BlockOut& out, const Call& call) const;

  const Oracle& oracle_;
  NoiseRule rule_;
};

}  // namespace chaosgrad::internal
