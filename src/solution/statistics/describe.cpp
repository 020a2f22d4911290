#include "solution/statistics/describe.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "solution/statistics/statistic_table.h"

namespace chaosgrad::internal {
namespace {

constexpr double histogram_tail = 1e-3;
// Ranks of |z| from the top that two ranges of rare values are made of: 8 to 31 and 32 to 127. Each
// has a quarter of the probability of the next; values beyond rank 8 are too few to tell.
constexpr Index rare = 8, seldom = 32, ends = 128;

}  // namespace

ShapeMoments shape_moments(const Vector& values, const Vector& weights) {
  ShapeMoments shape;
  shape.mean = weights.dot(values);
  const Eigen::ArrayXd centred = values.array() - shape.mean;
  shape.sd = std::sqrt(weights.dot(centred.square().matrix()));
  if (shape.sd == 0) return shape;
  const Eigen::ArrayXd z = centred / shape.sd;
  shape.third = weights.dot(z.cube().matrix());
  shape.fourth = weights.dot(z.square().square().matrix());
  shape.sixth = weights.dot(z.cube().square().matrix());
  return shape;
}

void Extremes::add(const Vector& sorted) {
  const Index n = sorted.size(), count = std::min(ends, n / 2);
  values.insert(values.end(), sorted.begin(), sorted.begin() + count);
  values.insert(values.end(), sorted.end() - count, sorted.end());
  samples += n;
}

double beyond_samples(const Extremes& extremes, double mean, double sd, int power) {
  if (!std::isfinite(mean) || !std::isfinite(sd)) return infinity;
  if (sd == 0) return 0;
  std::vector<double> terms;
  for (const double value : extremes.values)
    terms.push_back(std::pow(std::abs(value - mean) / sd, power));
  const auto count = std::min<std::size_t>(terms.size(), ends);
  std::partial_sort(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(count), terms.end(),
                    std::greater<>());
  const auto sum = [&](Index from, Index to) {
    double total = 0;
    for (Index i = from; i < std::min<Index>(to, static_cast<Index>(count)); ++i)
      total += terms[static_cast<std::size_t>(i)];
    return total / static_cast<double>(extremes.samples);
  };
  // If every range that is a quarter as probable adds r times as much as the one before, all that
  // are rarer than the last one add r + r² + … times what it adds.
  const double last = sum(rare, seldom), before = sum(seldom, ends);
  const double ratio = last / before;
  return ratio < 1 ? last * ratio / (1 - ratio) : infinity;
}

double sorted_quantile(const Vector& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size()) - 0.5;
  const auto below = std::clamp<Index>(static_cast<Index>(std::floor(at)), 0, sorted.size() - 1);
  const Index above = std::min(below + 1, sorted.size() - 1);
  const double part = std::clamp(at - static_cast<double>(below), 0.0, 1.0);
  return sorted(below) + part * (sorted(above) - sorted(below));
}

double sorted_cdf(const Vector& sorted, double t) {
  const auto count = std::upper_bound(sorted.begin(), sorted.end(), t) - sorted.begin();
  return static_cast<double>(count) / static_cast<double>(sorted.size());
}

double sorted_mass(const Vector& sorted, double from, double to, bool closed) {
  if (!closed) return sorted_cdf(sorted, to) - sorted_cdf(sorted, from);
  const auto below = std::lower_bound(sorted.begin(), sorted.end(), from) - sorted.begin();
  return sorted_cdf(sorted, to) - static_cast<double>(below) / static_cast<double>(sorted.size());
}

Vector histogram_edges(const Vector& sorted, Index bins) {
  const double low = sorted_quantile(sorted, histogram_tail);
  const double high = sorted_quantile(sorted, 1 - histogram_tail);
  const double width = (high - low) / static_cast<double>(bins);
  const double scale = std::max(std::abs(low), std::abs(high));
  if (!(width > 1e-13 * scale)) return {};
  return Vector::LinSpaced(bins + 1, low, high);
}

Matrix describe(const OutputSamples& samples, const std::vector<Vector>& sorted,
                const TableLayout& layout, const std::vector<double>& levels,
                const std::vector<Vector>& edges) {
  const Index n = samples.values.rows(), outputs = samples.values.cols();
  const Index exact = layout.first_inexact, sampled = outputs - exact;
  const auto count = static_cast<double>(n);
  Matrix table = Matrix::Zero(outputs, layout.size());
  const Vector weights = Vector::Constant(n, 1.0 / count);
  for (Index j = 0; j < outputs; ++j) {
    const ShapeMoments shape = shape_moments(samples.values.col(j), weights);
    const Vector& values = sorted[static_cast<std::size_t>(j)];
    Index column = 0;
    for (const NumberEntry& number : number_statistics())
      table(j, column++) = number.sampled.value({shape, values});
    table(j, layout.sixth()) = shape.sixth;
    for (Index l = 0; l < layout.levels; ++l)
      table(j, layout.quantile(l)) = sorted_quantile(values, levels[static_cast<std::size_t>(l)]);
    const Vector& edge = edges[static_cast<std::size_t>(j)];
    for (Index b = 0; b + 1 < edge.size(); ++b)
      table(j, layout.bin(b)) = sorted_mass(values, edge(b), edge(b + 1), layout.atoms && b == 0);
  }
  if (sampled == 0) return table;
  const Matrix centred = samples.values.rowwise() - samples.values.colwise().mean();
  const Matrix theta = samples.theta.rowwise() - samples.theta.colwise().mean();
  if (layout.covariances > 0) {
    const Matrix covariance = centred.rightCols(sampled).transpose() * centred / count;
    table.block(exact, layout.covariance(0), sampled, outputs) = covariance;
    table.block(0, layout.covariance(exact), exact, sampled) =
        covariance.leftCols(exact).transpose();
  }
  const Matrix with_theta = centred.rightCols(sampled).transpose() * theta / count;
  const Vector theta_sd = (theta.colwise().squaredNorm() / count).cwiseSqrt().transpose();
  for (Index j = exact; j < outputs; ++j) {
    const double sd = centred.col(j).norm() / std::sqrt(count);
    for (Index k = 0; k < layout.dimension; ++k) {
      const double scale = sd * theta_sd(k);
      table(j, layout.correlation(k)) = scale > 0 ? with_theta(j - exact, k) / scale : 0;
    }
  }
  return table;
}

}  // namespace chaosgrad::internal
