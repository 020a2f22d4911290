#pragma once
// One-dimensional distributions: density, distribution function, quantile. Sampling is quantile(uniform).
#include <limits>
#include <string_view>
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
struct Beta {
  double alpha = 1, beta = 1, lower = 0, upper = 1;
};
struct Gamma {
  double shape = 1, scale = 1;
};
struct Exponential {
  double rate = 1;
};
struct Triangular {
  double lower = 0, mode = 0.5, upper = 1;
};
struct Weibull {
  double shape = 1, scale = 1;
};
struct LogUniform {
  double lower = 1, upper = 2;
};
struct TruncatedNormal {
  double mean = 0, sd = 1, lower = -1, upper = 1;
};
// Finitely many values. Sorted, merged and normalised by Distribution. A data column is Discrete with equal weights.
struct Discrete {
  std::vector<double> values, weights;
};

class Distribution {
 public:
  using Variant = std::variant<Uniform, Normal, LogNormal, Beta, Gamma, Exponential, Triangular, Weibull,
                               LogUniform, TruncatedNormal, Discrete>;

  // Throws InputError that names the offending field (e.g. "upper": "must be greater than lower (…)").
  Distribution(Variant parameters);  // NOLINT(google-explicit-constructor): Distribution d = Normal{0, 1};

  [[nodiscard]] const Variant& parameters() const { return parameters_; }
  [[nodiscard]] std::string_view name() const;  // "uniform", "normal", … as in problem files
  [[nodiscard]] bool is_discrete() const;

  [[nodiscard]] double pdf(double t) const;  // density; for discrete ones the mass at t
  [[nodiscard]] double cdf(double t) const;
  [[nodiscard]] double quantile(double p) const;  // p in (0, 1)
  void quantile(const double* p, double* t, Index n) const;

  // The support [lower, upper], possibly infinite.
  [[nodiscard]] double lower() const;
  [[nodiscard]] double upper() const;
  [[nodiscard]] double mean() const;
  [[nodiscard]] double sd() const;

 private:
  Variant parameters_;
};

}  // namespace chaosgrad
