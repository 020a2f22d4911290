#pragma once
// A problem under constraints as one without, for the methods that descend on coefficients: the
// gradient is
//   G(y, θ, v) = ∇F(P(y), θ, v) + M (y − P(y)),
// whose mean over v vanishes at y(θ) = x*(θ) − M⁻¹∇f(x*(θ), θ) (chaosgrad/lift.h). x_u = P(y_u) is
// the exact optimum of f − ⟨E_v G(y_u), ·⟩ over C, hence ‖x_u − x*‖_π ≤ ‖E_v G(y_u)‖_π/μ.
#include <memory>

#include "chaosgrad/lift.h"
#include "chaosgrad/problem.h"
#include "parallel/executor.h"

namespace chaosgrad::internal {

// Does not own the problem behind the oracle.
class LiftedProblem {
 public:
  LiftedProblem(const Oracle& oracle, std::shared_ptr<const Lift> lift);

  [[nodiscard]] Index dimension() const { return oracle_.dimension(); }
  [[nodiscard]] Index noise_dimension() const { return oracle_.noise_dimension(); }
  [[nodiscard]] const Measure& parameters() const { return oracle_.parameters(); }
  [[nodiscard]] ProblemFacts facts() const;
  void gradient(const Block& y, const Block& theta, const Block& noise, BlockOut g) const;
  [[nodiscard]] std::string explain(const Block& y, const Block& theta, const Block& noise) const;

 private:
  [[nodiscard]] LiftedBlock projected(const Block& y, const Block& theta) const;

  const Oracle& oracle_;
  std::shared_ptr<const Lift> lift_;
};

[[nodiscard]] Vector median_parameters(const Measure& measure);

// A metric that is the same for every θ: the mean of the Hessians of F over (θ, v), near the minimum
// of the mean of F over C at the median of θ. Null where no x satisfies the constraints there.
[[nodiscard]] std::shared_ptr<const Lift> measure_mean_metric(const Oracle& oracle,
                                                              std::uint64_t seed,
                                                              Executor& executor);
// What it takes, in gradients.
[[nodiscard]] std::int64_t mean_metric_cost(const Oracle& oracle);

}  // namespace chaosgrad::internal
