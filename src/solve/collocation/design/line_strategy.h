#pragma once
// One parameter. The functions come in their order; n points carry m ≤ n/1.2 of them, m chosen by
// leave-one-out. The points stand evenly in F_m(η) = ∫ Σ_{i<m} ψ_i²/m dπ up to η, the distribution
// for which least squares is stable with few more points than functions.
#include "samples/mixture.h"
#include "solve/collocation/design/design.h"
#include "solve/collocation/design/tuning.h"

namespace chaosgrad::internal::collocation {

class LineStrategy final : public Design {
 public:
  LineStrategy(Family family, const MixtureSampler& sampler, std::uint64_t seed,
               const DesignTuning& tuning);

  [[nodiscard]] Basis first_basis() override;
  [[nodiscard]] bool keeps_nominal() const override { return true; }
  [[nodiscard]] Index missing(const Points& points, const Basis& basis) const override;
  [[nodiscard]] std::vector<Matrix> next(const Points& points, const Basis& basis) override;
  [[nodiscard]] Fit fit(const Points& points, const Targets& targets, const Basis& basis,
                        Executor& executor) override;
  [[nodiscard]] bool ask_for_samples() override { return false; }  // fits are always determined
  [[nodiscard]] std::optional<Basis> grow(const Fit& fit, double upper, double target,
                                          const Points& points,
                                          const std::vector<IterationRecord>& history,
                                          Executor& executor) override;
  [[nodiscard]] DefensiveSamples test_samples(Index pending, Index count,
                                              const Basis& basis) const override;
  void adopt_test(const std::vector<Index>& induced) override;
  // Points of a line weigh as much as their cell, wherever they come from.
  void adopt_standouts(const Vector& /*probabilities*/, Index /*n*/) override {}
  [[nodiscard]] bool takes_any() const override { return true; }
  void take_over(const SolverState& earlier, Index n, bool same) override;
  void save(SolverState& state) const override;
  void restore(const SolverState& state) override;

 private:
  [[nodiscard]] Index largest_size(Index n) const;  // the most functions that n points carry
  [[nodiscard]] std::vector<double> untaken_values(const Matrix& eta) const;

  Family family_;
  const MixtureSampler& sampler_;
  std::uint64_t seed_;
  const DesignTuning& tuning_;
  std::vector<double> values_;  // of a discrete distribution, if there are functions for all
  Index wanted_;                // points of the stage to come
  Index tested_ = 0;            // samples from π, and as many from induced densities, of tests
};

}  // namespace chaosgrad::internal::collocation
