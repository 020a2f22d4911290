#include "curvature/hessian_noise.h"

#include <algorithm>
#include <cmath>

#include "numeric/decompositions.h"
#include "numeric/symmetric.h"
#include "random/random.h"

namespace chaosgrad::internal {
namespace {

// Σ w² (value_j − mean)² over (Σ w)², the variance of a weighted mean.
template <class Value>
double variance_of_mean(const HessianSamples& samples, double mean, const Value& value) {
  double sum = 0;
  for (std::size_t j = 0; j < samples.hessians.size(); ++j) {
    const double w = samples.weights(static_cast<Index>(j));
    if (w > 0) sum += std::pow(w * (value(samples.hessians[j]) - mean), 2);
  }
  return sum / std::pow(samples.weights.sum(), 2);
}

double quotient(const Matrix& hessian, const Vector& v) { return v.dot(hessian * v); }

// Those of `samples` with an even or odd number whose quarter is `quarter` of column `parameter`.
HessianSamples half_of(const HessianSamples& samples, const Matrix& levels,
                       std::optional<Index> parameter, int quarter, std::size_t half) {
  std::vector<Index> rows;
  for (std::size_t j = half; j < samples.hessians.size(); j += 2) {
    const auto i = static_cast<Index>(j);
    const bool inside =
        !parameter || std::min(static_cast<int>(4 * levels(i, *parameter)), 3) == quarter;
    if (inside && samples.weights(i) > 0) rows.push_back(i);
  }
  HessianSamples part{Matrix(0, 0), Vector(static_cast<Index>(rows.size())), {}};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    part.weights(static_cast<Index>(k)) = samples.weights(rows[k]);
    part.hessians.push_back(samples.hessians[static_cast<std::size_t>(rows[k])]);
  }
  return part;
}

// Of differences over 3 % of x, relative to the Hessian. Origin: h/2 of the third derivative.
constexpr double difference_bias = 0.05;
// A standard error wants some terms.
constexpr std::size_t least_terms = 32;

std::optional<Concavity> concavity_in(const HessianSamples& samples, const Matrix& levels,
                                      std::optional<Index> parameter, int quarter, double z) {
  const HessianSamples first = half_of(samples, levels, parameter, quarter, 0),
                       second = half_of(samples, levels, parameter, quarter, 1);
  if (first.hessians.size() < least_terms || second.hessians.size() < least_terms) return {};
  const SymmetricEigen eigen = symmetric_eigen(symmetric_part(mean_hessian(first)));
  Concavity found{.curvature = 0,
                  .error = 0,
                  .direction = eigen.vectors.col(0),
                  .parameter = parameter,
                  .quarter = quarter};
  const Matrix mean = mean_hessian(second);
  found.curvature = quotient(mean, found.direction);
  found.error = quotient_errors(second, mean, found.direction)(0);
  // What differences over a finite step get wrong shows as asymmetry, too, and is some percent.
  const double bias =
      std::max(0.5 * (mean - mean.transpose()).norm(), difference_bias * mean.norm());
  if (!(found.curvature < -z * found.error) || !(found.curvature < -bias)) return {};
  return found;
}

}  // namespace

Matrix mean_hessian(const HessianSamples& samples) {
  Matrix sum = Matrix::Zero(samples.hessians.front().rows(), samples.hessians.front().cols());
  for (std::size_t j = 0; j < samples.hessians.size(); ++j) {
    const double w = samples.weights(static_cast<Index>(j));
    if (w > 0) sum += w * samples.hessians[j];
  }
  return sum / samples.weights.sum();
}

Vector quotient_errors(const HessianSamples& samples, const Matrix& mean,
                       const Matrix& directions) {
  Vector errors(directions.cols());
  for (Index k = 0; k < directions.cols(); ++k) {
    const Vector v = directions.col(k);
    errors(k) = std::sqrt(variance_of_mean(samples, quotient(mean, v),
                                           [&](const Matrix& h) { return quotient(h, v); }));
  }
  return errors;
}

Asymmetry asymmetry_of(const HessianSamples& samples, const Matrix& mean) {
  Asymmetry worst;
  for (Index a = 0; a < mean.rows(); ++a) {
    for (Index b = 0; b < a; ++b) {
      const double difference = mean(a, b) - mean(b, a);
      const double variance =
          variance_of_mean(samples, difference, [&](const Matrix& h) { return h(a, b) - h(b, a); });
      // Without any scatter a difference of rounding size is no signal.
      const double rounding = 1e-6 * (std::abs(mean(a, b)) + std::abs(mean(b, a)));
      const double signal = std::abs(difference) / std::max(std::sqrt(variance), rounding);
      if (signal > worst.signal) worst = {signal, a, b};
    }
  }
  return worst;
}

std::optional<Concavity> find_concavity(const HessianSamples& samples, const Matrix& levels,
                                        double alarm) {
  const Index d = levels.cols();
  const double z = normal_quantile(1 - alarm / static_cast<double>(4 * d + 1));
  std::optional<Concavity> clearest = concavity_in(samples, levels, {}, 0, z);
  for (Index k = 0; k < d; ++k) {
    for (int quarter = 0; quarter < 4; ++quarter) {
      const std::optional<Concavity> found = concavity_in(samples, levels, k, quarter, z);
      if (found && (!clearest || found->curvature < clearest->curvature)) clearest = found;
    }
  }
  return clearest;
}

Curvature damped(Curvature curvature, const Vector& standard_errors, double errors) {
  for (Index k = 0; k < curvature.eigenvalues.size(); ++k) {
    double& value = curvature.eigenvalues(k);
    const double floor = errors * standard_errors(k);
    value = std::max(value < -2 * floor ? -value : value, floor);
  }
  return curvature;
}

}  // namespace chaosgrad::internal
