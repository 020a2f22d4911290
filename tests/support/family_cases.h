#pragma once
// Every distribution of the problem file format, with parameters that are hard on polynomials.
#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "chaosgrad/distribution.h"

namespace chaosgrad::reference {
using namespace internal;

struct FamilyCase {
  std::string name;
  Distribution distribution;
};

inline void PrintTo(const FamilyCase& family_case, std::ostream* out) { *out << family_case.name; }

inline Discrete equidistant(int count) {
  Discrete result;
  for (int i = 0; i < count; ++i) {
    result.values.push_back(i);
    result.weights.push_back(1);
  }
  return result;
}

// A deterministic column of "data": quantiles of a skew distribution with far outliers, unequal
// weights.
inline Discrete skew_data(int count) {
  Discrete result;
  for (int i = 0; i < count; ++i) {
    const double p = (i + 0.5) / count;
    result.values.push_back(std::exp(2 * std::log(p / (1 - p))));
    result.weights.push_back(1 + i % 3);
  }
  return result;
}

inline std::vector<FamilyCase> family_cases() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {
      {"uniform", Uniform{-1, 1}},
      {"uniform_shifted", Uniform{3, 10}},
      {"normal", Normal{0, 1}},
      {"normal_narrow", Normal{5, 0.1}},
      {"lognormal_narrow", LogNormal{0.3, 0.05}},
      {"lognormal_quarter", LogNormal{0, 0.25}},
      {"lognormal_one", LogNormal{-1, 1}},
      {"beta", Beta{2, 5, 0, 1}},
      {"beta_chebyshev", Beta{0.5, 0.5, -1, 1}},
      {"beta_sum_one", Beta{0.2, 0.8, 0, 1}},
      {"beta_sum_two", Beta{0.5, 1.5, -1, 2}},
      {"beta_peaked_ends", Beta{0.3, 0.1, 0, 2}},
      {"beta_narrow", Beta{200, 300, 0, 1}},
      {"beta_skew", Beta{1.5, 400, 0, 1}},
      {"gamma_peaked", Gamma{0.2, 2}},
      {"gamma", Gamma{2.5, 0.5}},
      {"gamma_narrow", Gamma{300, 1}},
      {"exponential", Exponential{3}},
      {"triangular", Triangular{0, 0.3, 1}},
      {"triangular_falling", Triangular{-1, -1, 2}},
      {"triangular_rising", Triangular{-1, 2, 2}},
      {"weibull_heavy", Weibull{0.4, 2}},
      {"weibull_peaked", Weibull{0.7, 1}},
      {"weibull", Weibull{1.5, 1}},
      {"weibull_narrow", Weibull{12, 3}},
      {"loguniform", LogUniform{1e-3, 10}},
      {"loguniform_wide", LogUniform{1e-6, 1e6}},
      {"truncated_normal", TruncatedNormal{0, 1, -1, 2}},
      {"truncated_normal_tail", TruncatedNormal{0, 1, 8, 9}},
      {"truncated_normal_loose", TruncatedNormal{0, 1, -10, 12}},
      {"truncated_normal_half", TruncatedNormal{1, 2, 0, infinity}},
      {"truncated_normal_far_half", TruncatedNormal{1, 2, -infinity, -15}},
      {"discrete_equidistant", equidistant(61)},
      {"discrete_data", skew_data(500)},
      {"discrete_few", Discrete{{-1, 0.5, 0.6, 4}, {0.1, 0.4, 0.4, 0.1}}},
  };
}

}  // namespace chaosgrad::reference
