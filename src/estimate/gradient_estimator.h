#pragma once
// The estimate of D_m: D'_i = Σ_j w_j ∇F(x(θ_j), θ_j, v_j) ψ_i(θ_j), i < m, from the samples of a
// source.
#include <tbb/enumerable_thread_specific.h>

#include <optional>

#include "chaosgrad/basis.h"
#include "chaosgrad/problem.h"
#include "parallel/executor.h"
#include "samples/sample_source.h"

namespace chaosgrad::internal {

class GradientEstimator {
 public:
  GradientEstimator(const Oracle& oracle, const Basis& basis, Executor& executor)
      : oracle_(oracle), basis_(basis), executor_(executor) {}

  // u is m×q and defines both x(θ) and the level m. Memory does not grow with the number of
  // samples.
  [[nodiscard]] Coefficients estimate(const SampleSource& source, const Coefficients& u) const;
  // The same into D, whose memory is used again.
  void estimate(const SampleSource& source, const Coefficients& u, Coefficients& D) const;

  // The first sample whose gradient is not finite, if there is one.
  struct BadSample {
    Vector theta, x, noise;
  };
  [[nodiscard]] std::optional<BadSample> find_bad_sample(const SampleSource& source,
                                                         const Coefficients& u) const;

 private:
  struct Scratch {
    SampleBlock samples;
    BasisBlock psi;
    Matrix x, g;
    Matrix known;  // the functions that the problem takes as given
  };
  // Samples [first, first + n) evaluated up to the gradient: scratch.g = ∇F, n ≤ block_size. The
  // block is filled up to whole row groups with samples that do not count: their rows of g are 0.
  void evaluate_block(const SampleSource& source, const Coefficients& u, Index first, Index n,
                      Scratch& scratch) const;
  // Reads them from the table; false if it does not have them all.
  [[nodiscard]] bool read_known(Scratch& scratch) const;
  void sum_chunk(const SampleSource& source, const Coefficients& u, Index chunk,
                 Coefficients& sums) const;

  const Oracle& oracle_;
  const Basis& basis_;
  Executor& executor_;
  mutable tbb::enumerable_thread_specific<Scratch> scratch_;
};

}  // namespace chaosgrad::internal
