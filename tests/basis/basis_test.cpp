#include "chaosgrad/basis.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <thread>

#include "chaosgrad/error.h"
#include "random/random.h"

namespace chaosgrad {
using namespace internal;
namespace {

constexpr double pi = std::numbers::pi;

Family polynomial(Distribution::Variant distribution) {
  return Family(Distribution(std::move(distribution)));
}
Family fourier(double lower = -pi, double upper = pi) {
  return Family(Distribution(Uniform{lower, upper}), Family::Kind::fourier);
}
Family legendre() { return polynomial(Uniform{-1, 1}); }

// Samples of the germ: independent components, each by its quantile.
Matrix draw(const Basis& basis, Index count, std::uint64_t seed) {
  Matrix u(count, basis.dimension());
  fill_uniform(make_stream(seed, Purpose::test), 0, u);
  for (Index k = 0; k < u.cols(); ++k)
    for (Index s = 0; s < count; ++s)
      u(s, k) = basis.families()[static_cast<std::size_t>(k)].distribution().quantile(u(s, k));
  return u;
}

// Ψ straight from the definition: products of one-dimensional values.
Matrix by_definition(const Basis& basis, const Matrix& eta, Index m) {
  Matrix result = Matrix::Ones(eta.rows(), m);
  for (std::size_t k = 0; k < basis.families().size(); ++k) {
    int degree = 0;
    for (Index i = 0; i < m; ++i) degree = std::max(degree, basis.indices()[i][k]);
    Matrix values(eta.rows(), degree + 1);
    basis.families()[k].values(eta.col(static_cast<Index>(k)).data(), eta.rows(), values);
    for (Index i = 0; i < m; ++i)
      result.col(i).array() *= values.col(basis.indices()[i][k]).array();
  }
  return result;
}

Matrix evaluated(const Basis& basis, const Matrix& eta, Index m) {
  Matrix result(eta.rows(), m);
  BasisBlock psi;
  for (Index first = 0; first < eta.rows(); first += block_size) {
    const Index count = std::min(block_size, eta.rows() - first);
    basis.evaluate(eta.middleRows(first, count), m, psi);
    for (Index s = 0; s < count; ++s)
      for (Index i = 0; i < m; ++i) result(first + s, i) = psi(s, i);
  }
  return result;
}

std::vector<Basis> many_bases() {
  IndexOrder hyperbolic;
  hyperbolic.kind = IndexOrder::Kind::hyperbolic;
  IndexOrder anisotropic;
  anisotropic.weights = Vector::LinSpaced(4, 0.5, 2);
  const Family hermite = polynomial(Normal{0, 1}), laguerre = polynomial(Exponential{2});
  std::vector<Basis> result;
  result.emplace_back(std::vector{fourier()}, IndexSet::first(1, 301));
  result.emplace_back(std::vector{legendre()}, IndexSet::first(1, 100));
  result.emplace_back(std::vector{hermite, laguerre}, IndexSet::first(2, 55));
  result.emplace_back(std::vector{fourier(1, 3), polynomial(Beta{2, 3, 0, 5}), fourier()},
                      IndexSet::first(3, 200, hyperbolic));
  result.emplace_back(std::vector{legendre(), hermite, polynomial(Triangular{0, 1, 4}), laguerre},
                      IndexSet::first(4, 300, anisotropic));
  result.emplace_back(std::vector<Family>(9, legendre()), IndexSet::first(9, 700));
  return result;
}

TEST(Basis, ValuesAreProductsOfOneDimensionalOnes) {
  for (const Basis& basis : many_bases()) {
    const Matrix eta = draw(basis, 200, 1);
    const Matrix value = evaluated(basis, eta, basis.size());
    const Matrix expected = by_definition(basis, eta, basis.size());
    // Recurrences amplify rounding in proportion to the degree.
    EXPECT_LT(((value - expected).array() / (1 + expected.array().abs())).abs().maxCoeff(), 1e-12);
  }
}

// Against sines and cosines in extended precision: the error does not grow with the harmonic.
TEST(Basis, TrigonometricValuesAreAccurate) {
  const Index m = 1001;
  const Basis basis({fourier(-0.5, 0.5)}, IndexSet::first(1, m));
  Matrix eta = draw(basis, 2000, 2);
  for (Index s = 0; s < 500; ++s)  // near multiples of 1/32 of the period
    eta(s) = std::round(32 * eta(s)) / 32 + 1e-4 * (eta(s + 500));
  const Matrix value = evaluated(basis, eta, m);
  long double worst = 0;
  for (Index s = 0; s < eta.rows(); ++s)
    for (Index h = 1; 2 * h < m; ++h) {
      const long double turns = static_cast<long double>(h) * eta(s);  // exact
      const long double angle = 2 * std::numbers::pi_v<long double> * (turns - std::round(turns));
      worst = std::max(worst, std::abs(value(s, 2 * h - 1) - std::sqrt(2.0L) * std::cos(angle)));
      worst = std::max(worst, std::abs(value(s, 2 * h) - std::sqrt(2.0L) * std::sin(angle)));
    }
  EXPECT_LT(worst, 4e-14L);
}

TEST(Basis, OrthonormalUnderTensorGauss) {
  const Basis basis({legendre(), polynomial(Normal{1, 2}), fourier(0, 1)}, IndexSet::first(3, 84));
  const Quadrature rule[] = {basis.families()[0].gauss(8), basis.families()[1].gauss(8),
                             basis.families()[2].gauss(40)};
  Matrix eta(8 * 8 * 40, 3);
  Vector weight(eta.rows());
  for (Index s = 0; s < eta.rows(); ++s) {
    const Index at[] = {s % 8, s / 8 % 8, s / 64};
    weight[s] = 1;
    for (Index k = 0; k < 3; ++k) {
      eta(s, k) = rule[k].nodes[at[k]];
      weight[s] *= rule[k].weights[at[k]];
    }
  }
  const Matrix psi = evaluated(basis, eta, 84);
  const Matrix gram = psi.transpose() * weight.asDiagonal() * psi;
  EXPECT_LT((gram - Matrix::Identity(84, 84)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Basis, PrefixesHaveTheSameBits) {
  for (const Basis& basis : many_bases()) {
    const Matrix eta = draw(basis, 70, 3);
    const Matrix all = evaluated(basis, eta, basis.size());
    for (const Index m : {1, 2, 10, 17, 40, 52, 55, 91, 150}) {
      if (m > basis.size()) continue;
      EXPECT_EQ(evaluated(basis, eta, m), all.leftCols(m));
      const std::vector<MultiIndex>& indices = basis.indices().indices();
      const Basis smaller(basis.families(), IndexSet::from({indices.begin(), indices.begin() + m}));
      EXPECT_EQ(evaluated(smaller, eta, m), all.leftCols(m));
    }
    EXPECT_EQ(evaluated(basis, eta.bottomRows(33), basis.size()), all.bottomRows(33));
  }
}

TEST(Basis, GradientAgreesWithDifferences) {
  for (const Basis& basis : many_bases()) {
    const Index m = std::min<Index>(basis.size(), 60);
    const Matrix eta = draw(basis, 3, 4);
    for (Index s = 0; s < eta.rows(); ++s) {
      const Matrix gradient = basis.gradient(eta.row(s).transpose(), m);
      for (Index k = 0; k < basis.dimension(); ++k) {
        const double h = 1e-5;
        Matrix pair(2, basis.dimension());
        pair << eta.row(s), eta.row(s);
        pair(0, k) -= h;
        pair(1, k) += h;
        const Matrix value = by_definition(basis, pair, m);
        const Vector difference = (value.row(1) - value.row(0)).transpose() / (2 * h);
        const double scale = 1 + gradient.col(k).cwiseAbs().maxCoeff();
        // Third derivatives of degree 60 dominate: relative error h² n⁴ / 6 or so.
        EXPECT_LT((gradient.col(k) - difference).cwiseAbs().maxCoeff(), 1e-3 * scale);
      }
    }
  }
}

TEST(Basis, SupremumOfTrigonometricFunctions) {
  const Basis basis({fourier()}, IndexSet::first(1, 200));
  EXPECT_EQ(basis.Q(1), 1);
  for (Index m = 2; m <= 200; ++m)
    EXPECT_EQ(basis.Q(m), static_cast<double>(m % 2 == 0 ? m + 1 : m));
}

TEST(Basis, SupremumOfLegendreIsAtACorner) {
  const Basis one({legendre()}, IndexSet::first(1, 50));
  for (const Index m : {1, 2, 10, 50})
    EXPECT_NEAR(one.Q(m), static_cast<double>(m * m), 1e-9 * 2500);
  const Basis three(std::vector<Family>(3, legendre()), IndexSet::first(3, 120));
  double sum = 0;
  for (Index m = 1; m <= 120; ++m) {
    double term = 1;
    for (const int n : three.indices()[m - 1]) term *= 2 * n + 1;
    sum += term;
    EXPECT_NEAR(three.Q(m), sum, 1e-10 * sum);
  }
}

// Brute force on a fine grid never exceeds Q and comes close to it.
TEST(Basis, SupremumAgainstAGrid) {
  const Family skew = polynomial(Beta{2, 3, 0, 1}), bent = polynomial(Triangular{0, 1, 4});
  const Family points = polynomial(Discrete{{0, 1, 3, 4}, {0.1, 0.4, 0.3, 0.2}});
  const Family truncated = polynomial(TruncatedNormal{0, 1, -2, 1});
  const Family uneven = polynomial(Discrete{{0, 1, 2, 3}, {0.3, 0.05, 0.35, 0.3}});
  const Family arcs = polynomial(Beta{0.1, 0.15, 0, 1});
  IndexOrder bounded, square;
  bounded.max_degree = {3, 6};
  square.max_degree = {3, 3};
  const std::vector<Basis> bases{
      Basis({skew, bent}, IndexSet::first(2, 21)), Basis({truncated, bent}, IndexSet::first(2, 21)),
      Basis({points, points}, IndexSet::first(2, 10, square)),
      Basis({points, truncated}, IndexSet::first(2, 12, bounded)),
      Basis({fourier(0, 4), skew}, IndexSet::first(2, 24)),
      // No point is best for all degrees: enumerated, searched, both kinds together.
      Basis({uneven, uneven}, IndexSet::first(2, 10, square)),
      Basis({arcs, arcs}, IndexSet::first(2, 28)),
      Basis({uneven, arcs}, IndexSet::first(2, 15, bounded)),
      Basis({legendre(), arcs}, IndexSet::first(2, 28))};
  for (const Basis& basis : bases) {
    const Distribution &a = basis.families()[0].distribution(),
                       &b = basis.families()[1].distribution();
    const auto grid = [](const Distribution& distribution) {
      if (const auto* discrete = std::get_if<Discrete>(&distribution.parameters()))
        return Vector(Eigen::Map<const Vector>(discrete->values.data(),
                                               static_cast<Index>(discrete->values.size())));
      return Vector(Vector::LinSpaced(201, distribution.lower(), distribution.upper()));
    };
    const Vector x = grid(a), y = grid(b);
    Matrix eta(x.size() * y.size(), 2);
    for (Index s = 0; s < eta.rows(); ++s) eta.row(s) << x[s % x.size()], y[s / x.size()];
    const Matrix psi = by_definition(basis, eta, basis.size());
    for (Index m = 1; m <= basis.size(); ++m) {
      const double found = psi.leftCols(m).rowwise().squaredNorm().maxCoeff();
      EXPECT_GE(basis.Q(m), found * (1 - 1e-10));
      EXPECT_LE(basis.Q(m), found * 1.02);  // between grid points
    }
  }
}

TEST(Basis, SupremumIsInfiniteOnceAnUnboundedFunctionTakesPart) {
  const Basis basis({fourier(), polynomial(Normal{0, 1})}, IndexSet::first(2, 10));
  EXPECT_EQ(basis.Q(1), 1);
  EXPECT_EQ(basis.Q(2), 3);  // 1 and √2 cos
  for (Index m = 3; m <= 10; ++m) EXPECT_EQ(basis.Q(m), std::numeric_limits<double>::infinity());
}

TEST(Basis, SupremumMayBeAskedForFromSeveralThreads) {
  const Family bent = polynomial(Triangular{0, 1, 4});
  const Basis basis({bent, bent}, IndexSet::first(2, 15));
  std::vector<double> first(15), second(15);
  const auto ask = [&](std::vector<double>& values) {
    for (Index m = 1; m <= 15; ++m) values[static_cast<std::size_t>(m - 1)] = basis.Q(m);
  };
  std::thread other(ask, std::ref(first));
  ask(second);
  other.join();
  EXPECT_EQ(first, second);
}

// E[w ψ_i ψ_j] = δ_ij under Christoffel sampling, within 5 standard errors of each of the m²
// averages.
TEST(Basis, ChristoffelSamplingIsUnbiased) {
  const Index m = 15, count = 40000;
  const Basis basis({polynomial(Normal{0, 1}), legendre(), fourier()}, IndexSet::first(3, m));
  Matrix u(count, 4), eta(count, 3);
  fill_uniform(make_stream(5, Purpose::test), 0, u);
  basis.christoffel_sample(u, m, eta);
  const Matrix psi = evaluated(basis, eta, m);
  const Vector weight = static_cast<double>(m) / psi.rowwise().squaredNorm().array();
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j <= i; ++j) {
      const Vector term = (weight.array() * psi.col(i).array() * psi.col(j).array()).matrix();
      const double mean = term.mean();
      const double error =
          std::sqrt((term.array() - mean).square().sum()) / static_cast<double>(count);
      EXPECT_NEAR(mean, i == j ? 1 : 0, 5 * error + 1e-12);
      EXPECT_LE(term.cwiseAbs().maxCoeff(), static_cast<double>(m));  // w ψ_i ψ_j ≤ w Σ ψ² = m
    }
}

TEST(Basis, ErrorsNameTheField) {
  const auto message = [](const std::vector<Family>& families, const IndexSet& indices) {
    try {
      const Basis basis(families, indices);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message({legendre()}, IndexSet::first(2, 3)),
            "index_set: has dimension 2, but there are 1 parameters");
  EXPECT_EQ(message({}, IndexSet::first(2, 3)), "parameters: a basis needs at least one dimension");
  EXPECT_EQ(message({legendre(), polynomial(Discrete{{1, 2, 3}, {1, 1, 1}})},
                    IndexSet::from({{0, 0}, {0, 1}, {0, 2}, {0, 3}})),
            "index_set: asks for degree 3 in dimension 2, where the functions end at 2");
}

// Data with outliers: the plain recurrence has no digits left at degree 16, the looked-up values
// all of them.
TEST(Basis, DiscreteDistributionsStayOrthonormal) {
  std::vector<double> points;
  for (int i = 0; i < 1000; ++i)
    points.push_back(std::exp(Distribution(Normal{0, 1}).quantile((i + 0.5) / 1000)));
  const Basis basis({Family(Distribution(Discrete{points, {}}))}, IndexSet::first(1, 31));
  Matrix gram = Matrix::Zero(31, 31);
  for (std::size_t first = 0; first < points.size(); first += 125) {
    const Eigen::Map<const Matrix> eta(points.data() + first, 125, 1);
    BasisBlock psi;
    basis.evaluate(eta, 31, psi);
    for (Index s = 0; s < 125; ++s) {
      for (Index i = 0; i < 31; ++i) {
        for (Index j = 0; j < 31; ++j) gram(i, j) += psi(s, i) * psi(s, j) / 1000;
      }
    }
  }
  EXPECT_LT((gram - Matrix::Identity(31, 31)).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace chaosgrad
