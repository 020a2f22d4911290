// Gauss rules and induced distributions of the one-dimensional families.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numbers>
#include <random>

#include "chaosgrad/basis.h"
#include "chaosgrad/error.h"
#include "support/family_cases.h"
#include "support/reference_quadrature.h"

namespace chaosgrad {
using namespace internal;
namespace {

using reference::family_cases;
using reference::FamilyCase;

double rule_moment(const Quadrature& rule, double power) {
  double sum = 0;
  for (Index i = 0; i < rule.nodes.size(); ++i) {
    sum += rule.weights[i] * std::pow(rule.nodes[i], power);
  }
  return sum;
}

class EveryFamily : public testing::TestWithParam<FamilyCase> {};

// Degree 2n − 1 exactly: Σ w p_i p_j = δ_ij for i, j < n.
TEST_P(EveryFamily, GaussRuleIntegratesItsDegree) {
  const Family family(GetParam().distribution);
  if (family.distribution().is_discrete()) return;  // see below
  for (const Index wanted : {1, 2, 5, 16, 40}) {
    const Index n = std::min(wanted, family.max_degree());
    if (n < 1) continue;
    const Quadrature rule = family.gauss(n);
    ASSERT_EQ(rule.nodes.size(), n);
    EXPECT_NEAR(rule.weights.sum(), 1, 1e-14);
    Matrix p(n, n);
    family.values(rule.nodes.data(), n, p);
    const Matrix gram = p.transpose() * rule.weights.asDiagonal() * p;
    EXPECT_LT((gram - Matrix::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-10) << n << " nodes";
  }
}

// Between the points of a discrete distribution p_n may be astronomically large, so its rules are
// tested on Chebyshev polynomials, which stay below 1: E T_k for k ≤ 2n − 1.
TEST_P(EveryFamily, DiscreteGaussRuleIntegratesItsDegree) {
  const auto* points = std::get_if<Discrete>(&GetParam().distribution.parameters());
  if (points == nullptr) return;
  const Family family(GetParam().distribution);
  const double lower = points->values.front(), upper = points->values.back();
  const auto chebyshev = [&](int k, double t) {
    const double x = (2 * t - lower - upper) / (upper - lower);
    return std::cos(k * std::acos(std::clamp(x, -1.0, 1.0)));
  };
  for (const Index wanted : {1, 2, 5, 16, 40}) {
    const Index n = std::min(wanted, family.max_degree());
    const Quadrature rule = family.gauss(n);
    ASSERT_EQ(rule.nodes.size(), n);
    for (int k = 0; k <= 2 * static_cast<int>(n) - 1; ++k) {
      double exact = 0, sum = 0;
      for (std::size_t i = 0; i < points->values.size(); ++i) {
        exact += points->weights[i] * chebyshev(k, points->values[i]);
      }
      for (Index i = 0; i < n; ++i) sum += rule.weights[i] * chebyshev(k, rule.nodes[i]);
      EXPECT_NEAR(sum, exact, 1e-11) << n << " nodes, degree " << k;
    }
  }
}

// Distribution function of p_n² π: an integral of the reference quadrature cannot stop at a point,
// so each panel between the returned quantiles is integrated by itself with many Gauss–Legendre
// points in a variable free of singularities.
struct InducedMass {
  const Family& family;
  Index n;

  double density(double t) const {
    Matrix b(1, n + 1);
    family.values(&t, 1, b);
    return b(0, n) * b(0, n) * family.distribution().pdf(t);
  }
  // θ = a + (b − a) s^k with k large resolves an algebraic singularity at a.
  double between(double a, double b, double power) const {
    constexpr Index points = 400;
    static const Quadrature rule = gauss_legendre(points, 0, 1);
    double sum = 0;
    for (Index i = 0; i < points; ++i) {
      const double s = rule.nodes[i];
      const double t = a + (b - a) * std::pow(s, power);
      sum += rule.weights[i] * density(t) * power * std::pow(s, power - 1);
    }
    return (b - a) * sum;
  }
};

TEST_P(EveryFamily, InducedQuantilesEncloseTheRightMass) {
  const Distribution& d = GetParam().distribution;
  if (d.is_discrete()) return;
  const Family family(d);
  // Panels must not straddle the kink of a triangular density.
  std::vector<double> kinks;
  if (const auto* triangular = std::get_if<Triangular>(&d.parameters())) kinks = {triangular->mode};
  for (const Index wanted : {0, 1, 7, 20}) {
    const Index n = std::min(wanted, family.max_degree());
    const InducedMass mass{family, n};
    const std::vector<double> p{0.001, 0.01, 0.05, 0.1, 0.2,  0.3,  0.4,  0.5,
                                0.6,   0.7,  0.8,  0.9, 0.95, 0.99, 0.999};
    if (d.lower() == 0 || (std::isfinite(d.lower()) && std::isfinite(d.pdf(d.lower())))) {
      const double first = mass.between(d.lower(), family.induced_quantile(n, p[0]), 40);
      EXPECT_NEAR(first, p[0], 1e-10) << "degree " << n;
    }
    for (std::size_t i = 0; i + 1 < p.size(); ++i) {
      const double left = family.induced_quantile(n, p[i]);
      const double right = family.induced_quantile(n, p[i + 1]);
      ASSERT_LE(left, right);
      // Next to an upper end with infinite density, numbers of type double are too coarse for a
      // quadrature.
      if (d.upper() - right < 1e-2 * (d.upper() - d.lower()) && std::isinf(d.pdf(d.upper()))) break;
      double sum = 0, from = left;
      for (const double kink : kinks) {
        if (kink > left && kink < right) {
          sum += mass.between(from, kink, 1);
          from = kink;
        }
      }
      // Wide panels of skew densities vary most at their left end.
      sum += mass.between(from, right, d.lower() >= 0 && from < 0.1 * right ? 8 : 1);
      EXPECT_NEAR(sum, p[i + 1] - p[i], 1e-10) << "degree " << n << ", p = " << p[i];
    }
  }
}

// The whole distribution at once, ends included, against the reference quadrature.
TEST_P(EveryFamily, InducedMomentsAgreeWithTheReference) {
  const Distribution& d = GetParam().distribution;
  const Family family(d);
  const Recurrence& r = family.recurrence(std::min<Index>(1, family.max_degree()));
  const Quadrature uniform = gauss_legendre(4000, 0, 1);
  for (const Index wanted : {0, 3}) {
    const Index n = std::min(wanted, family.max_degree());
    // E exp(−t²) under p_n² π, t standardised: once over π, once over p.
    const auto f = [&](double theta) {
      const double t = (theta - r.center) / r.scale;
      return std::exp(-t * t);
    };
    const reference::Nodes nodes = reference::nodes(d, n);
    Matrix b(static_cast<Index>(nodes.theta.size()), n + 1);
    family.values(nodes.theta.data(), b.rows(), b);
    double expected = 0, actual = 0;
    for (Index i = 0; i < b.rows(); ++i) {
      const auto j = static_cast<std::size_t>(i);
      const double v = std::exp(0.5 * nodes.log_weight[j]) * b(i, n);
      expected += v * v * f(nodes.theta[j]);
    }
    for (Index i = 0; i < uniform.nodes.size(); ++i) {
      actual += uniform.weights[i] * f(family.induced_quantile(n, uniform.nodes[i]));
    }
    // The quantile function has cube-root kinks at the zeros of p_n (and jumps for points): 4000
    // nodes see them to about 4000^{−4/3} (4000^{−1}).
    EXPECT_NEAR(actual, expected, d.is_discrete() ? 2e-3 : 1e-4) << "degree " << n;
  }
}

// Kolmogorov–Smirnov: sup |F_N − F| < 1.95/√N with probability 0.999 for draws from F; fixed seed.
TEST_P(EveryFamily, InducedDrawsPassKolmogorovSmirnov) {
  const Distribution& d = GetParam().distribution;
  const Family family(d);
  const Index n = std::min<Index>(4, family.max_degree());
  constexpr int draws = 4000;
  std::mt19937_64 generator(11);
  std::vector<double> sample;
  for (int i = 0; i < draws; ++i) {
    const double p = (static_cast<double>(generator() >> 11) + 0.5) * 0x1p-53;
    sample.push_back(family.induced_quantile(n, p));
  }
  std::sort(sample.begin(), sample.end());
  const reference::Nodes nodes = reference::nodes(d, n);
  std::vector<std::size_t> order(nodes.theta.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return nodes.theta[a] < nodes.theta[b]; });
  Matrix b(static_cast<Index>(order.size()), n + 1);
  family.values(nodes.theta.data(), b.rows(), b);
  double cumulative = 0, distance = 0, largest = 0;
  for (const std::size_t i : order) {
    const double v = std::exp(0.5 * nodes.log_weight[i]) * b(static_cast<Index>(i), n);
    cumulative += v * v;
    largest = std::max(largest, v * v);
    const auto below =
        std::upper_bound(sample.begin(), sample.end(), nodes.theta[i]) - sample.begin();
    distance = std::max(distance, std::abs(static_cast<double>(below) / draws - cumulative));
  }
  // A node of the reference rule stands for the mass around it: half of it belongs to the other
  // side.
  const double resolution = d.is_discrete() ? 0 : largest;
  EXPECT_LT(distance, 1.95 / std::sqrt(draws) + resolution);
}

// Weights of induced sampling divide by B_n²: it must be finite wherever draws can fall.
TEST_P(EveryFamily, SquaresAreFiniteWhereInducedDrawsFall) {
  const Family family(GetParam().distribution);
  const Index n = std::min<Index>(200, family.max_degree());
  for (const double p : {0x1p-54, 1 - 0x1p-53}) {
    const double t = family.induced_quantile(n, p);
    Matrix b(1, n + 1);
    family.values(&t, 1, b);
    EXPECT_TRUE(std::isfinite(b.squaredNorm())) << "at " << t;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, EveryFamily, testing::ValuesIn(family_cases()),
                         [](const auto& instance) { return instance.param.name; });

TEST(GaussRule, HasKnownNodes) {
  const Quadrature hermite = Family(Normal{0, 1}).gauss(3);
  EXPECT_NEAR(hermite.nodes[0], -std::sqrt(3.0), 1e-15);
  EXPECT_NEAR(hermite.nodes[1], 0, 1e-15);
  EXPECT_NEAR(hermite.weights[1], 2.0 / 3, 1e-15);
  const Quadrature laguerre = Family(Exponential{1}).gauss(2);
  EXPECT_NEAR(laguerre.nodes[0], 2 - std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(laguerre.weights[0], (2 + std::sqrt(2.0)) / 4, 1e-15);
  // Chebyshev: equal weights, nodes cos((2i−1)π/2n).
  const Quadrature chebyshev = Family(Beta{0.5, 0.5, -1, 1}).gauss(30);
  for (Index i = 0; i < 30; ++i) {
    const double angle = std::numbers::pi * (2 * static_cast<double>(i) + 1) / 60;
    EXPECT_NEAR(chebyshev.nodes[i], -std::cos(angle), 1e-14);
    EXPECT_NEAR(chebyshev.weights[i], 1.0 / 30, 1e-14);
  }
}

TEST(GaussRule, KeepsWhatDoubleCanHold) {
  // Moments of the lognormal distribution: E θ^k = e^{k²/2}, over nodes from e^{−1} to e^{80}.
  const Quadrature rule = Family(LogNormal{0, 1}).gauss(40);
  EXPECT_LE(rule.nodes.size(), 40);
  EXPECT_TRUE(rule.nodes.allFinite() && (rule.weights.array() > 0).all());
  for (const double k : {0.0, 1.0, 2.0, 5.0, 10.0}) {
    const double moment = rule_moment(rule, k);
    EXPECT_NEAR(moment / std::exp(k * k / 2), 1, 1e-11) << k;
  }
  const Quadrature normal = Family(Normal{0, 1}).gauss(500);
  EXPECT_NEAR(rule_moment(normal, 8), 105, 1e-10);
}

TEST(GaussRule, OfFinitelyManyPointsIsThePoints) {
  const Quadrature rule = Family(Discrete{{3, 1, 2}, {2, 1, 1}}).gauss(10);
  EXPECT_EQ(rule.nodes, (Vector{{1.0, 2.0, 3.0}}));
  EXPECT_EQ(rule.weights, (Vector{{0.25, 0.25, 0.5}}));
}

TEST(GaussRule, RefusesWhatItCannotDo) {
  EXPECT_THROW((void)Family(Normal{0, 1}).gauss(0), InputError);
  EXPECT_THROW((void)Family(LogUniform{1, 2}).gauss(201), InputError);
}

TEST_P(EveryFamily, HasGaussRulesUpToItsLimit) {
  const Family family(GetParam().distribution);
  const Index limit = family.max_nodes();
  if (limit == std::numeric_limits<Index>::max()) {
    EXPECT_NO_THROW(static_cast<void>(family.gauss(300)));
  } else {
    EXPECT_NO_THROW(static_cast<void>(family.gauss(std::min<Index>(limit, 150))));
    EXPECT_THROW(static_cast<void>(family.gauss(limit + 1)), InputError);
  }
}

TEST(GaussLegendre, IsAccurateWithThousandsOfNodes) {
  for (const Index n : {1, 2, 3, 32, 33, 64, 1001, 5000}) {
    const Quadrature rule = gauss_legendre(n, -1, 1);
    EXPECT_NEAR(rule.weights.sum(), 1, 2e-14) << n;
    EXPECT_TRUE(std::is_sorted(rule.nodes.begin(), rule.nodes.end()));
    EXPECT_EQ(rule.nodes, -rule.nodes.reverse().eval());
    // E x^{2k} = 1/(2k+1), exact for 2k ≤ 2n − 1.
    const double power = 2 * std::min<double>(static_cast<double>(n) - 1, 30);
    EXPECT_NEAR(rule_moment(rule, power), 1 / (power + 1), 1e-14);
  }
  const Quadrature moved = gauss_legendre(7, 2, 5);
  EXPECT_NEAR(moved.weights.dot(moved.nodes.array().cube().matrix()), (625 - 16) / 12.0, 1e-13);
}

TEST(FourierFamily, InducedQuantileInvertsItsClosedForm) {
  const Family family(Uniform{0, 1}, Family::Kind::fourier);
  const double pi = std::numbers::pi;
  for (const Index n : {1, 2, 7, 8, 1001, 1002}) {
    const auto k = static_cast<double>((n + 1) / 2);
    for (double p = 1e-6; p < 1; p += 0.0137) {
      const double t = family.induced_quantile(n, p);
      // ∫ 2cos² = t + sin(4πk(t − ½))/(4πk); minus for the sine.
      const double wave = std::sin(4 * pi * k * (t - 0.5)) / (4 * pi * k);
      EXPECT_NEAR(t + (n % 2 == 1 ? wave : -wave), p, 1e-14);
    }
  }
  EXPECT_DOUBLE_EQ(family.induced_quantile(0, 0.25), 0.25);
}

}  // namespace
}  // namespace chaosgrad
