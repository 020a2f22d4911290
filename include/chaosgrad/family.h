#pragma once
// One-dimensional orthonormal families B_0 = 1, B_1, B_2, … in L² of a distribution: polynomials by
// their three-term recurrence, or trigonometric functions for a uniform distribution seen as
// periodic.
#include <memory>

#include "chaosgrad/distribution.h"

namespace chaosgrad {

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

}  // namespace chaosgrad
