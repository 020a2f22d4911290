#include "solution/statistics/exact.h"

#include <algorithm>
#include <cmath>

#include "solution/statistics/bars.h"
#include "solution/statistics/propagate.h"

namespace chaosgrad::internal {
namespace {

constexpr double largest_rule = 1 << 16;  // points
constexpr Index rule_memory = 1 << 22;    // values at a time

// A matrix of statistics from all estimates of the coefficients, and its half width from the noise.
struct Fitted {
  Matrix value, error;
};
template <class Statistic>
Fitted fitted(const CrossFit& fit, double confidence, const Statistic& statistic) {
  Fitted result{statistic(Index{0}), {}};
  result.error = Matrix::Zero(result.value.rows(), result.value.cols());
  if (!fit.noisy()) return result;
  std::vector<Matrix> without_one;
  for (Index version = 1; version < fit.versions(); ++version)
    without_one.push_back(statistic(version));
  result.error = jackknife_error(without_one, confidence);
  return result;
}

// (q×size): the parts of the variance of each component as shares of it; 0 where it has none.
Matrix variance_shares(const CrossFit& fit, const IndexSet& indices, const Pairs& pairs,
                       Index version) {
  const VarianceParts parts = variance_parts(indices, fit.squares(version), pairs);
  Matrix shares(parts.main.rows(), 2 * parts.main.cols() + parts.pairwise.cols());
  shares << parts.main, parts.total, parts.pairwise;
  for (Index i = 0; i < shares.rows(); ++i) {
    if (parts.variance(i) > 0) {
      shares.row(i) /= parts.variance(i);
    } else {
      shares.row(i).setZero();
    }
  }
  return shares;
}

void set_sobol_indices(const Expansion& expansion, const CrossFit& fit, const Accuracy& accuracy,
                       Statistics& statistics) {
  const Index d = expansion.measure().dimension();
  const auto P = static_cast<Index>(statistics.pairs.size());
  const Fitted shares = fitted(fit, accuracy.confidence, [&](Index version) {
    return variance_shares(fit, expansion.basis().indices(), statistics.pairs, version);
  });
  for (Index i = 0; i < shares.value.rows(); ++i) {
    OutputStatistics& output = statistics.outputs[static_cast<std::size_t>(i)];
    const double angle = largest_angle(accuracy.components(i), output.sd.value);
    const auto estimate = [&](Index column) {
      return share_estimate(shares.value(i, column), shares.error(i, column), angle);
    };
    output.main.clear();
    output.total.clear();
    output.pairwise.clear();
    for (Index k = 0; k < d; ++k) {
      output.main.push_back(estimate(k));
      output.total.push_back(estimate(d + k));
    }
    for (Index p = 0; p < P; ++p) output.pairwise.push_back(estimate(2 * d + p));
  }
}

// `theta` is parameter_coefficients(expansion).
void set_correlations(const Expansion& expansion, const Matrix& theta, const CrossFit& fit,
                      const Accuracy& accuracy, Statistics& statistics) {
  const Vector sd = parameter_deviations(expansion.measure());
  const Fitted correlations = fitted(fit, accuracy.confidence, [&](Index version) {
    Matrix result = fit.mean(version).transpose() * theta;
    const Vector variance = fit.variance(version);
    for (Index i = 0; i < result.rows(); ++i) {
      for (Index k = 0; k < result.cols(); ++k) {
        const double scale = std::sqrt(std::max(0.0, variance(i))) * sd(k);
        result(i, k) = scale > 0 ? result(i, k) / scale : 0;
      }
    }
    return result;
  });
  for (Index i = 0; i < correlations.value.rows(); ++i) {
    OutputStatistics& output = statistics.outputs[static_cast<std::size_t>(i)];
    const double angle = largest_angle(accuracy.components(i), output.sd.value);
    output.correlation.clear();
    for (Index k = 0; k < correlations.value.cols(); ++k) {
      output.correlation.push_back(
          correlation_estimate(correlations.value(i, k), correlations.error(i, k), angle));
    }
  }
}

// Cov(x_i, θ_k)/Var θ_k. An error e moves it by E[e (θ_k − mean)]/Var θ_k, at most ‖e‖/sd.
void set_slopes(const Expansion& expansion, const Matrix& theta, const CrossFit& fit,
                const Accuracy& accuracy, Statistics& statistics) {
  const Vector sd = parameter_deviations(expansion.measure());
  const Fitted covariances = fitted(fit, accuracy.confidence, [&](Index version) -> Matrix {
    return fit.mean(version).transpose() * theta;
  });
  for (Index i = 0; i < covariances.value.rows(); ++i) {
    std::vector<Estimate>& slope = statistics.outputs[static_cast<std::size_t>(i)].slope;
    slope.clear();
    for (Index k = 0; k < sd.size(); ++k) {
      slope.push_back(
          sd(k) > 0 ? Estimate{covariances.value(i, k) / (sd(k) * sd(k)),
                               (covariances.error(i, k) / sd(k) + accuracy.components(i)) / sd(k)}
                    : Estimate{0, 0});
    }
  }
}

// Skewness and kurtosis (q×3: third, fourth, sixth standardised moment) by an exact rule.
Matrix shapes(const Expansion& expansion, const Coefficients& u, const GermRule& rule) {
  const Index points = rule.eta.rows(), most = std::max<Index>(1, rule_memory / points);
  Matrix result(u.cols(), 3);
  for (Index from = 0; from < u.cols(); from += most) {
    const Index count = std::min(most, u.cols() - from);
    const Expansion part(expansion.measure(), expansion.basis(), u.middleCols(from, count));
    Matrix x(points, count);
    for (Index first = 0; first < points; first += block_size) {
      const Index n = std::min(block_size, points - first);
      x.middleRows(first, n) = part.evaluate_germ(rule.eta.middleRows(first, n));
    }
    for (Index i = 0; i < count; ++i) {
      const ShapeMoments shape = shape_moments(x.col(i), rule.weights);
      result.row(from + i) << shape.third, shape.fourth, shape.sixth;
    }
  }
  return result;
}

// ‖e‖₄ ≤ growth · ‖e‖ for every e = Σ e_i ψ_i: Σ|e_i| ‖ψ_i‖₄ ≤ ‖e‖ √(Σ ‖ψ_i‖₄²). In a normal
// parameter ‖ψ_n‖₄ grows like 3^(n/2).
double fourth_norm_growth(const Expansion& expansion, const GermRule& rule) {
  const Index m = expansion.coefficients().rows();
  Vector fourth = Vector::Zero(m);
  BasisBlock psi;
  for (Index first = 0; first < rule.eta.rows(); first += block_size) {
    const Index n = std::min(block_size, rule.eta.rows() - first);
    expansion.basis().evaluate(rule.eta.middleRows(first, n), m, psi);
    for (Index j = 0; j < m; ++j) {
      for (Index i = 0; i < n; ++i) fourth(j) += rule.weights(first + i) * std::pow(psi(i, j), 4);
    }
  }
  return std::sqrt(fourth.cwiseSqrt().sum());
}

struct ShapeBars {
  double skewness, kurtosis;
};

// What an error of norm ε does to skewness and kurtosis: to first order, for every error; and to all
// orders for errors in the span of the basis, by Minkowski's inequality in L⁴. The larger one counts.
ShapeBars shape_bars(double epsilon, double growth, const ShapeMoments& shape) {
  const Propagated first = propagate_component(epsilon, shape);
  if (!(epsilon < shape.sd)) return {infinity, infinity};
  const double shrunk = shape.sd / (shape.sd - epsilon);  // the deviation may be smaller by ε
  const double norm = std::pow(std::max(1.0, shape.fourth), 0.25);
  const double moved = norm + growth * epsilon / shape.sd;
  const double third = std::pow(moved, 3) * std::pow(shrunk, 3) - std::pow(norm, 3);
  const double fourth = std::pow(moved, 4) * std::pow(shrunk, 4) - std::pow(norm, 4);
  return {std::max(first.skewness, third), std::max(first.kurtosis, fourth)};
}

// The exact moments of an expansion of high degree in an unbounded parameter are those of its tails,
// which no point of the run has seen: then sampling knows more, and its bar is smaller.
void take_better(const Estimate& exact, Estimate& best) {
  if (std::isfinite(exact.value) && exact.error < best.error) best = exact;
}

void set_shapes(const Expansion& expansion, const CrossFit& fit, const Accuracy& accuracy,
                double work, Statistics& statistics) {
  const auto m = static_cast<double>(expansion.coefficients().rows()),
             q = static_cast<double>(expansion.coefficients().cols()),
             versions = static_cast<double>(fit.versions());
  const double affordable = std::min(largest_rule, work / (versions * m * (q + 1)));
  const std::optional<GermRule> rule = fourth_power_rule(expansion, static_cast<Index>(affordable));
  if (!rule) return;
  Fitted shape{shapes(expansion, fit.mean(0), *rule), {}};
  shape.error = Matrix::Zero(shape.value.rows(), shape.value.cols());
  if (fit.noisy()) {
    std::vector<Matrix> without_one;
    Matrix mean = shape.error;
    const auto G = static_cast<double>(fit.versions() - 1);
    for (Index version = 1; version < fit.versions(); ++version) {
      without_one.push_back(shapes(expansion, fit.mean(version), *rule));
      mean += without_one.back() / G;
    }
    shape.value += (G - 1) * (shape.value - mean);
    shape.error = jackknife_error(without_one, accuracy.confidence);
  }
  const double growth = fourth_norm_growth(expansion, *rule);
  for (Index i = 0; i < shape.value.rows(); ++i) {
    OutputStatistics& output = statistics.outputs[static_cast<std::size_t>(i)];
    const ShapeMoments moments{.mean = output.mean.value,
                               .sd = output.sd.value,
                               .third = shape.value(i, 0),
                               .fourth = shape.value(i, 1),
                               .sixth = shape.value(i, 2)};
    const Estimate skewness{moments.third, shape.error(i, 0)},
        kurtosis{moments.fourth - 3, shape.error(i, 1)};
    const double rounding = 1e-15 * std::hypot(moments.mean, moments.sd);
    const double epsilon = std::max(accuracy.components(i), rounding);
    const ShapeBars bars = shape_bars(epsilon, growth, moments);
    take_better({skewness.value, skewness.error + bars.skewness}, output.skewness);
    take_better({kurtosis.value, kurtosis.error + bars.kurtosis}, output.excess_kurtosis);
  }
}

// |⟨x̃_i + e_i, x̃_j + e_j⟩ − ⟨x̃_i, x̃_j⟩| ≤ σ_i ε_j + σ_j ε_i + ε_i ε_j
void set_exact_covariance(const CrossFit& fit, const Accuracy& accuracy, Statistics& statistics) {
  const Fitted covariance =
      fitted(fit, accuracy.confidence, [&](Index version) { return fit.covariance(version); });
  const Vector& epsilon = accuracy.components;
  const Index q = epsilon.size();
  statistics.covariance.topLeftCorner(q, q) = covariance.value;
  for (Index i = 0; i < q; ++i) {
    for (Index j = 0; j < q; ++j) {
      const double si = statistics.outputs[static_cast<std::size_t>(i)].sd.value,
                   sj = statistics.outputs[static_cast<std::size_t>(j)].sd.value;
      statistics.covariance_error(i, j) =
          covariance.error(i, j) + si * epsilon(j) + sj * epsilon(i) + epsilon(i) * epsilon(j);
    }
  }
}

}  // namespace

void set_exact_components(const Expansion& expansion, const CrossFit& fit, const Accuracy& accuracy,
                          double work, Statistics& statistics) {
  const Index q = expansion.coefficients().cols();
  const Vector& epsilon = accuracy.components;
  const Fitted means = fitted(fit, accuracy.confidence,
                              [&](Index version) -> Matrix { return fit.mean(version).row(0); });
  const Fitted variances = fitted(fit, accuracy.confidence,
                                  [&](Index version) -> Matrix { return fit.variance(version); });
  for (Index i = 0; i < q; ++i) {
    OutputStatistics& output = statistics.outputs[static_cast<std::size_t>(i)];
    output.mean = {means.value(0, i), means.error(0, i) + epsilon(i)};
    const DeviationBar bar = deviation(variances.value(i, 0), variances.error(i, 0));
    output.sd = {bar.value, bar.error + epsilon(i)};
  }
  if (statistics.covariance.size() > 0) set_exact_covariance(fit, accuracy, statistics);
  const Matrix theta = parameter_coefficients(expansion);
  set_correlations(expansion, theta, fit, accuracy, statistics);
  set_slopes(expansion, theta, fit, accuracy, statistics);
  set_sobol_indices(expansion, fit, accuracy, statistics);
  set_shapes(expansion, fit, accuracy, work, statistics);
}

}  // namespace chaosgrad::internal
