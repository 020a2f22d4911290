#pragma once
// Orthonormal functions in L² of the distribution of θ: families in one dimension, ordered sets of
// multi-indices, and the basis ψ_ν(η) = Π_k B_{ν_k}(η_k) that both make, evaluated a block of
// samples at a time.
#include <cstdint>
#include <memory>
#include <vector>

#include "chaosgrad/distribution.h"

namespace chaosgrad {
namespace internal {
struct BasisPlan;  // how a basis is factored
class BasisSupremum;
}  // namespace internal

// --- Families ---
// B_0 = 1, B_1, B_2, …: polynomials by their three-term recurrence, or trigonometric functions for
// a uniform distribution seen as periodic.

// Orthonormal polynomials: b_{n+1} p_{n+1}(t) = (t − a_n) p_n(t) − b_n p_{n−1}(t), p_0 = 1, p_{−1}
// = 0, b_0 = 0. t = (θ − center) / scale keeps the numbers tame; a has size n, b has size n+1 for
// degrees 0..n. Coefficients are worked out in stages, so that n may be larger than the degree
// asked for.
struct Recurrence {
  Vector a, b;
  double center = 0, scale = 1;
};

struct Quadrature {
  Vector nodes, weights;  // weights sum to 1
};

class Family {
 public:
  enum class Kind { polynomial, fourier };

  // polynomial: orthonormal for `distribution`. fourier: 1, √2 cos ωτ, √2 sin ωτ, √2 cos 2ωτ, …,
  // with ω = 2π/(upper − lower) and τ = θ − (lower + upper)/2; throws InputError("basis", …) unless
  // the distribution is uniform.
  explicit Family(Distribution distribution, Kind kind = Kind::polynomial);

  [[nodiscard]] Kind kind() const;
  [[nodiscard]] const Distribution& distribution() const;
  // Largest degree there is. Up to it the functions are orthonormal to 1e-10 and B_n² is finite
  // wherever B_n² π has mass:
  //   uniform 2000 (fourier: 100000), beta 2000 (narrow ones less, but above 150), normal 200,
  //   gamma, exponential and truncated normal 150, triangular and loguniform 200,
  //   lognormal about 14/sigma, at most 200 (p_n² lives near log θ = mu + 2n sigma², where it
  //   reaches exp(2n² sigma²)), weibull 560 Γ(shape + ½) / (2√π Γ(shape)), at most 200,
  //   n − 1, at most 200, for a distribution on n points.
  [[nodiscard]] Index max_degree() const;

  // Recurrence coefficients for degrees 0..degree at least. Computed once, kept: the reference
  // stays valid as long as the family; thread-safe. For normal, lognormal, beta, gamma and
  // exponential distributions `degree` may exceed max_degree().
  [[nodiscard]] const Recurrence& recurrence(Index degree) const;

  // values(i, n) = B_n(t_i), n = 0..values.cols()−1;  derivatives(i, n) = B_n'(t_i). Throw
  // InputError("basis", …) above max_degree(). On the points of a discrete distribution values() is
  // accurate where the recurrence is not: its forward evaluation is unstable at outliers and for
  // degrees near the number of points.
  void values(const double* t, Index count, BlockOut values) const;
  void derivatives(const double* t, Index count, BlockOut derivatives) const;

  // n-point Gauss rule of the distribution (polynomial families: from the recurrence; fourier:
  // Gauss–Legendre). Nodes whose weight underflows are left out; a distribution on at most n points
  // returns its points. Throws InputError("nodes", …) above max_nodes().
  [[nodiscard]] Quadrature gauss(Index n) const;
  [[nodiscard]] Index max_nodes() const;

  // sup over the support of Σ_n c_n B_n(t)², c ≥ 0; +∞ where the functions are unbounded. Exact
  // where the maximiser is known (Legendre, Jacobi end points, trigonometric pairs, finitely many
  // points), otherwise maximised numerically. `argmax`, if given, receives a maximiser.
  [[nodiscard]] double supremum(const Vector& c, double* argmax = nullptr) const;

