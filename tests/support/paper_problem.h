#pragma once
// The paper's test problem, written by hand: ½ μ (x − s)² + ½ L (y − s)² (+ v (x + y)), s(θ) with
// four kinks.
#include <cmath>
#include <numbers>

#include "chaosgrad/problem.h"

namespace chaosgrad::testing {
using namespace internal;

inline double paper_optimum(double theta) {
  const double s = std::sin(theta);
  return std::abs(0.8 + 0.25 * std::exp(s) - std::cosh(s * s)) * (1 + std::sin(2 * theta));
}

inline const std::vector<double> paper_kinks = {-2.9222813098730143, -0.21931134371678063,
                                                1.2801263753706178, 1.8614662782191749};

struct PaperProblem {
  double mu = 1, L = 200;
  bool noisy = false;
  Index row_group = 1;

  [[nodiscard]] Index dimension() const { return 2; }
  [[nodiscard]] Measure parameters() const {
    return Measure({Distribution(Uniform{-std::numbers::pi, std::numbers::pi})});
  }
  [[nodiscard]] Index noise_dimension() const { return noisy ? 1 : 0; }
  [[nodiscard]] ProblemFacts facts() const {
    ProblemFacts facts;
    facts.strong_convexity = mu;
    facts.smoothness = L;
    facts.noise_variance = noisy ? 2.0 / 3 : 0;
    facts.noise_growth = 1;
    facts.bases = {Family::Kind::fourier};
    facts.breakpoints = {paper_kinks};
    facts.row_group = row_group;
    facts.reference = [](Block theta, BlockOut x) {
      for (Index i = 0; i < theta.rows(); ++i) x.row(i).setConstant(paper_optimum(theta(i, 0)));
    };
    return facts;
  }
  void gradient(Block x, Block theta, Block noise, BlockOut g) const {
    for (Index i = 0; i < x.rows(); ++i) {
      const double s = paper_optimum(theta(i, 0)), v = noisy ? 2 * noise(i, 0) - 1 : 0;
      g(i, 0) = mu * (x(i, 0) - s) + v;
      g(i, 1) = L * (x(i, 1) - s) + v;
    }
  }
};

}  // namespace chaosgrad::testing
