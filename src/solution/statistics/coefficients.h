#pragma once
// Statistics that are sums over the coefficients, free of the bias that noise in them brings.
//
// With G independent estimates u^(g) of u the mean of u_i^(g) u_j^(h) over all g ≠ h has the mean
// u_i u_j, while (u_i + noise)² is too large by the variance of the noise.
#include <utility>
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/statistics.h"

namespace chaosgrad::internal {

// Estimates of the coefficients: all of them, and the sets that leave one out.
class CrossFit {
 public:
  // Without replicates u stands for itself.
  CrossFit(const Coefficients& u, const std::vector<Coefficients>& replicates);

  // Number of versions: 0 is that of all estimates, 1 … G leave one out.
  [[nodiscard]] Index versions() const { return noisy() ? 1 + count() : 1; }
  [[nodiscard]] bool noisy() const { return !replicates_.empty(); }
  // The mean of the estimates.
  [[nodiscard]] Coefficients mean(Index version) const;
  // u_i² without bias (m×q).
  [[nodiscard]] Coefficients squares(Index version) const;
  // Σ_{i>0} u_i u_iᵀ without bias (q×q), and its diagonal alone.
  [[nodiscard]] Matrix covariance(Index version) const;
  [[nodiscard]] Vector variance(Index version) const;

 private:
  [[nodiscard]] Index count() const { return static_cast<Index>(replicates_.size()); }
  const Coefficients& u_;
  const std::vector<Coefficients>& replicates_;
  Coefficients sum_;
};

// Sums over the squares of functions that depend on germ k alone (main, q×d), that involve it
// (total), that depend on exactly two (pairwise, q×pairs), on any (variance).
struct VarianceParts {
  Matrix main, total, pairwise;
  Vector variance;
};
using Pairs = std::vector<std::pair<Index, Index>>;
[[nodiscard]] VarianceParts variance_parts(const IndexSet& indices, const Coefficients& squares,
                                           const Pairs& pairs);
// All pairs in up to 32 dimensions, beyond that those which a function depends on.
[[nodiscard]] Pairs relevant_pairs(const IndexSet& indices, Index functions);

// θ_k on the basis (m×d): E[θ_k ψ_i], i > 0; row 0 is 0.
[[nodiscard]] Matrix parameter_coefficients(const Expansion& expansion);
[[nodiscard]] Vector parameter_deviations(const Measure& measure);  // sd of each θ_k

// Where the expansion is lifted x is no polynomial: mean, sd and (with `indices`) Sobol' indices of
// its components by sampling, with bars, and nothing else.
[[nodiscard]] std::vector<OutputStatistics> sampled_moments(const Expansion& expansion,
                                                            const Accuracy& accuracy, bool indices);
// Of the quantities alone, for a large x: nothing is kept for its components.
[[nodiscard]] Statistics quantity_statistics(const Expansion& expansion, const Accuracy& accuracy,
                                             const Quantities& quantities,
                                             const StatisticsOptions& options);
// ‖x‖_π
[[nodiscard]] double norm_of(const Expansion& expansion);

// A tensor rule over the germ that integrates the fourth power of the expansion exactly; nothing if
// it would need more than `limit` points.
struct GermRule {
  Matrix eta;  // N×d
  Vector weights;
};
[[nodiscard]] std::optional<GermRule> fourth_power_rule(const Expansion& expansion, Index limit);

}  // namespace chaosgrad::internal
