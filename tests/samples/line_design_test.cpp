// Points on a line, their weights, and least squares of every order, against quadrature and brute
// force.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <set>

#include "chaosgrad/basis.h"
#include "samples/line_design.h"

namespace chaosgrad {
using namespace internal;
namespace {

const Stream stream = make_stream(1, Purpose::test, 70);

Matrix values(const Family& family, const Matrix& points, Index m) {
  Matrix psi(points.rows(), m);
  family.values(points.data(), points.rows(), psi);
  return psi;
}

// A design as a run makes it: n points in stages, for ever more functions.
Matrix design(const Family& family, Index n) {
  Matrix points(0, 1);
  while (points.rows() < n) {
    const Index count = std::min<Index>(n - points.rows(), 3 + points.rows() / 4);
    const LineScale scale(family, std::max<Index>(1, (points.rows() + count) * 4 / 5));
    const Matrix fresh = fill_gaps(family, scale, points, count, stream);
    EXPECT_EQ(fresh.rows(), count);
    if (fresh.rows() == 0) break;
    Matrix all(points.rows() + fresh.rows(), 1);
    all << points, fresh;
    points = all;
  }
  return points;
}

std::vector<Family> families() {
  return {Family(Uniform{-1, 1}), Family(Uniform{-1, 1}, Family::Kind::fourier),
          Family(Normal{0, 1}), Family(Exponential{1}), Family(Beta{0.5, 3, 0, 1})};
}

// With a quarter more points than functions the Gram matrix is far from singular.
TEST(LineDesign, LeastSquaresIsStableWithFewPoints) {
  for (const Family& family : families()) {
    for (const Index m : {4, 16, 40}) {
      const Matrix points = design(family, m + std::max<Index>(3, m / 4));
      ASSERT_EQ(points.rows(), m + std::max<Index>(3, m / 4));
      const Matrix psi = values(family, points, m);
      const Vector weights = cell_weights(LineScale(family, m), points, psi);
      ASSERT_EQ(weights.size(), points.rows());
      const Matrix gram =
          psi.transpose() * weights.asDiagonal() * psi / static_cast<double>(points.rows());
      const Eigen::SelfAdjointEigenSolver<Matrix> eigen(gram);
      EXPECT_GT(eigen.eigenvalues().minCoeff(), 0.05) << m;
      EXPECT_LT(eigen.eigenvalues().maxCoeff(), 3) << m;
    }
  }
}

// F_m at the Gauss nodes of the family is the sum of ψ²/m below: for one function that is π itself.
TEST(LineDesign, ScaleIsTheDistributionFunction) {
  for (const Family& family : families()) {
    const LineScale scale(family, 1);
    for (const double p : {0.05, 0.3, 0.5, 0.8, 0.97}) {
      const double eta = family.distribution().quantile(p);
      EXPECT_NEAR(scale.to_scale(eta), p, 0.02);
      EXPECT_NEAR(scale.from_scale(scale.to_scale(eta)), eta, 1e-9 * (1 + std::abs(eta)));
    }
  }
}

TEST(LineDesign, ADiscreteDistributionGivesEachValueOnce) {
  const Family family(Discrete{{0, 1, 2, 5, 9}, {0.1, 0.2, 0.3, 0.3, 0.1}});
  const Matrix points = fill_gaps(family, LineScale(family, 4), Matrix(0, 1), 20, stream);
  const std::set<double> distinct(points.data(), points.data() + points.size());
  EXPECT_EQ(points.rows(), 5);  // not 20: there are no more
  EXPECT_EQ(distinct, (std::set<double>{0, 1, 2, 5, 9}));
}

TEST(OrderedFits, AgreesWithNormalEquationsAndWithLeavingOut) {
  const Family family(Uniform{-1, 1});
  const Index n = 20, most = 12;
  const Matrix points = design(family, n), psi = values(family, points, most);
  const Vector weights = cell_weights(LineScale(family, most), points, psi);
  Matrix x(n, 2);
  x << (2 * points.array()).exp(), (3 * points.array()).sin();
  ASSERT_EQ(points.rows(), n);
  const OrderedFits fits(psi, weights, x);
  const auto solve = [&](const Vector& w, Index m) -> Matrix {
    const Matrix a = psi.leftCols(m);
    return (a.transpose() * w.asDiagonal() * a).ldlt().solve(a.transpose() * w.asDiagonal() * x);
  };
  double least = std::numeric_limits<double>::infinity();
  Index best = 0;
  for (Index m = 1; m <= most; ++m) {
    const OrderedFits::Fit fit = fits(m);
    ASSERT_EQ(fit.u.rows(), m);
    ASSERT_EQ(fit.residuals.rows(), n);
    ASSERT_EQ(fit.slack.size(), n);
    EXPECT_LT((fit.u - solve(weights, m)).norm(), 1e-10);
    double left_out = 0;
    for (Index j = 0; j < n; ++j) {
      Vector others = weights;
      others(j) = 0;
      const Vector error = (x.row(j) - psi.row(j).head(m) * solve(others, m)).transpose();
      left_out += weights(j) * error.squaredNorm();
      EXPECT_NEAR(fit.residuals.row(j).norm() / fit.slack(j), std::sqrt(weights(j)) * error.norm(),
                  1e-8);
    }
    if (left_out < least) {
      least = left_out;
      best = m;
    }
  }
  EXPECT_EQ(fits.best_size(most), best);
}

}  // namespace
}  // namespace chaosgrad
