#include "chaosgrad/distribution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "measure/bounded_laws.h"
#include "measure/discrete_law.h"
#include "measure/distribution_table.h"
#include "measure/normal_law.h"
#include "measure/positive_laws.h"
#include "measure/truncated_normal_law.h"
#include "random/random.h"

namespace chaosgrad {
using namespace internal;
namespace {

// Distributions with a map from the standard normal that does not go through probabilities.
template <class D>
inline constexpr bool is_image_of_normal =
    std::is_same_v<D, Normal> || std::is_same_v<D, LogNormal>;

// The smallest probability whose normal quantile is worth having.
constexpr double smallest_probability = std::numeric_limits<double>::min();

Distribution::Variant validated(Distribution::Variant parameters) {
  if (auto* discrete = std::get_if<Discrete>(&parameters)) {
    *discrete = law::normalised(*discrete);
  } else {
    require_valid_arguments(parameters);
  }
  return parameters;
}

// t = quantile(Φ(z)), n ≤ block_size. Beyond z = 2 the distance of Φ(z) from 1 has lost digits: the
// few values there go through 1 − Φ(z) = Φ(−z).
template <class D>
void through_probabilities(const D& d, const double* z, double* t, Index n) {
  constexpr double upper_tail = 2;
  std::array<double, block_size> score{}, p{};
  std::copy_n(z, n, score.data());
  std::transform(z, z + n, p.data(), [](double x) {
    return std::clamp(normal_cdf(x), smallest_probability, 1 - 0x1p-53);
  });
  law::quantile(d, p.data(), t, n);
  for (Index i = 0; i < n; ++i) {
    const double x = score[static_cast<std::size_t>(i)];
    if (x > upper_tail) {
      t[i] = law::survival_quantile(d, std::max(normal_cdf(-x), smallest_probability));
    }
  }
}

}  // namespace

template <class F>
decltype(auto) Distribution::visit(F&& f) const {
  return std::visit(
      [&](const auto& d) -> decltype(auto) {
        if constexpr (std::is_same_v<std::decay_t<decltype(d)>, Discrete>) {
          return f(law::DiscreteLaw{d.values, d.weights, cumulative_});
        } else {
          return f(d);
        }
      },
      parameters_);
}

Distribution::Distribution(Variant parameters) : parameters_(validated(std::move(parameters))) {
  if (is_discrete()) cumulative_ = law::cumulative_sums(std::get<Discrete>(parameters_));
}

std::string_view Distribution::name() const { return entry_of(parameters_).name; }

bool Distribution::is_discrete() const { return std::holds_alternative<Discrete>(parameters_); }

double Distribution::lower() const {
  return visit([](const auto& d) { return law::support(d).lower; });
}

double Distribution::upper() const {
  return visit([](const auto& d) { return law::support(d).upper; });
}

double Distribution::mean() const {
  return visit([](const auto& d) { return law::mean(d); });
}

double Distribution::sd() const {
  return visit([](const auto& d) { return law::sd(d); });
}

double Distribution::pdf(double t) const {
  if (std::isnan(t)) return t;
  if (t < lower() || t > upper() || std::isinf(t)) return 0;
  return visit([&](const auto& d) { return law::pdf(d, t); });
}

double Distribution::cdf(double t) const {
  if (std::isnan(t)) return t;
  if (t < lower()) return 0;
  if (t >= upper()) return 1;
  if (std::isinf(t)) return 0;  // −∞, the lower end
  return visit([&](const auto& d) { return std::clamp(law::cdf(d, t), 0.0, 1.0); });
}

double Distribution::survival(double t) const {
  if (std::isnan(t)) return t;
  if (t < lower()) return 1;
  if (t >= upper()) return 0;
  if (std::isinf(t)) return 1;  // −∞, the lower end
  return visit([&](const auto& d) { return std::clamp(law::survival(d, t), 0.0, 1.0); });
}

double Distribution::quantile(double p) const {
  double t;
  quantile(&p, &t, 1);
  return t;
}

void Distribution::quantile(const double* p, double* t, Index n) const {
  visit([&](const auto& d) { law::quantile(d, p, t, n); });
}

double Distribution::survival_quantile(double q) const {
  return visit([&](const auto& d) { return law::survival_quantile(d, q); });
}

void Distribution::from_standard_normal(const double* z, double* t, Index n) const {
  visit([&](const auto& d) {
    if constexpr (is_image_of_normal<std::decay_t<decltype(d)>>) {
      law::from_standard_normal(d, z, t, n);
    } else {
      for (Index first = 0; first < n; first += block_size) {
        through_probabilities(d, z + first, t + first, std::min(block_size, n - first));
      }
    }
  });
}

double Distribution::to_standard_normal(double t) const {
  if (std::isnan(t)) return t;
  return visit([&](const auto& d) {
    using Law = std::decay_t<decltype(d)>;
    if constexpr (is_image_of_normal<Law>) {
      if (t > lower() && t < upper()) return law::standardise(d, t);
    }
    const double half_jump = std::is_same_v<Law, law::DiscreteLaw> ? pdf(t) / 2 : 0.0;
    const double below = cdf(t) - half_jump, above = survival(t) + half_jump;
    return below < above ? normal_quantile(std::max(below, smallest_probability))
                         : -normal_quantile(std::max(above, smallest_probability));
  });
}

}  // namespace chaosgrad