  // Quantile of the induced distribution B_n(t)² π(dt), by its distribution function: exact to
  // rounding, p in (0, 1).
  [[nodiscard]] double induced_quantile(Index n, double p) const;

 private:
  struct State;  // shared, lazily extended tables
  std::shared_ptr<State> state_;
};

// n-point Gauss–Legendre rule on [lower, upper], weights summing to 1.
[[nodiscard]] Quadrature gauss_legendre(Index n, double lower, double upper);

// --- Index sets ---
// Ordered, downward closed sets of multi-indices ν ∈ N^d. The order defines "the first m" functions
// of a basis, and every prefix is itself downward closed.

using MultiIndex = std::vector<int>;

// An order of N^d, restricted per dimension: ν_k ≤ max_degree_k.
//   total_degree: by Σ w_k ν_k;    hyperbolic: by Π (1 + ν_k)^{w_k};    weights w_k > 0.
// Ties: the smaller Σ ν_k first, then the lexicographically larger (e_1 before e_2); for d = 2 the
// total degree order begins 00, 10, 01, 20, 11, 02, and for d = 1 every order is 0, 1, 2, …
struct IndexOrder {
  enum class Kind { total_degree, hyperbolic };
  Kind kind = Kind::total_degree;
  Vector weights;               // empty: all 1
  std::vector<int> max_degree;  // empty: no limit
};

class IndexSet {
 public:
  IndexSet() = default;
  // The first m indices of N^d in the given order. Throws InputError if fewer than m exist.
  static IndexSet first(Index dimension, Index m, const IndexOrder& order = {});
  // An arbitrary list; throws InputError unless it starts at 0, has no repetition and every prefix
  // is downward closed.
  static IndexSet from(std::vector<MultiIndex> indices);

  [[nodiscard]] Index size() const { return static_cast<Index>(indices_.size()); }
  [[nodiscard]] Index dimension() const {
    return indices_.empty() ? 0 : static_cast<Index>(indices_.front().size());
  }
  [[nodiscard]] const MultiIndex& operator[](Index i) const {
    return indices_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] const std::vector<MultiIndex>& indices() const { return indices_; }

  // Append ν and whatever of its predecessors is missing (in lexicographic order), keeping every
  // prefix downward closed.
  void add_closed(const MultiIndex& index);
  [[nodiscard]] bool contains(const MultiIndex& index) const { return position(index) >= 0; }
  // Where ν stands in the order, or −1.
  [[nodiscard]] Index position(const MultiIndex& index) const;
  // Reduced margin: every ν outside the set all of whose predecessors ν − e_k are inside, sorted
  // lexicographically.
  [[nodiscard]] std::vector<MultiIndex> reduced_margin() const;

 private:
  void append(MultiIndex index);
  [[nodiscard]] std::size_t slot(const MultiIndex& index) const;
  // Changes the index on the way, and back.
  [[nodiscard]] bool predecessors_inside(MultiIndex& index) const;

  std::vector<MultiIndex> indices_;
  std::vector<std::int32_t> table_;  // open addressing: positions in indices_, −1 where empty
};

// --- The basis ---

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
  [[nodiscard]] const internal::BasisPlan& plan() const { return *plan_; }

 private:
  friend class Basis;
  // Allocates only to grow.
  void resize(Index samples, Index functions,
              const std::shared_ptr<const internal::BasisPlan>& plan);

  Index samples_ = 0, functions_ = 0, columns_ = 0;
  Vector table_;  // 64-byte aligned
  std::shared_ptr<const internal::BasisPlan> plan_;
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
  std::shared_ptr<const internal::BasisPlan> plan_;
  std::shared_ptr<internal::BasisSupremum> supremum_;  // the Q_m found so far
};

// How many functions the families have together, Π (max_degree + 1): often astronomically many,
// hence a double.
[[nodiscard]] double function_count(const std::vector<Family>& families);
// The order, limited to the degrees that the families have.
[[nodiscard]] IndexOrder limited_order(const std::vector<Family>& families, IndexOrder order);

}  // namespace chaosgrad
