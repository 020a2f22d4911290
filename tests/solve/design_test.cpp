// What a design of many parameters rests on: fits with other penalties, what a fit cannot explain of
// a further function, and which functions come next.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "estimate/weighted_fit.h"
#include "numeric/decompositions.h"
#include "random/random.h"
#include "samples/basis_table.h"
#include "solve/collocation/design/mixture_growth.h"

namespace chaosgrad::internal {
namespace {

Matrix uniform_numbers(Index rows, Index columns, std::uint64_t id) {
  Matrix u(rows, columns);
  fill_uniform(make_stream(1, Purpose::test, id), 0, u);
  return u;
}

TEST(WeightedDesign, OtherPenaltiesAreAsGood) {
  const Matrix psi = uniform_numbers(40, 12, 1);
  const Vector weights = uniform_numbers(40, 1, 2).col(0).array() + 0.5;
  const Vector penalties = uniform_numbers(12, 1, 3).col(0);
  Executor executor(1);
  auto changed = WeightedDesign::make(psi, weights, Vector::Ones(12), executor);
  ASSERT_TRUE(changed);
  ASSERT_TRUE(changed->penalise(penalties, executor));
  const auto made = WeightedDesign::make(psi, weights, penalties, executor);
  ASSERT_TRUE(made);
  const Matrix x = uniform_numbers(40, 3, 4);
  EXPECT_EQ(changed->fit(x, executor).u, made->fit(x, executor).u);
  EXPECT_EQ(changed->slack(), made->slack());
  EXPECT_EQ(changed->determined(), made->determined());
}

// min_u Σ w (c − ψᵀu)² + Σ p u², by the normal equations.
TEST(WeightedDesign, WhatIsUnexplainedOfAColumn) {
  const Matrix psi = uniform_numbers(30, 8, 5), columns = uniform_numbers(30, 4, 6);
  const Vector weights = uniform_numbers(30, 1, 7).col(0).array() + 0.5;
  const Vector penalties = uniform_numbers(8, 1, 8).col(0);
  Executor executor(1);
  const auto design = WeightedDesign::make(psi, weights, penalties, executor);
  ASSERT_TRUE(design);
  const Vector found = design->unexplained(columns);
  const Matrix normal =
      psi.transpose() * weights.asDiagonal() * psi + Matrix(penalties.asDiagonal());
  for (Index k = 0; k < columns.cols(); ++k) {
    const Vector c = columns.col(k);
    const Vector u = solve_positive(normal, psi.transpose() * weights.cwiseProduct(c));
    const Vector rest = c - psi * u;
    const double least = weights.dot(rest.cwiseAbs2()) + penalties.dot(u.cwiseAbs2());
    EXPECT_NEAR(found(k), least, 1e-10 * weights.dot(c.cwiseAbs2()));
  }
}

// Without residuals the functions come by their variances: those of a large box, sorted.
TEST(Growth, TakesTheFunctionsOfLargestVariance) {
  using namespace collocation;
  const Vector decay{{1.0, 0.7, 1.9, 3.1}};
  const std::vector<Family> families(3, Family(Distribution(Uniform{-1, 1})));
  const Basis basis(families, IndexSet::first(3, 4));
  const Matrix eta = 2 * uniform_numbers(10, 3, 9).array() - 1;
  Executor executor(1);
  const auto design = WeightedDesign::make(basis_table(basis, eta, 4, executor), Vector::Ones(10),
                                           Vector::Ones(4), executor);
  ASSERT_TRUE(design);
  const Fit fit{.basis = basis,
                .u = Coefficients::Ones(4, 1),
                .weights = Vector::Ones(10),
                .left_out = Matrix::Zero(10, 1),
                .slack = Vector::Ones(10),
                .prior = {.noise = 1, .decay = decay, .variances = Vector::Ones(4)}};
  const Grown grown = grow_basis(fit, *design, eta, 60, {}, executor);
  std::vector<std::pair<double, MultiIndex>> all;
  for (int i = 0; i < 30; ++i) {
    for (int j = 0; j < 30; ++j) {
      for (int k = 0; k < 30; ++k)
        all.emplace_back(-(0.7 * i + 1.9 * j + 3.1 * k), MultiIndex{i, j, k});
    }
  }
  std::sort(all.rbegin(), all.rend());
  std::set<MultiIndex> expected;
  for (std::size_t i = 0; i < 60; ++i) expected.insert(all[i].second);
  ASSERT_EQ(grown.indices.size(), 60);
  for (const MultiIndex& index : grown.indices.indices()) EXPECT_TRUE(expected.contains(index));
  for (Index i = 4; i < 60; ++i)
    EXPECT_DOUBLE_EQ(grown.prior.variances(i), std::exp(fit.prior.log_variance(grown.indices[i])));
}

}  // namespace
}  // namespace chaosgrad::internal
