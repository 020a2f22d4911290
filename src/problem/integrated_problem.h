#pragma once
// A problem whose noise is integrated out by a rule that follows its kinks: what is left has no
// noise, and as many derivatives as the law of the noise allows.
#include "chaosgrad/problem.h"
#include "problem/noise_nodes.h"

namespace chaosgrad::internal {

// ∇f(x, θ) = Σ_k w_k ∇F(x, θ, v_k) with nodes v_k(x, θ). Does not own the problem behind the oracle.
class IntegratedProblem {
 public:
  // draws: of one gradient, as it is counted; nodes differ in number from place to place.
  IntegratedProblem(const Oracle& oracle, NoisePlan plan, const Stream& scramble, Index draws = 1);

  [[nodiscard]] Index dimension() const { return oracle_.dimension(); }
  [[nodiscard]] Index noise_dimension() const { return 0; }
  [[nodiscard]] const Measure& parameters() const { return oracle_.parameters(); }
  [[nodiscard]] ProblemFacts facts() const;
  void gradient(const Block& x, const Block& theta, const Block& noise, BlockOut g) const;
  [[nodiscard]] bool has_value() const { return oracle_.has_value(); }
  void value(const Block& x, const Block& theta, const Block& noise, BlockOut f) const;
  // Where ∇F jumps, E_v ∇²F is not the Hessian of f: differences of ∇f are.
  [[nodiscard]] bool has_hessian() const { return oracle_.has_hessian(); }
  void hessian(const Block& x, const Block& theta, const Block& noise, BlockOut h) const;
  // The first node at which F or its gradient is not finite speaks for all.
  [[nodiscard]] std::string explain(const Block& x, const Block& theta, const Block& noise) const;

  // How many nodes a gradient takes at each row.
  [[nodiscard]] std::vector<Index> draws_at(const Block& x, const Block& theta) const;
  [[nodiscard]] const NoisePlan& plan() const { return nodes_.plan(); }

  // A better rule that is offered as facts().finer_gradient; must outlive this.
  const IntegratedProblem* finer = nullptr;

 private:
  template <class Call>
  void average(const Block& x, const Block& theta, Integrand integrand, BlockOut& out,
               const Call& call) const;

  const Oracle& oracle_;
  NoiseNodes nodes_;
  Index draws_;
};

}  // namespace chaosgrad::internal
