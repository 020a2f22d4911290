#include "solution/statistics/describe.h"

namespace chaosgrad::internal {
namespace {

// Means over the samples of products of two outputs at two points, output by output.
Vector mean_product(const Matrix& a, const Matrix& b) {
  return a.cwiseProduct(b).colwise().mean().transpose();
}

}  // namespace

void add_sobol_indices(const OutputSampler& sampler, const Matrix& u, const Coefficients& u_hat,
                       const NoiseRule& noise, const Pairs& pairs, Index first,
                       const TableLayout& layout, Matrix& table) {
  const Index d = layout.dimension, count = layout.outputs - first;
  const auto values = [&](const Matrix& points) -> Matrix {
    return sampler.at(points, u_hat, noise).values.rightCols(count);
  };
  const Matrix points_a = u.leftCols(d), points_b = u.rightCols(d);
  Matrix a = values(points_a), b = values(points_b);
  const Eigen::RowVectorXd mean = 0.5 * (a.colwise().mean() + b.colwise().mean());
  a.rowwise() -= mean;
  b.rowwise() -= mean;
  const Vector variance = 0.5 * (mean_product(a, a) + mean_product(b, b));
  const auto share = [&](const Vector& part) -> Vector {
    return (variance.array() > 0).select(part.cwiseQuotient(variance), 0);
  };

  // a_k: point a with coordinate k of b; b_k the other way round.
  std::vector<Matrix> a_with, b_with;
  Matrix main(count, d);
  for (Index k = 0; k < d; ++k) {
    Matrix points = points_a;
    points.col(k) = points_b.col(k);
    a_with.push_back(values(points).rowwise() - mean);
    points = points_b;
    points.col(k) = points_a.col(k);
    b_with.push_back(values(points).rowwise() - mean);
    const Matrix &a_k = a_with.back(), &b_k = b_with.back();
    // b and a_k share coordinate k alone; a and a_k share all but k.
    main.col(k) = share(0.5 * (mean_product(b, a_k - a) + mean_product(a, b_k - b)));
    table.col(layout.main(k)).tail(count) = main.col(k);
    table.col(layout.total(k)).tail(count) =
        share(0.25 * (mean_product(a - a_k, a - a_k) + mean_product(b - b_k, b - b_k)));
  }
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    // b_k and a_l share coordinates k and l alone.
    const auto k = static_cast<std::size_t>(pairs[p].first),
               l = static_cast<std::size_t>(pairs[p].second);
    const Vector both =
        0.5 * (mean_product(b_with[k], a_with[l]) + mean_product(b_with[l], a_with[k])) -
        mean_product(a, b);
    table.col(layout.pair(static_cast<Index>(p))).tail(count) =
        share(both) - main.col(pairs[p].first) - main.col(pairs[p].second);
  }
}

}  // namespace chaosgrad::internal
