#pragma once
// One-dimensional orthonormal families B_0 = 1, B_1, B_2, … in L² of a distribution: polynomials by their three-term
// recurrence, or trigonometric functions for a uniform distribution seen as periodic.
#include <memory>

#include "chaosgrad/distribution.h"

namespace chaosgrad {

// Orthonormal polynomials: b_{n+1} p_{n+1}(t) = (t − a_n) p_n(t) − b_n p_{n−1}(t), p_0 = 1, p_{−1} = 0, b_0 = 0.
// t = (θ − center) / scale keeps the numbers tame; a has size n, b has size n+1 for degrees 0..n.
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

  // polynomial: orthonormal for `distribution`. fourier: 1, √2 cos ωτ, √2 sin ωτ, √2 cos 2ωτ, …, with ω = 2π/(upper − lower)
  // and τ = θ − (lower + upper)/2; throws InputError("basis", …) unless the distribution is uniform.
  explicit Family(Distribution distribution, Kind kind = Kind::polynomial);

  [[nodiscard]] Kind kind() const;
  [[nodiscard]] const Distribution& distribution() const;
  // Largest degree that exists: n − 1 for a distribution on n points, otherwise a documented limit.
  [[nodiscard]] Index max_degree() const;

  // Recurrence coefficients for degrees 0..degree (polynomial families). Computed once, kept; thread-safe.
  [[nodiscard]] const Recurrence& recurrence(Index degree) const;

  // values(i, n) = B_n(t_i), n = 0..values.cols()−1;  derivatives(i, n) = B_n'(t_i).
  void values(const double* t, Index count, BlockOut values) const;
  void derivatives(const double* t, Index count, BlockOut derivatives) const;

  // n-point Gauss rule of the distribution (polynomial families: from the recurrence; fourier: Gauss–Legendre).
  [[nodiscard]] Quadrature gauss(Index n) const;

  // sup over the support of Σ_n c_n B_n(t)², c ≥ 0; +∞ where the functions are unbounded. Exact where the maximiser is
  // known (Legendre, Jacobi end points, trigonometric pairs, finitely many points), otherwise maximised numerically.
  // `argmax`, if given, receives a maximiser.
  [[nodiscard]] double supremum(const Vector& c, double* argmax = nullptr) const;

  // Quantile of the induced distribution B_n(t)² π(dt), by its distribution function: exact to rounding, p in (0, 1).
  [[nodiscard]] double induced_quantile(Index n, double p) const;

 private:
  struct State;  // shared, lazily extended tables
  std::shared_ptr<State> state_;
};

// n-point Gauss–Legendre rule on [lower, upper], weights summing to 1.
[[nodiscard]] Quadrature gauss_legendre(Index n, double lower, double upper);

}  // namespace chaosgrad
