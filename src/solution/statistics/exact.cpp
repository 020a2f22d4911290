#include "solution/statistics/exact.h"

#include <algorithm>
#include <cmath>

#include "solution/statistics/bars.h"
#include "solution/statistics/propagate.h"

namespace chaosgrad::internal {
namespace {

constexpr Index largest_rule = 1 << 16;  // points

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

void set_correlations(const Expansion& expansion, const CrossFit& fit, const Accuracy& accuracy,
                      Statistics& statistics) {
  const Matrix theta = parameter_coefficients(expansion);
  const Vector sd = parameter_deviations(expansion.measure());
  const Fitted correlations = fitted(fit, accuracy.confidence, [&](Index version) {
    Matrix result = fit.mean(version).transpose() * theta;
    const Vector variance = fit.covariance(version).diagonal();
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
void set_slopes(const Expansion& expansion, const CrossFit& fit, const Accuracy& accuracy,
                Statistics& statistics) {
  const Matrix theta = parameter_coefficients(expansion);
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
  const Expansion version(expansion.measure(), expansion.basis(), u);
  Matrix x(rule.eta.rows(), u.cols());
  for (Index first = 0; first < x.rows(); first += block_size) {
    const Index n = std::min(block_size, x.rows() - first);
    x.middleRows(first, n) = version.evaluate_germ(rule.eta.middleRows(first, n));
  }
  Matrix result(u.cols(), 3);
  for (Index i = 0; i < u.cols(); ++i) {
    const ShapeMoments shape = shape_moments(x.col(i), rule.weights);
    result.row(i) << shape.third, shape.fourth, shape.sixth;
  }
  return result;
}

void set_shapes(const Expansion& expansion, const CrossFit& fit, const Accuracy& accuracy,
                Statistics& statistics) {
  const std::optional<GermRule> rule = fourth_power_rule(expansion, largest_rule);
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
  for (Index i = 0; i < shape.value.rows(); ++i) {
    OutputStatistics& output = statistics.outputs[static_cast<std::size_t>(i)];
    const Propagated propagated =
        propagate_component(accuracy.components(i), {.mean = output.mean.value,
                                                     .sd = output.sd.value,
                                                     .third = shape.value(i, 0),
                                                     .fourth = shape.value(i, 1),
                                                     .sixth = shape.value(i, 2)});
    output.skewness = {shape.value(i, 0), shape.error(i, 0) + propagated.skewness};
    output.excess_kurtosis = {shape.value(i, 1) - 3, shape.error(i, 1) + propagated.kurtosis};
  }
}

}  // namespace

void set_exact_components(const Expansion& expansion, const CrossFit& fit, const Accuracy& accuracy,
                          Statistics& statistics) {
  const Index q = expansion.coefficients().cols();
  const Vector& epsilon = accuracy.components;
  const Fitted means = fitted(fit, accuracy.confidence,
                              [&](Index version) -> Matrix { return fit.mean(version).row(0); });
  const Fitted covariance =
      fitted(fit, accuracy.confidence, [&](Index version) { return fit.covariance(version); });
  for (Index i = 0; i < q; ++i) {
    OutputStatistics& output = statistics.outputs[static_cast<std::size_t>(i)];
    output.mean = {means.value(0, i), means.error(0, i) + epsilon(i)};
    const DeviationBar bar = deviation(covariance.value(i, i), covariance.error(i, i));
    output.sd = {bar.value, bar.error + epsilon(i)};
  }
  statistics.covariance.topLeftCorner(q, q) = covariance.value;
  for (Index i = 0; i < q; ++i) {
    for (Index j = 0; j < q; ++j) {
      // |⟨x̃_i + e_i, x̃_j + e_j⟩ − ⟨x̃_i, x̃_j⟩|
      const double si = statistics.outputs[static_cast<std::size_t>(i)].sd.value,
                   sj = statistics.outputs[static_cast<std::size_t>(j)].sd.value;
      statistics.covariance_error(i, j) =
          covariance.error(i, j) + si * epsilon(j) + sj * epsilon(i) + epsilon(i) * epsilon(j);
    }
  }
  set_correlations(expansion, fit, accuracy, statistics);
  set_slopes(expansion, fit, accuracy, statistics);
  set_sobol_indices(expansion, fit, accuracy, statistics);
  set_shapes(expansion, fit, accuracy, statistics);
}

}  // namespace chaosgrad::internal
