#pragma once
// Squared norms of mean gradients without bias, from several draws of the noise at each θ.
#include "chaosgrad/types.h"

namespace chaosgrad::internal {

// For each row (a sample of θ) of vectors r_1, …, r_K, one per draw of the noise: the mean of the
// products r_k·r_l over all pairs k ≠ l, (|Σ r|² − Σ|r|²)/(K(K − 1)). Its mean is |E r|², whatever
// the noise; with noise of variance σ² alone its variance is 2σ⁴/(K(K − 1)) per component.
//
// In halves: draws of a half may depend on each other (points of a net), those of different halves do
// not. Then the product of the means of the two halves, which has the same mean.
class PairProducts {
 public:
  PairProducts(Index rows, Index q) : sum_(Matrix::Zero(rows, q)), squares_(Vector::Zero(rows)) {}

  void add(const Matrix& draw);  // rows × q
  // Ends the first half; the second has as many draws.
  void end_half();
  [[nodiscard]] Index draws() const { return draws_; }
  [[nodiscard]] Matrix mean() const { return sum_ / static_cast<double>(draws_); }
  [[nodiscard]] Vector mean_squares() const { return squares_ / static_cast<double>(draws_); }
  [[nodiscard]] Vector products() const;  // needs two draws

 private:
  Matrix sum_, first_half_;  // the latter empty: all draws are independent
  Vector squares_;
  Index draws_ = 0;
};

}  // namespace chaosgrad::internal
