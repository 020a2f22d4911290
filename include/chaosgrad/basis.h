#pragma once
// The multivariate orthonormal basis ψ_ν(η) = Π_k B_{ν_k}(η_k), ν in an ordered index set; evaluated a block of samples
// at a time with one multiply per value.
#include <vector>

#include "chaosgrad/family.h"
#include "chaosgrad/index_set.h"
#include "chaosgrad/measure.h"

namespace chaosgrad {

// Values of the first m functions at up to block_size samples, in the layout the kernels like: tiles of `tile` samples, each
// holding m contiguous columns of `tile` values. Samples past `samples` are padding (finite values, to be ignored).
class BasisBlock {
 public:
  static constexpr Index tile = 32;
  void resize(Index samples, Index functions);
  [[nodiscard]] Index samples() const { return samples_; }
  [[nodiscard]] Index functions() const { return functions_; }
  [[nodiscard]] Index tiles() const { return (samples_ + tile - 1) / tile; }
  [[nodiscard]] double* column(Index t, Index i) { return values_.data() + (t * functions_ + i) * tile; }
  [[nodiscard]] const double* column(Index t, Index i) const { return values_.data() + (t * functions_ + i) * tile; }
  [[nodiscard]] double operator()(Index sample, Index i) const { return column(sample / tile, i)[sample % tile]; }

 private:
  Index samples_ = 0, functions_ = 0;
  Eigen::Matrix<double, Eigen::Dynamic, 1> values_;  // 64-byte aligned
};

class Basis {
 public:
  Basis(std::vector<Family> families, IndexSet indices);

  [[nodiscard]] Index size() const { return indices_.size(); }
  [[nodiscard]] Index dimension() const { return static_cast<Index>(families_.size()); }
  [[nodiscard]] const std::vector<Family>& families() const { return families_; }
  [[nodiscard]] const IndexSet& indices() const { return indices_; }

  // ψ_0..ψ_{m−1} at every row of eta (B×d, B ≤ block_size).
  void evaluate(Block eta, Index m, BasisBlock& psi) const;
  // gradient(i, k) = ∂ψ_i/∂η_k at one point (m×d).
  [[nodiscard]] Matrix gradient(const Vector& eta, Index m) const;

  // Q_m = sup_η Σ_{i<m} ψ_i(η)²; +∞ for unbounded families.
  [[nodiscard]] double Q(Index m) const;
  // Christoffel sampling of the first m functions: density (1/m) Σ ψ_i² dπ. u is B×(d+1) uniforms: the last column picks the
  // function, the others drive the induced quantiles. Weight of a sample: m / Σ_{i<m} ψ_i(η)².
  void christoffel_sample(Block u, Index m, BlockOut eta) const;

 private:
  std::vector<Family> families_;
  IndexSet indices_;
  std::vector<int> parent_, factor_dimension_, factor_degree_;  // ψ_i = ψ_parent · B_degree(η_dimension)
};

}  // namespace chaosgrad
