#include "measure/discrete_law.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "measure/validation.h"

namespace chaosgrad::internal::law {
namespace {

void validate(const Discrete& d) {
  if (d.values.empty()) throw InputError("values", "must hold at least one value, found none");
  for (const double value : d.values) require_finite("values", value);
  if (d.weights.empty()) return;
  if (d.weights.size() != d.values.size()) {
    throw InputError("weights", fmt::format("must be as many as values ({}), found {}",
                                            d.values.size(), d.weights.size()));
  }
  double sum = 0;
  for (const double weight : d.weights) {
    require_finite("weights", weight);
    if (weight < 0) {
      throw InputError("weights", fmt::format("must not be negative, found {}", weight));
    }
    sum += weight;
  }
  if (!(sum > 0) || !std::isfinite(sum)) {
    throw InputError("weights", fmt::format("must have a positive finite sum, found {}", sum));
  }
}

}  // namespace

Discrete normalised(const Discrete& d) {
  validate(d);
  const std::size_t n = d.values.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return d.values[i] < d.values[j]; });
  Discrete result;
  for (const std::size_t i : order) {
    const double weight = d.weights.empty() ? 1.0 : d.weights[i];
    if (weight == 0) continue;
    if (!result.values.empty() && result.values.back() == d.values[i]) {
      result.weights.back() += weight;
    } else {
      result.values.push_back(d.values[i]);
      result.weights.push_back(weight);
    }
  }
  const double sum = std::accumulate(result.weights.begin(), result.weights.end(), 0.0);
  for (double& weight : result.weights) weight /= sum;
  return result;
}

std::vector<double> cumulative_sums(const Discrete& d) {
  std::vector<double> sums;
  sums.reserve(d.weights.size());
  long double sum = 0;
  for (const double weight : d.weights) {
    sum += weight;
    sums.push_back(std::min(static_cast<double>(sum), 1.0));
  }
  sums.back() = 1;
  return sums;
}

double pdf(const DiscreteLaw& d, double t) {
  const auto found = std::lower_bound(d.values.begin(), d.values.end(), t);
  if (found == d.values.end() || *found != t) return 0;
  return d.weights[static_cast<std::size_t>(found - d.values.begin())];
}

double cdf(const DiscreteLaw& d, double t) {
  const auto above = std::upper_bound(d.values.begin(), d.values.end(), t) - d.values.begin();
  return above == 0 ? 0.0 : d.cumulative[static_cast<std::size_t>(above - 1)];
}

double survival(const DiscreteLaw& d, double t) { return 1 - cdf(d, t); }

void quantile(const DiscreteLaw& d, const double* p, double* t, Index n) {
  const auto last = d.cumulative.end() - 1;
  for (Index i = 0; i < n; ++i) {
    const auto found = std::lower_bound(d.cumulative.begin(), last, p[i]);
    t[i] = d.values[static_cast<std::size_t>(found - d.cumulative.begin())];
  }
}

double survival_quantile(const DiscreteLaw& d, double q) {
  const double p = 1 - q;
  double t;
  quantile(d, &p, &t, 1);
  return t;
}

double mean(const DiscreteLaw& d) {
  return std::inner_product(d.values.begin(), d.values.end(), d.weights.begin(), 0.0);
}

double sd(const DiscreteLaw& d) {
  const double center = mean(d);
  double variance = 0;
  for (std::size_t i = 0; i < d.values.size(); ++i) {
    variance += d.weights[i] * (d.values[i] - center) * (d.values[i] - center);
  }
  return std::sqrt(variance);
}

}  // namespace chaosgrad::internal::law
