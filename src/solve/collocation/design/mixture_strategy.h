#pragma once
// Many parameters: random samples from a mixture that follows the basis (samples/mixture.h), and
// the functions whose coefficients are expected to be largest (prior.h), or that the residual asks
// for (mixture_growth.h). There are more functions than points.
#include "samples/mixture.h"
#include "solve/collocation/design/design.h"
#include "solve/collocation/design/tuning.h"

namespace chaosgrad::internal::collocation {

class MixtureStrategy final : public Design {
 public:
  MixtureStrategy(std::vector<Family> families, IndexOrder order, const MixtureSampler& sampler,
                  const DesignTuning& tuning);

  [[nodiscard]] Basis first_basis() override;
  [[nodiscard]] bool keeps_nominal() const override { return false; }
  [[nodiscard]] Index missing(const Points& points, const Basis& basis) const override;
  [[nodiscard]] std::vector<Matrix> next(const Points& points, const Basis& basis) override;
  [[nodiscard]] Fit fit(const Points& points, const Targets& targets, const Basis& basis,
                        Executor& executor) override;
  [[nodiscard]] bool ask_for_samples() override { return false; }
  [[nodiscard]] std::optional<Basis> grow(const Fit& fit, double upper, double target,
                                          const Points& points,
                                          const std::vector<IterationRecord>& history,
                                          Executor& executor) override;
  [[nodiscard]] DefensiveSamples test_samples(Index pending, Index count,
                                              const Basis& basis) const override;
  void adopt_test(const std::vector<Index>& induced) override;
  void adopt_standouts(const Vector& probabilities, Index n) override;
  [[nodiscard]] bool takes_any() const override { return false; }
  void take_over(const SolverState& earlier, Index n, bool same) override;
  void save(SolverState& state) const override;
  void restore(const SolverState& state) override;

 private:
  [[nodiscard]] Vector weights(const Matrix& psi) const;
  [[nodiscard]] Index next_size(double upper, double target, Index n,
                                const std::vector<IterationRecord>& history) const;

  std::vector<Family> families_;
  IndexOrder order_;
  const MixtureSampler& sampler_;
  const DesignTuning& tuning_;
  Mixture mixture_;  // the samples that were drawn
  // Points beside the mixture, which stand for rare sets: their numbers and probabilities.
  std::vector<Index> standouts_;
  std::vector<double> standout_probabilities_;
  Index wanted_ = 0;  // points of the next stage
  Prior prior_;       // for its fit; empty before the first
  // Of the last fit: points that move without becoming more are fitted again without a
  // factorisation.
  std::optional<WeightedDesign> design_;
};

}  // namespace chaosgrad::internal::collocation
