#pragma once
// The multivariate orthonormal basis ψ_ν(η) = Π_k B_{ν_k}(η_k), ν in an ordered index set;
// evaluated a block of samples at a time.
#include <memory>
#include <vector>

#include "chaosgrad/family.h"
#include "chaosgrad/index_set.h"
#include "chaosgrad/measure.h"

namespace chaosgrad {

struct BasisPlan;  // how a basis is factored; private to the library
class BasisSupremum;

// The first m functions at up to block_size samples, in the factored form that the kernels work on
// (src/basis/basis_plan.h): a table of about √m columns instead of m.
class BasisBlock {
 public:
  [[nodiscard]] Index samples() const { return samples_; }
  [[nodiscard]] Index functions() const { return functions_; }
  // ψ_i at one sample.
  [[nodiscard]] double operator()(Index sample, Index i) const;

  // Where the table has B_degree(η_k); −1: nowhere.
  [[nodiscard]] Index column_of(Index k, Index degree) const;

  // The table: tiles of `tile` samples, each holding its columns one after the other. Samples past
  // samples() are padding with finite values.
  static constexpr Index tile = 32;
  [[nodiscard]] Index tiles() const { return (samples_ + tile - 1) / tile; }
  [[nodiscard]] double* column(Index t, Index c) {
    return table_.data() + (t * columns_ + c) * tile;
  }
  [[nodiscard]] const double* column(Index t, Index c) const {
    return table_.data() + (t * columns_ + c) * tile;
  }
  [[nodiscard]] const BasisPlan& plan() const { return *plan_; }

 private:
  friend class Basis;
  // Allocates only to grow.
  void resize(Index samples, Index functions, const std::shared_ptr<const BasisPlan>& plan);

  Index samples_ = 0, functions_ = 0, columns_ = 0;
  Vector table_;  // 64-byte aligned
  std::shared_ptr<const BasisPlan> plan_;
};

class Basis {
 public:
  // Throws InputError("index_set", …) if the dimensions differ or a degree is beyond what its
  // family has.
  Basis(std::vector<Family> families, IndexSet indices);

  [[nodiscard]] Index size() const { return indices_.size(); }
  [[nodiscard]] Index dimension() const { return static_cast<Index>(families_.size()); }
  [[nodiscard]] const std::vector<Family>& families() const { return families_; }
  [[nodiscard]] const IndexSet& indices() const { return indices_; }

  // ψ_0..ψ_{m−1} at every row of eta (B×d, B ≤ block_size). The values do not depend on m or on
  // where in the block a sample stands.
  void evaluate(const Block& eta, Index m, BasisBlock& psi) const;
  // gradient(i, k) = ∂ψ_i/∂η_k at one point (m×d).
  [[nodiscard]] Matrix gradient(const Vector& eta, Index m) const;

  // Q_m = sup_η Σ_{i<m} ψ_i(η)²; +∞ if a family with unbounded functions takes part. Kept once
  // found.
  [[nodiscard]] double Q(Index m) const;
  // Christoffel sampling of the first m functions: density (1/m) Σ ψ_i² dπ. u is B×(d+1) uniforms:
  // the last column picks the function, the others drive the induced quantiles. Weight of a sample:
  // m / Σ_{i<m} ψ_i(η)².
  void christoffel_sample(const Block& u, Index m, BlockOut eta) const;

 private:
  std::vector<Family> families_;
  IndexSet indices_;
  std::shared_ptr<const BasisPlan> plan_;
  std::shared_ptr<BasisSupremum> supremum_;  // the Q_m found so far
};

// How many functions the families have together, Π (max_degree + 1): often astronomically many,
// hence a double.
[[nodiscard]] double function_count(const std::vector<Family>& families);
// The order, limited to the degrees that the families have.
[[nodiscard]] IndexOrder limited_order(const std::vector<Family>& families, IndexOrder order);

}  // namespace chaosgrad
