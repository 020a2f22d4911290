#include "basis/kernels.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/keyed_numbers.h"

namespace chaosgrad {
using namespace internal;
namespace {

using testing::signed_numbers;

Family legendre() { return Family(Distribution(Uniform{-1, 1})); }
Family fourier() { return Family(Distribution(Uniform{-1, 1}), Family::Kind::fourier); }

struct Case {
  const char* name;
  Basis basis;
};

std::vector<Case> cases() {
  std::vector<Case> result;
  result.push_back({"fourier 1", Basis({fourier()}, IndexSet::first(1, 400))});
  result.push_back({"legendre 1", Basis({legendre()}, IndexSet::first(1, 60))});
  result.push_back({"legendre 2", Basis({legendre(), legendre()}, IndexSet::first(2, 60))});
  result.push_back({"mixed 3", Basis({fourier(), legendre(), fourier()}, IndexSet::first(3, 120))});
  result.push_back(
      {"legendre 5", Basis(std::vector<Family>(5, legendre()), IndexSet::first(5, 300))});
  return result;
}

Matrix dense(const BasisBlock& psi) {
  Matrix result(psi.samples(), psi.functions());
  for (Index s = 0; s < psi.samples(); ++s)
    for (Index i = 0; i < psi.functions(); ++i) result(s, i) = psi(s, i);
  return result;
}

// Every sample count around the tile and vector sizes, every number of functions around the group
// sizes, component counts that fill registers and that do not.
template <class Check>
void for_all_shapes(const Check& check) {
  for (const Case& c : cases())
    for (const Index samples : {1, 7, 8, 31, 32, 33, 64, 100, 127, 128})
      for (const Index m :
           {1, 2, 3, 16, 17, 18, 33, 50, 51, 52, 60, 84, 85, 86, 91, 120, 290, 400}) {
        if (m > c.basis.size()) continue;
        const Matrix eta = signed_numbers(1, samples, c.basis.dimension());
        BasisBlock psi;
        c.basis.evaluate(eta, m, psi);
        SCOPED_TRACE(std::string(c.name) + ", samples " + std::to_string(samples) + ", m " +
                     std::to_string(m));
        check(psi, dense(psi));
      }
}

// Rounding of a sum is judged against the sum of absolute values.
template <class Value, class Expected, class Scale>
void expect_close(const Value& value, const Expected& expected, const Scale& scale) {
  ASSERT_TRUE(((value - expected).array().abs() <= 1e-14 * (1 + scale.array())).all());
}

TEST(Kernels, ExpandIsTheMatrixProduct) {
  for_all_shapes([](const BasisBlock& psi, const Matrix& matrix) {
    for (const Index q : {1, 2, 3, 4, 5, 10, 13}) {
      const Coefficients u = signed_numbers(2, psi.functions() + 2, q);  // longer is allowed
      Matrix x(psi.samples(), q);
      expand(psi, u, x);
      const auto used = u.topRows(psi.functions());
      expect_close(x, (matrix * used).eval(), (matrix.cwiseAbs() * used.cwiseAbs()).eval());
    }
  });
}

TEST(Kernels, ProjectIsTheTransposedProduct) {
  for_all_shapes([](const BasisBlock& psi, const Matrix& matrix) {
    for (const Index q : {1, 2, 3, 4, 5, 10, 13}) {
      const Matrix g = signed_numbers(3, psi.samples(), q);
      const Coefficients before = signed_numbers(4, psi.functions(), q);
      Coefficients sums = before;
      project(psi, g, sums);
      expect_close(sums, (before + Coefficients(matrix.transpose() * g)).eval(),
                   (matrix.cwiseAbs().transpose() * g.cwiseAbs()).eval());
      const Vector weights = signed_numbers(5, psi.samples(), 1);
      const Matrix scaled = weights.asDiagonal() * g;
      Coefficients weighted = before, expected = before;
      project(psi, g, weights.data(), weighted);
      project(psi, scaled, expected);
      ASSERT_EQ(weighted, expected);
    }
  });
}

TEST(Kernels, SumOfSquares) {
  for_all_shapes([](const BasisBlock& psi, const Matrix& matrix) {
    Vector squares(psi.samples());
    sum_of_squares(psi, squares.data());
    const Vector expected = matrix.rowwise().squaredNorm();
    ASSERT_TRUE(((squares - expected).array().abs() <= 1e-13 * expected.array()).all());
  });
}

TEST(Kernels, ManyComponents) {
  const Basis basis(std::vector<Family>(3, legendre()), IndexSet::first(3, 40));
  const Matrix eta = signed_numbers(6, 128, 3), g = signed_numbers(7, 128, 1000);
  const Coefficients u = signed_numbers(8, 40, 1000);
  BasisBlock psi;
  basis.evaluate(eta, 40, psi);
  const Matrix matrix = dense(psi);
  Matrix x(128, 1000);
  expand(psi, u, x);
  EXPECT_LT((x - matrix * u).cwiseAbs().maxCoeff(), 1e-12);
  Coefficients sums = Coefficients::Zero(40, 1000);
  project(psi, g, sums);
  EXPECT_LT((sums - matrix.transpose() * g).cwiseAbs().maxCoeff(), 1e-12);
}

// With many functions and components both kernels work on portions of them: the same bits as a
// component by itself, and nearly those of the dense product.
TEST(Kernels, PortionsHaveTheSameBits) {
  constexpr Index m = 2100, q = 251, samples = 100;
  const std::vector<Basis> bases = {
      Basis(std::vector<Family>(5, legendre()), IndexSet::first(5, 2500)),
      Basis({fourier(), legendre(), fourier()}, IndexSet::first(3, 2500)),
      Basis({legendre(), legendre()}, IndexSet::first(2, m))};
  for (const Basis& basis : bases) {
    const Matrix eta = signed_numbers(12, samples, basis.dimension()),
                 g = signed_numbers(13, samples, q);
    const Coefficients u = signed_numbers(14, m, q), before = signed_numbers(15, m, q);
    BasisBlock psi;
    basis.evaluate(eta, m, psi);
    Matrix x(samples, q);
    expand(psi, u, x);
    Coefficients sums = before;
    project(psi, g, sums);
    for (Index c = 0; c < q; ++c) {
      const Coefficients one = u.col(c);
      Matrix alone(samples, 1);
      expand(psi, one, alone);
      ASSERT_EQ(alone, x.col(c));
      Coefficients sum = before.col(c);
      project(psi, g.col(c), sum);
      ASSERT_EQ(sum, sums.col(c));
    }
    const Matrix matrix = dense(psi);
    expect_close(x, (matrix * u).eval(), (10 * matrix.cwiseAbs() * u.cwiseAbs()).eval());
  }
}

// Views into larger matrices: any alignment, any distance between columns.
TEST(Kernels, StridedViews) {
  for (const Case& c : cases()) {
    const Index m = std::min<Index>(c.basis.size(), 91);
    const Matrix eta = signed_numbers(9, 133, c.basis.dimension()), g = signed_numbers(10, 133, 3);
    BasisBlock psi;
    c.basis.evaluate(eta.middleRows(3, 128), m, psi);
    const Coefficients u = signed_numbers(11, m, 3);
    Matrix x = Matrix::Zero(133, 3);
    expand(psi, u, x.middleRows(3, 128));
    EXPECT_LT((x.middleRows(3, 128) - dense(psi) * u).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_TRUE(x.topRows(3).isZero(0) && x.bottomRows(2).isZero(0));
    Coefficients sums = Coefficients::Zero(m, 3);
    project(psi, g.middleRows(3, 128), sums);
    EXPECT_LT((sums - dense(psi).transpose() * g.middleRows(3, 128)).cwiseAbs().maxCoeff(), 1e-11);
  }
}

// The bits of one component do not depend on the components beside it, those of a sample not on the
// samples beside it, and a second run repeats the first.
TEST(Kernels, BitsAreReproducible) {
  for (const Case& c : cases()) {
    const Index m = c.basis.size(), q = 7;
    const Matrix eta = signed_numbers(12, 100, c.basis.dimension()), g = signed_numbers(13, 100, q);
    const Coefficients u = signed_numbers(14, m, q);
    BasisBlock psi, part;
    c.basis.evaluate(eta, m, psi);
    Matrix x(100, q), again(100, q), one(100, 1), tail(41, q);
    expand(psi, u, x);
    expand(psi, u, again);
    EXPECT_EQ(x, again);
    Coefficients sums = Coefficients::Zero(m, q), sums_again = sums, sum = Coefficients::Zero(m, 1);
    project(psi, g, sums);
    project(psi, g, sums_again);
    EXPECT_EQ(sums, sums_again);
    for (Index k = 0; k < q; ++k) {
      expand(psi, u.col(k), one);
      EXPECT_EQ(one, x.col(k));
      sum.setZero();
      project(psi, g.col(k), sum);
      EXPECT_EQ(sum, sums.col(k));
    }
    c.basis.evaluate(eta.bottomRows(41), m, part);
    expand(part, u, tail);
    EXPECT_EQ(tail, x.bottomRows(41));
  }
}

// A block that was used for something larger and full of other numbers changes nothing.
TEST(Kernels, StaleContentsDoNotMatter) {
  for (const Case& c : cases()) {
    const Matrix eta = signed_numbers(15, 128, c.basis.dimension()), g = signed_numbers(16, 5, 2);
    BasisBlock fresh, used;
    c.basis.evaluate(eta, c.basis.size(), used);
    c.basis.evaluate(eta.topRows(5), 20, used);
    c.basis.evaluate(eta.topRows(5), 20, fresh);
    Coefficients a = Coefficients::Zero(20, 2), b = a;
    project(fresh, g, a);
    project(used, g, b);
    EXPECT_EQ(a, b);
  }
}

// Trouble in one sample stays visible and does not leak into other samples.
TEST(Kernels, NotANumberStaysInItsSample) {
  for (const Case& c : cases()) {
    const Index m = std::min<Index>(c.basis.size(), 91);
    Matrix eta = signed_numbers(17, 40, c.basis.dimension());
    eta(17, 0) = std::numeric_limits<double>::quiet_NaN();
    BasisBlock psi;
    c.basis.evaluate(eta, m, psi);
    Matrix x(40, 2);
    expand(psi, Coefficients(signed_numbers(18, m, 2)), x);
    for (Index s = 0; s < 40; ++s) EXPECT_EQ(x.row(s).array().isNaN().any(), s == 17);
  }
}

}  // namespace
}  // namespace chaosgrad
