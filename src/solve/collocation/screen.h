#pragma once
// A look at the expansion at very many θ, where gradients are cheap: |H⁻¹∇f(x_u)| is the distance to
// the optimum as far as f is quadratic, and whatever is wrong with f at x_u shows there. Far out in
// the tails, where the expansion grows like its polynomials, a Newton step may be anything; the
// distance is |x_u| + |x*| at most, and R stands for |x*|.
#include <cstdint>
#include <vector>

#include "solve/collocation/context.h"
#include "solve/collocation/state.h"

namespace chaosgrad::internal::collocation {

// A screened θ, and what is remarkable about it.
enum class Remark : char {
  none,
  not_finite,     // ∇f at x_u
  on_border,      // the same, and x_u is on a bound: the domain ends there
  not_convex,     // H at x_u has an eigenvalue ≤ 0
  below_mu,       // H at x_u has an eigenvalue below the given μ
  not_quadratic,  // a Newton step from x_u leaves much of ∇f: its length is no distance
  not_monotone,   // ∇f between x_u and the start, or another x: not convex on the way
};

struct Screening {
  Index samples = 0;  // the first half of each block from π, the second from induced densities
  Vector squares;     // w |H⁻¹∇f(x_u)|²; ∞ where that is not a number, or H not positive
  Vector gradients;   // w |∇f(x_u)|²
  Vector weights;     // w
  Matrix multiplier_squares;  // n×(q + p): their error, as far as f is quadratic (constraints)
  std::vector<Remark> remarks;
  std::int64_t evaluations = 0;  // of ∇f; a Hessian counts as q
  auto members() {
    return std::tie(samples, squares, gradients, weights, multiplier_squares, remarks, evaluations);
  }

  // Numbers of samples with a remark.
  [[nodiscard]] std::vector<Index> with(Remark remark) const;
  // Keeps the first `count` of them, whole blocks.
  void shorten(Index count);
  // θ ~ π among them.
  [[nodiscard]] Index from_measure() const { return samples / 2; }
};

// One sample of a screening, made again from its number.
struct ScreenedSample {
  Vector eta, theta, x;  // x = x_u(θ)
  Vector elsewhere;      // an x around x_u that monotonicity was tried with
  auto members() { return std::tie(eta, theta, x, elsewhere); }
};

// As many samples as the price of a gradient allows, in whole blocks: 0 where it is not known, or
// too high.
struct ScreenPlan {
  Index samples = 0;
  bool exact = false;  // with the Hessian at each sample; otherwise with the model of its inverse
  bool monotone = false;  // with the test of monotonicity, which takes two further gradients
};
[[nodiscard]] ScreenPlan plan_screening(const Context& context, const CollocationState& state);

// Test number `look`.
[[nodiscard]] Screening screen(const Context& context, const CollocationState& state, Index look,
                               const ScreenPlan& plan);
[[nodiscard]] ScreenedSample screened_sample(const Context& context, const CollocationState& state,
                                             Index look, Index number);

}  // namespace chaosgrad::internal::collocation
