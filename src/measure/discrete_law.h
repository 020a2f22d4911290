#pragma once
// Finitely many values with their probabilities.
#include <span>
#include <vector>

#include "chaosgrad/distribution.h"
#include "measure/law.h"

namespace chaosgrad::internal::law {

// Sorted values, duplicates merged, weights positive with sum 1. Throws InputError.
[[nodiscard]] Discrete normalised(const Discrete& d);
// P(θ ≤ values[i]) of a normalised distribution; the last is exactly 1.
[[nodiscard]] std::vector<double> cumulative_sums(const Discrete& d);

// A normalised distribution with its cumulative sums.
struct DiscreteLaw {
  std::span<const double> values, weights, cumulative;
};

inline Support support(const DiscreteLaw& d) { return {d.values.front(), d.values.back()}; }
[[nodiscard]] double pdf(const DiscreteLaw& d, double t);
[[nodiscard]] double cdf(const DiscreteLaw& d, double t);
[[nodiscard]] double survival(const DiscreteLaw& d, double t);
void quantile(const DiscreteLaw& d, const double* p, double* t, Index n);
[[nodiscard]] double survival_quantile(const DiscreteLaw& d, double q);
[[nodiscard]] double mean(const DiscreteLaw& d);
[[nodiscard]] double sd(const DiscreteLaw& d);

}  // namespace chaosgrad::internal::law
