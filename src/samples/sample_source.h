#pragma once
// Where samples (η, θ, noise, weight) come from: Monte Carlo, Sobol', quadrature, Christoffel.
// Sample i is a pure function of the source and i. Sources do not own the measure and the basis.
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/measure.h"
#include "random/random.h"
#include "samples/tensor_grid.h"

namespace chaosgrad::internal {

// At most block_size samples: germ η (B×d), parameters θ (B×d), uniform noise (B×r), weights (B).
struct SampleBlock {
  Matrix eta, theta, noise;
  Vector weights;
  Index count = 0;
  void resize(Index d, Index r);
};

class SampleSource {
 public:
  virtual ~SampleSource() = default;
  [[nodiscard]] virtual Index size() const = 0;
  // Samples first .. first + block.count − 1, which may lie past size(). Averages are Σ weights(i)
  // · (…); the weights of all samples sum to 1 on average.
  virtual void fill(Index first, SampleBlock& block) const = 0;
};

// `count` independent samples of (θ, v), weight 1/count.
class MonteCarloSource final : public SampleSource {
 public:
  MonteCarloSource(const Measure& measure, Index count, Stream parameters, Stream noise)
      : measure_(measure), count_(count), parameters_(parameters), noise_(noise) {}
  [[nodiscard]] Index size() const override { return count_; }
  void fill(Index first, SampleBlock& block) const override;

 private:
  const Measure& measure_;
  Index count_;
  Stream parameters_, noise_;
};

// `count` Sobol' points in d + r dimensions with a random digital shift, weight 1/count.
class SobolSource final : public SampleSource {
 public:
  SobolSource(const Measure& measure, Index noise_dimension, Index count, Stream shift);
  [[nodiscard]] Index size() const override { return count_; }
  void fill(Index first, SampleBlock& block) const override;

 private:
  const Measure& measure_;
  Index count_;
  SobolSequence sequence_;
};

// Christoffel sampling of the first m functions: density (1/m) Σ ψ_i² dπ, weight (m/Σψ_i²)/count.
// Bounds the noise of the gradient for every basis, where plain sampling has Q_m = ∞.
class ChristoffelSource final : public SampleSource {
 public:
  ChristoffelSource(const Measure& measure, const Basis& basis, Index m, Index count,
                    Stream parameters, Stream noise)
      : measure_(measure),
        basis_(basis),
        m_(m),
        count_(count),
        parameters_(parameters),
        noise_(noise) {}
  [[nodiscard]] Index size() const override { return count_; }
  void fill(Index first, SampleBlock& block) const override;

 private:
  const Measure& measure_;
  const Basis& basis_;
  Index m_, count_;
  Stream parameters_, noise_;
};

// A tensor product of one-dimensional rules over the germ and the noise.
class QuadratureSource final : public SampleSource {
 public:
  // One family and one list of breakpoints (of θ_k) per germ; no noise axes: blocks without noise.
  // `nodes` Gauss nodes per axis, and per piece between breakpoints. Throws InputError("nodes", …)
  // if the grid is too large.
  QuadratureSource(const Measure& measure, const std::vector<Family>& families,
                   const std::vector<std::vector<double>>& breakpoints,
                   const std::vector<NoiseAxis>& noise_axes, Index nodes);
  [[nodiscard]] Index size() const override { return grid_.size(); }
  void fill(Index first, SampleBlock& block) const override;

 private:
  const Measure& measure_;
  TensorGrid grid_;  // d axes of the germ, then r of the noise
};

// ∫ g dπ over one germ axis: Gauss rule of the distribution, or one rule per piece between the
// breakpoints.
[[nodiscard]] Quadrature piecewise_rule(const Family& family,
                                        const std::vector<double>& breakpoints, Index nodes);

}  // namespace chaosgrad::internal
