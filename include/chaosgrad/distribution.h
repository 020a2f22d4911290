#pragma once
// One-dimensional distributions: density, distribution function, quantile. Sampling is
// quantile(uniform).
#include <concepts>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "chaosgrad/types.h"

namespace chaosgrad {

struct Uniform {
  double lower = 0, upper = 1;
};
struct Normal {
  double mean = 0, sd = 1;
};
struct LogNormal {  // log θ ~ N(mu, sigma²)
  double mu = 0, sigma = 1;
};
struct Beta {  // density ∝ (θ − lower)^(alpha − 1) (upper − θ)^(beta − 1)
  double alpha = 1, beta = 1, lower = 0, upper = 1;
};
struct Gamma {  // density ∝ θ^(shape − 1) exp(−θ/scale)
  double shape = 1, scale = 1;
};
struct Exponential {
  double rate = 1;
};
struct Triangular {  // lower ≤ mode ≤ upper
  double lower = 0, mode = 0.5, upper = 1;
};
struct Weibull {  // P(θ > t) = exp(−(t/scale)^shape)
  double shape = 1, scale = 1;
};
struct LogUniform {  // log θ uniform
  double lower = 1, upper = 2;
};
struct TruncatedNormal {  // N(mean, sd²) given lower ≤ θ ≤ upper; either bound may be infinite
  double mean = 0, sd = 1, lower = -1, upper = 1;
};
// Finitely many values. Sorted, merged and normalised by Distribution, which drops values of weight
// 0; no weights at all means equal ones. A data column is Discrete without weights.
struct Discrete {
  std::vector<double> values, weights;
};

class Distribution {
 public:
  using Variant = std::variant<Uniform, Normal, LogNormal, Beta, Gamma, Exponential, Triangular,
                               Weibull, LogUniform, TruncatedNormal, Discrete>;

  // Throws InputError that names the offending field (e.g. "upper": "must be greater than lower
  // (…)"). NOLINTNEXTLINE(google-explicit-constructor)
  Distribution(Variant parameters);
  // Distribution d = Normal{0, 1};
  template <std::convertible_to<Variant> D>
  Distribution(D parameters)  // NOLINT(google-explicit-constructor)
      : Distribution(Variant(std::move(parameters))) {}

  [[nodiscard]] const Variant& parameters() const { return parameters_; }
  [[nodiscard]] std::string_view name() const;  // "uniform", "normal", … as in problem files
  [[nodiscard]] bool is_discrete() const;

  [[nodiscard]] double pdf(double t) const;       // density; for discrete ones the mass at t
  [[nodiscard]] double cdf(double t) const;       // P(θ ≤ t)
  [[nodiscard]] double survival(double t) const;  // P(θ > t), accurate where it is small

  // The smallest t with cdf(t) ≥ p, p in (0, 1); always inside the support. The block form gives
  // the same bits and may work in place.
  [[nodiscard]] double quantile(double p) const;
  void quantile(const double* p, double* t, Index n) const;
  // The t with survival(t) = q: quantile(1 − q), accurate where q is small.
  [[nodiscard]] double survival_quantile(double q) const;

  // t = quantile(Φ(z)) and its inverse, accurate in both tails; the first may work in place. A
  // discrete value has an interval of z, of which the inverse gives the point halfway in
  // probability: Φ(z) = P(θ < t) + P(θ = t)/2. The inverse is finite: beyond the support it is
  // about ±37.5.
  void from_standard_normal(const double* z, double* t, Index n) const;
  [[nodiscard]] double to_standard_normal(double t) const;

  // The support [lower, upper], possibly infinite.
  [[nodiscard]] double lower() const;
  [[nodiscard]] double upper() const;
  [[nodiscard]] double mean() const;
  [[nodiscard]] double sd() const;

 private:
  template <class F>
  decltype(auto) visit(F&& f) const;

  Variant parameters_;
  std::vector<double> cumulative_;  // P(θ ≤ values[i]) of a discrete distribution
};

}  // namespace chaosgrad
