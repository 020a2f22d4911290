#include "solution/statistics/bars.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "numeric/quantiles.h"

namespace chaosgrad::internal {
namespace {

// Σ (T_g − mean)², elementwise.
Matrix squared_deviations(const std::vector<Matrix>& values) {
  Matrix mean = Matrix::Zero(values[0].rows(), values[0].cols());
  for (const Matrix& value : values) mean += value / static_cast<double>(values.size());
  Matrix sum = Matrix::Zero(mean.rows(), mean.cols());
  for (const Matrix& value : values) sum += (value - mean).cwiseAbs2();
  return sum;
}

}  // namespace

double student_t(Index degrees, double confidence) {
  return student_quantile(static_cast<double>(degrees), 0.5 * (1 + confidence));
}

Matrix jackknife_error(const std::vector<Matrix>& without_one, double confidence) {
  const auto G = static_cast<double>(without_one.size());
  return student_t(static_cast<Index>(without_one.size()) - 1, confidence) *
         (squared_deviations(without_one) * ((G - 1) / G)).cwiseSqrt();
}

Matrix scatter_error(const std::vector<Matrix>& values, double confidence) {
  const auto R = static_cast<double>(values.size());
  return student_t(static_cast<Index>(values.size()) - 1, confidence) *
         (squared_deviations(values) / (R * (R - 1))).cwiseSqrt();
}

DeviationBar deviation(double variance, double error) {
  const double value = std::sqrt(std::max(0.0, variance));
  const double low = std::sqrt(std::max(0.0, variance - error));
  const double high = std::sqrt(std::max(0.0, variance + error));
  return {value, std::max(value - low, high - value)};
}

double largest_angle(double epsilon, double sd) {
  return epsilon < sd ? std::asin(epsilon / sd) : std::numbers::pi;
}

double correlation_bar(double correlation, double angle) {
  const double at = std::acos(std::clamp(correlation, -1.0, 1.0));
  const double up = std::cos(std::max(0.0, at - angle));
  const double down = std::cos(std::min(std::numbers::pi, at + angle));
  return std::max(up - std::cos(at), std::cos(at) - down);
}

double share_bar(double share, double angle) {
  const double at = std::acos(std::sqrt(std::clamp(share, 0.0, 1.0)));
  const double up = std::cos(std::max(0.0, at - angle));
  const double down = std::cos(std::min(std::numbers::pi / 2, at + angle));
  const double middle = std::cos(at);
  return std::max(up * up - middle * middle, middle * middle - down * down);
}

Estimate correlation_estimate(double value, double sampling, double angle) {
  const double correlation = std::clamp(value, -1.0, 1.0);
  return {correlation,
          std::min(sampling + correlation_bar(correlation, angle), 1 + std::abs(correlation))};
}

Estimate share_estimate(double value, double sampling, double angle) {
  const double share = std::clamp(value, 0.0, 1.0);
  return {share, std::min(sampling + share_bar(share, angle), std::max(share, 1 - share))};
}

double quantile_bar(const Vector& sorted, double p, double epsilon, double confidence) {
  if (!std::isfinite(epsilon)) return infinity;
  // With Q* the true quantile function, ∫(Q* − Q)² dp ≤ ε², and Q* is monotone: for every h
  //   Q*(p) ≤ (1/h) ∫_p^{p+h} Q* ≤ (1/h) ∫_p^{p+h} Q + ε/√h, and the same downwards.
  const auto n = static_cast<double>(sorted.size());
  const auto at = std::clamp<Index>(static_cast<Index>(p * n), 0, sorted.size() - 1);
  const double quantile = sorted(at);
  double up = infinity, down = infinity;
  for (Index count = 1; count < sorted.size(); count = std::max(count + 1, count * 5 / 4)) {
    const double reach = epsilon / std::sqrt(static_cast<double>(count) / n);
    if (at + count <= sorted.size())
      up = std::min(up, sorted.segment(at, count).mean() + reach - quantile);
    if (at + 1 - count >= 0)
      down = std::min(down, quantile - sorted.segment(at + 1 - count, count).mean() + reach);
  }
  return std::min(std::max(up, down), epsilon / std::sqrt(1 - confidence));
}

}  // namespace chaosgrad::internal
