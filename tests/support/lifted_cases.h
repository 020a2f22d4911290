#pragma once
// Lifted expansions whose x*(θ) is known: f(x, θ) = ½ |x − y(θ)|²_M with y and M given, over
// constraints that have a closed form.
#include <cmath>
#include <memory>

#include "basis/kernels.h"
#include "chaosgrad/chaosgrad.h"
#include "chaosgrad/statistics.h"
#include "constraint/metric_factor.h"

namespace chaosgrad {

inline Basis total_degree(const Measure& measure, Index functions) {
  std::vector<Family> families;
  for (const Distribution& germ : measure.germs()) families.emplace_back(germ);
  return {std::move(families), IndexSet::first(measure.dimension(), functions)};
}

// The same metric everywhere: M = L Lᵀ.
inline std::shared_ptr<const Lift> same_metric(std::shared_ptr<const Constraints> constraints,
                                               const Measure& measure, const Matrix& L) {
  return internal::constant_lift(std::move(constraints), total_degree(measure, 1).families(), L);
}

// Uniform parameters on (−1, 1): θ_k = ψ_{1+k}/√3.
inline Measure uniform_measure(Index d) {
  return Measure(std::vector<Distribution>(static_cast<std::size_t>(d), Uniform{-1, 1}));
}

// y_i = constant_i + Σ_k slopes_ik θ_k.
inline Expansion affine_expansion(const Measure& measure, const Vector& constant,
                                  const Matrix& slopes, std::shared_ptr<const Lift> lift) {
  const Index d = measure.dimension();
  const Basis basis = total_degree(measure, 1 + d);
  Coefficients u = Coefficients::Zero(1 + d, constant.size());
  u.row(0) = constant.transpose();
  for (Index i = 1; i <= d; ++i) {
    for (Index k = 0; k < d; ++k) {
      if (basis.indices()[i][static_cast<std::size_t>(k)] == 1)
        u.row(i) = slopes.col(k).transpose() / std::sqrt(3.0);
    }
  }
  return {measure, basis, u, std::move(lift)};
}

// x = max(θ, 0) with θ uniform on (−1, 1), by the bound 0 ≤ x; the multiplier is max(−θ, 0).
inline Expansion positive_part() {
  const Measure measure = uniform_measure(1);
  auto bounds = std::make_shared<const LinearConstraints>(1, Vector::Zero(1), Vector());
  return affine_expansion(measure, Vector::Zero(1), Matrix::Ones(1, 1),
                          same_metric(std::move(bounds), measure, Matrix::Ones(1, 1)));
}

// The point of the simplex {x ≥ 0, x_0 + x_1 = 1} nearest to (θ_0, θ_1) with weights (1, 3):
// x_0 = clip((3 + θ_0 − 3 θ_1)/4, 0, 1), and ∇f + λ (1, 1) = 0 where no bound is active.
inline Expansion simplex_point() {
  const Measure measure = uniform_measure(2);
  std::vector<LinearConstraints::Rows> rows = {
      {"budget", Matrix::Ones(1, 2), Vector::Ones(1), Vector::Ones(1)}};
  auto simplex =
      std::make_shared<const LinearConstraints>(2, Vector::Zero(2), Vector(), std::move(rows), "w");
  Matrix L = Matrix::Identity(2, 2);
  L(1, 1) = std::sqrt(3.0);
  return affine_expansion(measure, Vector::Zero(2), Matrix::Identity(2, 2),
                          same_metric(std::move(simplex), measure, L));
}
inline double simplex_share(double a, double b) {
  return std::clamp((3 + a - 3 * b) / 4, 0.0, 1.0);
}

inline Accuracy known_accuracy(Index q, double epsilon) {
  return {.total = epsilon,
          .components = Vector::Constant(q, epsilon),
          .replicates = {},
          .confidence = 0.95};
}

}  // namespace chaosgrad
