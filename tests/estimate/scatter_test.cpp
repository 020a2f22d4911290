// Failures that are scattered must rarely be taken for a region, and regions must be seen.
#include "estimate/scatter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/keyed_numbers.h"

namespace chaosgrad::internal {
namespace {

using chaosgrad::testing::signed_numbers;

Matrix uniform_numbers(std::uint64_t key, Index rows, Index columns) {
  return (signed_numbers(key, rows, columns).array() + 1).matrix() / 2;
}

// Points, and of them the rows for which `fails`.
struct Split {
  Matrix failed, others;
};

template <class Fails>
Split split(const Matrix& points, const Fails& fails) {
  std::vector<Index> failed, others;
  for (Index i = 0; i < points.rows(); ++i) (fails(i) ? failed : others).push_back(i);
  return {points(failed, Eigen::all), points(others, Eigen::all)};
}

TEST(Scatter, RandomFailuresAreRarelyTakenForARegion) {
  // 2,000 sets of 300 points in d dimensions of which each fails with probability 3 %. The bound is
  // one: chances below 5 % must come in at most 5 % of the sets, up to four standard errors.
  for (const Index d : {1, 2, 10}) {
    int alarms = 0;
    constexpr int sets = 2000;
    for (int set = 0; set < sets; ++set) {
      const auto key = static_cast<std::uint64_t>(10000 * d + set);
      const Matrix points = uniform_numbers(key, 300, d + 1);  // the last column decides
      const Split parts = split(points.leftCols(d), [&](Index i) { return points(i, d) < 0.03; });
      if (parts.failed.rows() > 0) alarms += scatter(parts.failed, parts.others).chance < 0.05;
    }
    EXPECT_LE(alarms, 0.05 * sets + 4 * std::sqrt(0.05 * sets)) << "d = " << d;
  }
}

TEST(Scatter, RegionsAreSeenAndNamed) {
  const Matrix points = uniform_numbers(7, 400, 5);
  const Split corner =
      split(points, [&](Index i) { return std::min(points(i, 1), points(i, 3)) > 0.8; });
  EXPECT_LT(scatter(corner.failed, corner.others).chance, 0.01);
  const Split side = split(points, [&](Index i) { return points(i, 2) < 0.03; });
  EXPECT_LT(scatter(side.failed, side.others).chance, 0.01);
  EXPECT_EQ(scatter(side.failed, side.others).axis, 2);
  const Split inside = split(points, [&](Index i) {
    return std::max(std::abs(points(i, 0) - 0.5), std::abs(points(i, 1) - 0.5)) < 0.15;
  });
  EXPECT_LT(scatter(inside.failed, inside.others).chance, 0.01);
}

TEST(Scatter, UnitsDoNotCountAndTiesDoNot) {
  const Matrix a = uniform_numbers(8, 9, 2), b = uniform_numbers(9, 80, 2);
  const Matrix cubed_a = a.array().cube(), cubed_b = b.array().cube();
  EXPECT_EQ(scatter(a, b).chance, scatter(cubed_a, cubed_b).chance);
  EXPECT_EQ(scatter(Matrix::Ones(9, 1), Matrix::Ones(80, 1)).chance, 1);  // all at one place
  EXPECT_EQ(scatter(Matrix(0, 2), b).chance, 1);
}

TEST(Scatter, TheDistanceIsThatOfKolmogorovAndSmirnov) {
  // {1, 2} among {3, 4, 5, 6}: D = 1, kn/(k + n) = 8/6.
  Matrix a(2, 1), b(4, 1);
  a << 1, 2;
  b << 3, 4, 5, 6;
  EXPECT_NEAR(scatter(a, b).chance, 2 * std::exp(-2 * 8.0 / 6), 1e-15);
}

}  // namespace
}  // namespace chaosgrad::internal
