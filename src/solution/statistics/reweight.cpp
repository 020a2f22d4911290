#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chaosgrad/error.h"
#include "chaosgrad/statistics.h"
#include "numeric/decompositions.h"
#include "samples/parameters.h"
#include "solution/statistics/sampler.h"

namespace chaosgrad {
using namespace internal;
namespace {

constexpr double tail = 5e-7;  // left out on either side
constexpr Index grid = 4096;   // levels of a marginal
constexpr Index samples = 1 << 16;

// dπ'_k/dπ_k at t.
double ratio(const Distribution& measure, const Distribution& other, double t) {
  return other.pdf(t) / measure.pdf(t);
}

void require_inside(Index k, const Distribution& measure, const Distribution& other) {
  const auto fail = [&](const std::string& why) {
    throw InputError("reweight", fmt::format("parameter {}: {}", k + 1, why));
  };
  if (measure.is_discrete() != other.is_discrete())
    fail(fmt::format("a {} distribution has no density with respect to the {} one of the run",
                     other.name(), measure.name()));
  if (const auto* discrete = std::get_if<Discrete>(&other.parameters())) {
    for (const double value : discrete->values) {
      if (measure.pdf(value) == 0)
        fail(fmt::format("the value {} does not occur in the run's distribution", value));
    }
  }
  if (other.lower() < measure.lower() || other.upper() > measure.upper()) {
    fail(fmt::format(
        "the new distribution lives on [{}, {}], expected a part of [{}, {}], where the "
        "run knows x*",
        other.lower(), other.upper(), measure.lower(), measure.upper()));
  }
}

// log of the density of the Gaussian copula at θ: −½ (log det R + zᵀ(R⁻¹ − 1)z).
class CopulaDensity {
 public:
  explicit CopulaDensity(const Measure& measure) : measure_(measure) {
    if (measure.is_dependent()) factor_ = cholesky_factor(*measure.correlation());
  }
  [[nodiscard]] double log_density(const Vector& theta) const {
    if (!measure_.is_dependent()) return 0;
    Vector z(theta.size());
    for (Index k = 0; k < z.size(); ++k)
      z(k) = measure_.marginals()[static_cast<std::size_t>(k)].to_standard_normal(theta(k));
    return -factor_.diagonal().array().log().sum() -
           0.5 * (solve_lower(factor_, z).squaredNorm() - z.squaredNorm());
  }

 private:
  const Measure& measure_;
  Matrix factor_;  // L with L Lᵀ = R; empty without dependence
};

// Supremum and mean of dπ'/dπ under π'.
struct RatioSummary {
  double supremum = 1, mean = 1;
};

RatioSummary independent_summary(const Measure& measure, const Measure& other) {
  RatioSummary summary;
  for (std::size_t k = 0; k < measure.marginals().size(); ++k) {
    const Distribution &from = measure.marginals()[k], &to = other.marginals()[k];
    double supremum = 0, mean = 0;
    for (Index i = 0; i < grid; ++i) {
      const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(grid);
      const double value = ratio(from, to, to.quantile(p));
      supremum = std::max(supremum, value);
      mean += value / static_cast<double>(grid);
    }
    for (const double p : {tail, 1 - tail, 1e-5, 1 - 1e-5})
      supremum = std::max(supremum, ratio(from, to, to.quantile(p)));
    summary.supremum *= supremum;
    summary.mean *= mean;
  }
  return summary;
}

RatioSummary dependent_summary(const Measure& measure, const Measure& other) {
  const CopulaDensity from(measure), to(other);
  const Matrix u = shifted_points(1, 0, samples, measure.dimension());
  Matrix theta(samples, measure.dimension());
  for (Index first = 0; first < samples; first += block_size) {
    auto block = theta.middleRows(first, block_size);
    parameters_from_uniform(other, u.middleRows(first, block_size), block, block);
  }
  RatioSummary summary{0, 0};
  for (Index i = 0; i < samples; ++i) {
    const Vector point = theta.row(i).transpose();
    double value = std::exp(to.log_density(point) - from.log_density(point));
    for (Index k = 0; k < point.size(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      value *= ratio(measure.marginals()[at], other.marginals()[at], point(k));
    }
    summary.supremum = std::max(summary.supremum, value);
    summary.mean += value / static_cast<double>(samples);
  }
  return summary;
}

}  // namespace

Reweighting reweighting(const Measure& measure, const Measure& other) {
  if (other.dimension() != measure.dimension())
    throw InputError("reweight", fmt::format("expected {} parameters, found {}",
                                             measure.dimension(), other.dimension()));
  for (Index k = 0; k < measure.dimension(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    require_inside(k, measure.marginals()[at], other.marginals()[at]);
  }
  const bool dependent = measure.is_dependent() || other.is_dependent();
  const RatioSummary summary =
      dependent ? dependent_summary(measure, other) : independent_summary(measure, other);
  // E_π[(dπ'/dπ)²] = E_π'[dπ'/dπ]; the supremum of a density ratio is at least 1.
  return {std::sqrt(std::max(1.0, summary.supremum)), 1 / std::max(1.0, summary.mean)};
}

}  // namespace chaosgrad
