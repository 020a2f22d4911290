#include <algorithm>

#include "solution/statistics/describe.h"

namespace chaosgrad::internal {
namespace {

// Means over the samples of products of two outputs at two points, output by output.
Vector mean_product(const Matrix& a, const Matrix& b) {
  return a.cwiseProduct(b).colwise().mean().transpose();
}

// The last `count` outputs, less their mean, at points a and b, and at those that take coordinate k
// from the other: a_with[k], b_with[k]. Rows at which one of all these points has no x are left out.
struct Picked {
  Matrix a, b;
  std::vector<Matrix> a_with, b_with;
};

Picked pick(const OutputSampler& sampler, const Matrix& u, const Coefficients& u_hat,
            const NoiseRule& noise, Index count) {
  const Index d = u.cols() / 2;
  Flags has_x = Flags::Constant(u.rows(), true);
  const auto values = [&](const Matrix& points) -> Matrix {
    const OutputSamples samples = sampler.at(points, u_hat, noise);
    has_x = has_x && samples.has_x;
    return samples.values.rightCols(count);
  };
  const Matrix points_a = u.leftCols(d), points_b = u.rightCols(d);
  Picked picked{values(points_a), values(points_b), {}, {}};
  for (Index k = 0; k < d; ++k) {
    Matrix points = points_a;
    points.col(k) = points_b.col(k);
    picked.a_with.push_back(values(points));
    points = points_b;
    points.col(k) = points_a.col(k);
    picked.b_with.push_back(values(points));
  }
  const auto each = [&](const auto& change) {
    change(picked.a);
    change(picked.b);
    std::ranges::for_each(picked.a_with, change);
    std::ranges::for_each(picked.b_with, change);
  };
  if (!has_x.all()) {
    const std::vector<Index> rows = rows_with(has_x);
    each([&](Matrix& all) { all = Matrix(all(rows, Eigen::all)); });
  }
  const Eigen::RowVectorXd mean = 0.5 * (picked.a.colwise().mean() + picked.b.colwise().mean());
  each([&](Matrix& all) { all.rowwise() -= mean; });
  return picked;
}

}  // namespace

void add_sobol_indices(const OutputSampler& sampler, const Matrix& u, const Coefficients& u_hat,
                       const NoiseRule& noise, const Pairs& pairs, Index first,
                       const TableLayout& layout, Matrix& table) {
  const Index d = layout.dimension, count = layout.outputs - first;
  const Picked picked = pick(sampler, u, u_hat, noise, count);
  const Matrix &a = picked.a, &b = picked.b;
  const Vector variance = 0.5 * (mean_product(a, a) + mean_product(b, b));
  const auto share = [&](const Vector& part) -> Vector {
    return (variance.array() > 0).select(part.cwiseQuotient(variance), 0);
  };

  Matrix main(count, d);
  for (Index k = 0; k < d; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Matrix &a_k = picked.a_with[at], &b_k = picked.b_with[at];
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
    const Vector both = 0.5 * (mean_product(picked.b_with[k], picked.a_with[l]) +
                               mean_product(picked.b_with[l], picked.a_with[k])) -
                        mean_product(a, b);
    table.col(layout.pair(static_cast<Index>(p))).tail(count) =
        share(both) - main.col(pairs[p].first) - main.col(pairs[p].second);
  }
}

}  // namespace chaosgrad::internal
