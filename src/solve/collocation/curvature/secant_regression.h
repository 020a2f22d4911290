#pragma once
// A matrix as a function of θ, learnt from pairs of vectors: t ≈ Σ_{ν ∈ Λ} W_ν ψ_ν(η) z, by ridge
// regression. What is learnt from secants, be it of the Hessian or of its inverse.
#include <optional>

#include "chaosgrad/basis.h"
#include "solve/collocation/curvature/tuning.h"
#include "solve/pointwise/pointwise.h"

namespace chaosgrad::internal {

// The secants of the points, the latest first, at most about `most`: rows (η, s, y).
struct SecantPairs {
  Matrix eta, s, y;  // n×d, n×q, n×q
};
[[nodiscard]] SecantPairs collect_pairs(const Points& points, Index most);

// The h indices with the largest coefficients, closed downward, the constant first.
[[nodiscard]] IndexSet largest_indices(const IndexSet& indices, const Coefficients& u, Index h);

class SecantRegression {
 public:
  // How many functions n pairs can carry, where a gradient takes so many operations (empty: not
  // known): the fit takes no more than a few gradients at every point would.
  [[nodiscard]] static Index affordable_functions(Index n, Index q, Index points,
                                                  const std::optional<double>& operations,
                                                  const CurvatureTuning& tuning);

  // Empty where held-out pairs say that no regression at all is better.
  void fit(const Basis& basis, const Matrix& eta, const Matrix& z, const Matrix& targets,
           const CurvatureTuning& tuning);
  // The same with a prior: the entries of W_ν have variances[ν]. There may be more functions than
  // pairs: the regression is one with the kernel k(η, η') z·z', k = Σ variances[ν] ψ_ν(η) ψ_ν(η').
  // Pairs left out choose its noise, and whether it is better than none.
  void fit_kernel(const Basis& basis, const Vector& variances, const Matrix& eta, const Matrix& z,
                  const Matrix& targets);
  void clear() { basis_.reset(); }

  [[nodiscard]] bool empty() const { return !basis_; }
  [[nodiscard]] const Basis& basis() const { return *basis_; }
  [[nodiscard]] const Matrix& weights() const { return weights_; }
  [[nodiscard]] Matrix predict(const Matrix& eta, const Matrix& z) const;  // n×q
  // Σ W_ν ψ_ν(η) as a matrix A with t = A z, at one germ.
  [[nodiscard]] Matrix matrix(const Matrix& eta) const;

 private:
  [[nodiscard]] Matrix features(const Matrix& eta, const Matrix& z) const;  // n × (h q)

  std::optional<Basis> basis_;  // Λ
  Matrix weights_;              // (h q) × q
};

}  // namespace chaosgrad::internal
