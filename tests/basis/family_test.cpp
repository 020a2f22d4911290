// Orthonormal families: orthonormality by an independent quadrature, known expansions, derivatives,
// suprema.
#include "chaosgrad/basis.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <numbers>
#include <thread>

#include "chaosgrad/error.h"
#include "support/family_cases.h"
#include "support/reference_quadrature.h"

namespace chaosgrad {
using namespace internal;
namespace {

using reference::family_cases;
using reference::FamilyCase;

Matrix family_values(const Family& family, const std::vector<double>& t, Index degree) {
  const auto count = static_cast<Index>(t.size());
  Matrix result(count, degree + 1);
  family.values(t.data(), count, result);
  return result;
}

double value(const Family& family, Index n, double t) {
  return family_values(family, {t}, n)(0, n);
}

// Columns √w B_n at the nodes of the reference quadrature: their products are integrals.
Matrix weighted_values(const Family& family, const reference::Nodes& nodes, Index degree) {
  Matrix result = family_values(family, nodes.theta, degree);
  for (Index i = 0; i < result.rows(); ++i) {
    const double root = std::exp(0.5 * nodes.log_weight[static_cast<std::size_t>(i)]);
    // Where the weight underflows, B_n may overflow; the product is negligible up to max_degree().
    if (root == 0) {
      result.row(i).setZero();
    } else {
      result.row(i) *= root;
    }
  }
  return result;
}

double gram_error(const Family& family, Index degree) {
  const Matrix b = weighted_values(family, reference::nodes(family.distribution(), degree), degree);
  return (b.transpose() * b - Matrix::Identity(degree + 1, degree + 1)).cwiseAbs().maxCoeff();
}

class EveryFamily : public testing::TestWithParam<FamilyCase> {};

TEST_P(EveryFamily, IsOrthonormal) {
  const Family family(GetParam().distribution);
  EXPECT_LT(gram_error(family, std::min<Index>(150, family.max_degree())), 1e-10);
}

TEST_P(EveryFamily, DoesNotDependOnWhoAskedFirst) {
  const Family gradual(GetParam().distribution), at_once(GetParam().distribution);
  const Index degree = std::min<Index>(60, gradual.max_degree());
  const std::vector<double> t{GetParam().distribution.quantile(0.1),
                              GetParam().distribution.quantile(0.8)};
  const Index low = std::min<Index>(5, degree);
  const Matrix early = family_values(gradual, t, low);
  (void)family_values(gradual, t, std::min<Index>(20, degree));
  EXPECT_EQ(family_values(gradual, t, degree), family_values(at_once, t, degree));
  EXPECT_EQ(family_values(at_once, t, low), early);
}

TEST_P(EveryFamily, DerivativesAgreeWithDifferences) {
  const Family family(GetParam().distribution);
  const Index degree = std::min<Index>(8, family.max_degree());
  const double spread =
      GetParam().distribution.quantile(0.7) - GetParam().distribution.quantile(0.3);
  const double t = GetParam().distribution.quantile(0.6), h = 1e-4 * std::max(spread, 1e-2);
  Matrix derivatives(1, degree + 1);
  family.derivatives(&t, 1, derivatives);
  const Matrix b = family_values(family, {t - 2 * h, t - h, t + h, t + 2 * h}, degree);
  for (Index n = 0; n <= degree; ++n) {
    const double difference = (b(0, n) - 8 * b(1, n) + 8 * b(2, n) - b(3, n)) / (12 * h);
    const double size = 1 + b.col(n).cwiseAbs().maxCoeff() / h;
    EXPECT_NEAR(derivatives(0, n), difference, 1e-11 * size) << "degree " << n;
  }
}

// A polynomial of degree 5 is its own expansion.
TEST_P(EveryFamily, ReproducesPolynomials) {
  const Family family(GetParam().distribution);
  const Index degree = std::min<Index>(5, family.max_degree());
  const Recurrence& r = family.recurrence(degree);
  const auto polynomial = [&](double theta) {
    const double t = (theta - r.center) / r.scale;
    return std::pow(t, static_cast<double>(degree)) - 2 * t + 1;
  };
  const reference::Nodes nodes = reference::nodes(family.distribution(), degree);
  const Matrix b = weighted_values(family, nodes, degree);
  Vector f(b.rows());
  for (Index i = 0; i < f.size(); ++i) {
    const auto j = static_cast<std::size_t>(i);
    f[i] = std::exp(0.5 * nodes.log_weight[j]) * polynomial(nodes.theta[j]);
  }
  const Vector u = b.transpose() * f;
  for (const double p : {0.05, 0.5, 0.9}) {
    const double t = GetParam().distribution.quantile(p);
    const Matrix at = family_values(family, {t}, degree);
    EXPECT_NEAR((at * u)(0), polynomial(t), 1e-10 * (1 + at.cwiseAbs().maxCoeff() * u.norm()));
  }
}

INSTANTIATE_TEST_SUITE_P(Families, EveryFamily, testing::ValuesIn(family_cases()),
                         [](const auto& instance) { return instance.param.name; });

// For σ = 1 the mass of p_60² lies near θ = e^{120}, where p_60 itself is beyond double: the
// coefficients are checked in multiprecision arithmetic.
TEST(LogNormalFamily, RecurrenceIsOrthonormalAtDegree60) {
  using Real = boost::multiprecision::cpp_bin_float_50;
  const Family family(LogNormal{0, 1});
  EXPECT_EQ(family.max_degree(), 14);
  constexpr Index degree = 60;
  const Recurrence& r = family.recurrence(degree);
  const std::vector<Index> chosen{0, 1, 14, 15, 30, 31, 58, 59, 60};
  Eigen::Matrix<double, 9, 9> gram;
  std::vector<Real> sums(81, 0);
  const Real step =
      Real(1) / 8;  // the trapezoidal rule for a Gaussian times exponentials: error e^{−2π²·64}
  for (Real z = -14; z < 136; z += step) {
    const Real weight = exp(-z * z / 2) * step / sqrt(2 * boost::math::constants::pi<Real>());
    const Real t = (exp(z) - r.center) / r.scale;
    std::vector<Real> p{1};
    for (Index n = 0; n < degree; ++n) {
      const auto j = static_cast<std::size_t>(n);
      const Real before = n > 0 ? p[j - 1] : Real(0);
      p.push_back(((t - r.a[n]) * p[j] - r.b[n] * before) / r.b[n + 1]);
    }
    for (std::size_t i = 0; i < 9; ++i) {
      for (std::size_t j = 0; j < 9; ++j) {
        sums[9 * i + j] += weight * p[static_cast<std::size_t>(chosen[i])] *
                           p[static_cast<std::size_t>(chosen[j])];
      }
    }
  }
  for (std::size_t i = 0; i < 81; ++i) gram(static_cast<Index>(i)) = static_cast<double>(sums[i]);
  EXPECT_LT((gram - Eigen::Matrix<double, 9, 9>::Identity()).cwiseAbs().maxCoeff(), 1e-10);
}

// exp(a t) = Σ e^{a²/2} aⁿ/√n! h_n(t) under N(0, 1).
TEST(HermiteFamily, ExpandsTheExponential) {
  const Family family(Normal{0, 1});
  const double a = 0.7, t = 1.3;
  const Matrix h = family_values(family, {t}, 30);
  double sum = 0, coefficient = std::exp(a * a / 2);
  for (Index n = 0; n <= 30; ++n) {
    sum += coefficient * h(0, n);
    coefficient *= a / std::sqrt(static_cast<double>(n + 1));
  }
  EXPECT_NEAR(sum, std::exp(a * t), 1e-12);
}

// |t| on [−1, 1]: E |t| p_2 = √5/8 and E |t| p_4 = −3/48.
TEST(LegendreFamily, ExpandsTheAbsoluteValue) {
  const Family family(Uniform{-1, 1});
  const Quadrature half = gauss_legendre(10, 0, 1);
  Matrix p(10, 5);
  family.values(half.nodes.data(), 10, p);
  const Vector u = p.transpose() * half.nodes.cwiseProduct(half.weights);
  EXPECT_NEAR(u[0], 0.5, 1e-15);
  EXPECT_NEAR(u[2], std::sqrt(5.0) / 8, 1e-15);
  EXPECT_NEAR(u[4], -3.0 / 48, 1e-15);
}

TEST(DiscreteFamily, HasOneFunctionLessThanPoints) {
  EXPECT_EQ(Family(reference::equidistant(61)).max_degree(), 60);
  EXPECT_EQ(Family(Discrete{{2.0}, {1.0}}).max_degree(), 0);
  EXPECT_THROW((void)value(Family(Discrete{{1, 2}, {1, 1}}), 2, 1.0), InputError);
}

TEST(FourierFamily, IsAccurateForAThousandFunctions) {
  for (const Uniform interval :
       {Uniform{-std::numbers::pi, std::numbers::pi}, Uniform{0, 1}, Uniform{3, 3.7}}) {
    const Family family(interval, Family::Kind::fourier);
    std::vector<double> t;
    for (int i = 0; i <= 100; ++i) {
      t.push_back(
          std::min(interval.upper, interval.lower + i * 0.01 * (interval.upper - interval.lower)));
    }
    const Matrix b = family_values(family, t, 1000);
    // An interval of length 2π rounded to double stands for 2π itself.
    const long double pi = std::numbers::pi_v<long double>, width = interval.upper - interval.lower;
    const long double omega = interval.lower == -interval.upper ? 1 : 2 * pi / width;
    double error = 0;
    for (Index i = 0; i < b.rows(); ++i) {
      const long double middle = (static_cast<long double>(interval.lower) + interval.upper) / 2;
      const long double tau = t[static_cast<std::size_t>(i)] - middle;
      for (Index n = 1; n <= 1000; ++n) {
        const long double angle = omega * tau * static_cast<long double>((n + 1) / 2);
        const long double exact =
            std::numbers::sqrt2_v<long double> * (n % 2 == 1 ? std::cos(angle) : std::sin(angle));
        error = std::max(error, static_cast<double>(std::abs(b(i, n) - exact)));
      }
    }
    EXPECT_LT(error, 3e-15);
    EXPECT_EQ(b.col(0), Vector::Ones(b.rows()));
  }
}

TEST(FourierFamily, DerivativesAreExact) {
  const Family family(Uniform{0, 2}, Family::Kind::fourier);
  const double t = 0.3, pi = std::numbers::pi;
  Matrix d(1, 4);
  family.derivatives(&t, 1, d);
  EXPECT_NEAR(d(0, 0), 0, 0);
  EXPECT_NEAR(d(0, 1), -std::numbers::sqrt2 * pi * std::sin(pi * (t - 1)), 1e-14);
  EXPECT_NEAR(d(0, 2), std::numbers::sqrt2 * pi * std::cos(pi * (t - 1)), 1e-14);
  EXPECT_NEAR(d(0, 3), -std::numbers::sqrt2 * 2 * pi * std::sin(2 * pi * (t - 1)), 1e-14);
}

TEST(FourierFamily, NeedsAUniformDistribution) {
  try {
    const Family family(Normal{0, 1}, Family::Kind::fourier);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.field(), "basis");
    EXPECT_EQ(error.message(), "\"fourier\" needs a uniform distribution, not normal");
  }
}

TEST(FamilyLimits, AreNamedInTheError) {
  const Family family(Exponential{1});
  Matrix b(1, family.max_degree() + 2);
  const double t = 1;
  try {
    family.values(&t, 1, b);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.message(),
              "degree 151 is above 150, the largest for this exponential distribution");
  }
}

