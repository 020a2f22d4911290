#include "solution/statistics/describe.h"

#include <algorithm>
#include <cmath>

#include "solution/statistics/statistic_table.h"

namespace chaosgrad::internal {
namespace {

constexpr double histogram_tail = 1e-3;

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

Vector histogram_edges(const Vector& sorted, Index bins) {
  const double low = sorted_quantile(sorted, histogram_tail);
  const double high = sorted_quantile(sorted, 1 - histogram_tail);
  const double width = (high - low) / static_cast<double>(bins);
  const double scale = std::max(std::abs(low), std::abs(high));
  if (!(width > 1e-13 * scale)) return {};
  return Vector::LinSpaced(bins + 1, low, high);
}

Matrix describe(const OutputSamples& samples, const TableLayout& layout,
                const std::vector<double>& levels, const std::vector<Vector>& edges) {
  const Index n = samples.values.rows(), outputs = samples.values.cols();
  Matrix table = Matrix::Zero(outputs, layout.size());
  const Vector weights = Vector::Constant(n, 1.0 / static_cast<double>(n));
  const Matrix centred = samples.values.rowwise() - samples.values.colwise().mean();
  const Matrix theta = samples.theta.rowwise() - samples.theta.colwise().mean();
  const Matrix with_theta = centred.transpose() * theta / static_cast<double>(n);
  const Vector theta_sd =
      (theta.colwise().squaredNorm() / static_cast<double>(n)).cwiseSqrt().transpose();
  table.middleCols(layout.covariance(0), outputs) =
      centred.transpose() * centred / static_cast<double>(n);
  for (Index j = 0; j < outputs; ++j) {
    const ShapeMoments shape = shape_moments(samples.values.col(j), weights);
    Vector sorted = samples.values.col(j);
    std::sort(sorted.begin(), sorted.end());
    Index column = 0;
    for (const NumberEntry& number : number_statistics())
      table(j, column++) = number.sampled.value({shape, sorted});
    table(j, layout.sixth()) = shape.sixth;
    for (Index l = 0; l < layout.levels; ++l)
      table(j, layout.quantile(l)) = sorted_quantile(sorted, levels[static_cast<std::size_t>(l)]);
    const Vector& edge = edges[static_cast<std::size_t>(j)];
    for (Index b = 0; b + 1 < edge.size(); ++b)
      table(j, layout.bin(b)) = sorted_cdf(sorted, edge(b + 1)) - sorted_cdf(sorted, edge(b));
    for (Index k = 0; k < layout.dimension; ++k) {
      const double scale = shape.sd * theta_sd(k);
      table(j, layout.correlation(k)) = scale > 0 ? with_theta(j, k) / scale : 0;
    }
  }
  return table;
}

}  // namespace chaosgrad::internal
