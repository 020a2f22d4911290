#pragma once
// An independent way to integrate against a distribution: the trapezoidal rule in a variable z that
// stretches the ends of the support to infinity (θ = logistic(z), exp(z) or z), where it converges
// exponentially.
#include <algorithm>
#include <cmath>
#include <functional>
#include <variant>
#include <vector>

#include "chaosgrad/distribution.h"

namespace chaosgrad::reference {
using namespace internal;

struct Nodes {
  std::vector<double> theta, log_weight;

  void normalise() {
    const double largest = *std::max_element(log_weight.begin(), log_weight.end());
    double sum = 0;
    for (const double w : log_weight) sum += std::exp(w - largest);
    for (double& w : log_weight) w -= largest + std::log(sum);
  }
};

// Arguments: distances from the lower and from the upper end. Returns the log of the density.
using LogDensity = std::function<double(double, double)>;

inline void add_bounded(Nodes& nodes, double lower, double upper, double reach, double step,
                        const LogDensity& log_density) {
  const double width = upper - lower;
  for (double z = -reach; z <= reach; z += step) {
    const double x = 1 / (1 + std::exp(-z)), y = 1 / (1 + std::exp(z));
    nodes.theta.push_back(z < 0 ? lower + width * x : upper - width * y);
    nodes.log_weight.push_back(log_density(width * x, width * y) + std::log(width * x * y * step));
  }
}

inline void add_half_line(Nodes& nodes, double lower, double from, double to, double step,
                          const std::function<double(double)>& log_density) {
  for (double z = from; z <= to; z += step) {
    const double x = std::exp(z);
    nodes.theta.push_back(lower + x);
    nodes.log_weight.push_back(log_density(x) + z + std::log(step));
  }
}

inline void add_line(Nodes& nodes, double center, double scale, double from, double to, double step,
                     const std::function<double(double)>& theta) {
  for (double z = from; z <= to; z += step) {
    nodes.theta.push_back(theta(center + scale * z));
    nodes.log_weight.push_back(-0.5 * z * z + std::log(step));
  }
}

struct MakeNodes {
  static constexpr double step = 0.02;
  double degree;  // nodes serve products of two polynomials up to this degree

  void operator()(Nodes& n, const Uniform& d) const {
    add_bounded(n, d.lower, d.upper, 45, step, [](double, double) { return 0.0; });
  }
  void operator()(Nodes& n, const Normal& d) const {
    const double reach = 2 * std::sqrt(degree) + 12;
    add_line(n, d.mean, d.sd, -reach, reach, step, [](double t) { return t; });
  }
  void operator()(Nodes& n, const LogNormal& d) const {
    const double reach = 2 * std::sqrt(degree) + 12;
    add_line(n, d.mu, d.sigma, -reach, reach + 2 * degree * d.sigma, step,
             [](double t) { return std::exp(t); });
  }
  void operator()(Nodes& n, const Beta& d) const {
    const double reach = std::min(700.0, 45 / std::min({d.alpha, d.beta, 1.0}));
    const double fine = step / std::max(1.0, 0.2 * std::sqrt(d.alpha + d.beta));
    add_bounded(n, d.lower, d.upper, reach, fine, [d](double x, double y) {
      const double width = d.upper - d.lower;
      return (d.alpha - 1) * std::log(x / width) + (d.beta - 1) * std::log(y / width);
    });
  }
  void operator()(Nodes& n, const Gamma& d) const {
    const double to = std::log(d.scale * (8 * degree + 4 * d.shape + 100));
    add_half_line(n, 0, std::log(d.scale) - 45 / std::min(d.shape, 1.0), to,
                  step / std::max(2.0, 0.2 * std::sqrt(d.shape)),
                  [d](double x) { return (d.shape - 1) * std::log(x) - x / d.scale; });
  }
  void operator()(Nodes& n, const Exponential& d) const { (*this)(n, Gamma{1, 1 / d.rate}); }
  void operator()(Nodes& n, const Triangular& d) const {
    if (d.mode > d.lower) {
      add_bounded(n, d.lower, d.mode, 45, step,
                  [d](double x, double) { return std::log(x / (d.mode - d.lower)); });
    }
    if (d.upper > d.mode) {
      add_bounded(n, d.mode, d.upper, 45, step,
                  [d](double, double y) { return std::log(y / (d.upper - d.mode)); });
    }
  }
  void operator()(Nodes& n, const Weibull& d) const {
    const double to = std::log(d.scale) + std::log(14 * degree + 200) / d.shape;
    add_half_line(n, 0, std::log(d.scale) - 45 / std::min(d.shape, 1.0), to,
                  step / std::max(4.0, 2 * d.shape), [d](double x) {
                    return (d.shape - 1) * std::log(x / d.scale) - std::pow(x / d.scale, d.shape);
                  });
  }
  void operator()(Nodes& n, const LogUniform& d) const {
    add_bounded(n, d.lower, d.upper, 50 + std::log(d.upper / d.lower), step,
                [d](double x, double) { return -std::log(d.lower + x); });
  }
  void operator()(Nodes& n, const TruncatedNormal& d) const {
    const auto log_density = [d](double t) { return -0.5 * std::pow((t - d.mean) / d.sd, 2); };
    if (std::isinf(d.upper) && std::isinf(d.lower)) return (*this)(n, Normal{d.mean, d.sd});
    if (std::isinf(d.upper)) {
      const double peak = log_density(std::max(d.lower, d.mean));
      add_half_line(n, d.lower, std::log(d.sd) - 45, std::log(d.sd * (3 * std::sqrt(degree) + 20)),
                    step / 4, [=](double x) { return log_density(d.lower + x) - peak; });
      return;
    }
    if (std::isinf(d.lower)) {
      (*this)(n, TruncatedNormal{-d.mean, d.sd, -d.upper, -d.lower});
      for (double& t : n.theta) t = -t;
      return;
    }
    const double peak = log_density(std::clamp(d.mean, d.lower, d.upper));
    const double fine = step / std::max(2.0, 0.5 * (d.upper - d.lower) / d.sd);
    add_bounded(n, d.lower, d.upper, 45, fine,
                [=](double x, double) { return log_density(d.lower + x) - peak; });
  }
  void operator()(Nodes& n, const Discrete& d) const {
    for (std::size_t i = 0; i < d.values.size(); ++i) {
      n.theta.push_back(d.values[i]);
      n.log_weight.push_back(std::log(d.weights[i]));
    }
  }
};

inline Nodes nodes(const Distribution& distribution, Index degree) {
  Nodes result;
  std::visit([&](const auto& d) { MakeNodes{static_cast<double>(degree)}(result, d); },
             distribution.parameters());
  result.normalise();
  return result;
}

}  // namespace chaosgrad::reference