TEST(FamilyValues, RespectStrideAndOddCounts) {
  for (const auto kind : {Family::Kind::polynomial, Family::Kind::fourier}) {
    const Family family(Uniform{-1, 1}, kind);
    std::vector<double> t;
    for (int i = 0; i < 301; ++i) t.push_back(-1 + i / 150.0);
    Matrix padded = Matrix::Constant(320, 40, 7);
    family.values(t.data(), 301, padded.block(3, 0, 301, 40));
    const Matrix expected = family_values(family, t, 39);
    EXPECT_EQ(padded.block(3, 0, 301, 40), expected);
    EXPECT_TRUE((padded.topRows(3).array() == 7).all() &&
                (padded.bottomRows(16).array() == 7).all());
  }
}

// The supremum against a fine grid: never below it, and no higher than the grid can miss.
TEST(FamilySupremum, AgreesWithAFineGrid) {
  Vector c(12);
  for (Index n = 0; n < 12; ++n) c[n] = 1 + static_cast<double>((5 * n) % 7);
  std::vector<Family> families;
  for (const Distribution& d : std::initializer_list<Distribution>{
           Uniform{2, 5}, Beta{0.7, 2, 0, 1}, Beta{3, 0.5, -1, 1}, Beta{0.3, 0.4, 0, 1},
           Triangular{0, 0, 1}, LogUniform{1e-3, 10}, TruncatedNormal{0, 1, -1, 2}}) {
    families.emplace_back(d);
  }
  families.emplace_back(Uniform{-1, 3}, Family::Kind::fourier);
  for (const Family& family : families) {
    const double lower = family.distribution().lower(), upper = family.distribution().upper();
    double argmax = 0;
    const double supremum = family.supremum(c, &argmax);
    double best = 0;
    constexpr int points = 20000;
    std::vector<double> t;
    for (int i = 0; i <= points; ++i) {
      t.push_back(lower +
                  (upper - lower) * std::pow(std::sin(0.5 * std::numbers::pi * i / points), 2));
    }
    best = (family_values(family, t, 11).array().square().matrix() * c).maxCoeff();
    EXPECT_GE(supremum, best * (1 - 1e-12)) << family.distribution().name();
    EXPECT_LE(supremum, best * (1 + 1e-5)) << family.distribution().name();
    const double at = (family_values(family, {argmax}, 11).array().square().matrix() * c)(0);
    EXPECT_NEAR(at, supremum, 1e-12 * supremum);
  }
}

TEST(FamilySupremum, IsKnownInClosedForm) {
  // Σ_{n<m} (2n+1) = m² for Legendre; m for complete trigonometric pairs.
  EXPECT_NEAR(Family(Uniform{0, 1}).supremum(Vector::Ones(30)), 900, 1e-10);
  EXPECT_DOUBLE_EQ(Family(Uniform{0, 1}, Family::Kind::fourier).supremum(Vector::Ones(31)), 31);
  EXPECT_DOUBLE_EQ(Family(Uniform{0, 1}, Family::Kind::fourier).supremum(Vector::Ones(30)), 31);
  // A full discrete basis: Σ p_n(x_i)² = 1/w_i.
  EXPECT_NEAR(Family(Discrete{{1, 2, 5}, {0.5, 0.4, 0.1}}).supremum(Vector::Ones(3)), 10, 1e-12);
  EXPECT_EQ(Family(Normal{0, 1}).supremum(Vector::Ones(2)),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(Family(Normal{0, 1}).supremum(Vector{{3.0, 0.0}}), 3);
}

TEST(FamilyTables, GrowWhileManyThreadsRead) {
  for (const Distribution& d : std::initializer_list<Distribution>{Weibull{1.5, 1}, Normal{0, 1}}) {
    const Family shared(d), alone(d);
    const double t = d.quantile(0.4);
    std::vector<std::thread> threads;
    std::vector<double> results(8);
    for (std::size_t k = 0; k < 8; ++k) {
      threads.emplace_back([&, k] {
        double sum = 0;
        for (Index n = 1; n < 100; n += 7) {
          const Index degree = static_cast<Index>(k) + n;
          const Recurrence& before = shared.recurrence(degree);
          sum += value(shared, degree, t) + shared.induced_quantile(degree % 20, 0.3);
          sum += before.b[degree];
        }
        results[k] = sum;
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t k = 0; k < 8; ++k) {
      double sum = 0;
      for (Index n = 1; n < 100; n += 7) {
        const Index degree = static_cast<Index>(k) + n;
        sum += value(alone, degree, t) + alone.induced_quantile(degree % 20, 0.3);
        sum += alone.recurrence(degree).b[degree];
      }
      EXPECT_EQ(results[k], sum);
    }
  }
}

}  // namespace
}  // namespace chaosgrad
