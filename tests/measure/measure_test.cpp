// The measure of θ and its germ: independent components and the Gaussian copula.
#include "chaosgrad/measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "chaosgrad/error.h"
#include "random/random.h"

namespace chaosgrad {
using namespace internal;
namespace {

Matrix uniforms(Index rows, Index cols, std::uint64_t step = 0) {
  Matrix u(rows, cols);
  fill_uniform(make_stream(99, Purpose::test, step), 0, u);
  return u;
}

Matrix three_by_three(double a, double b, double c) {
  Matrix correlation(3, 3);
  correlation << 1, a, b, a, 1, c, b, c, 1;
  return correlation;
}

// Two correlated triples, and components 1 and 5 on their own.
Measure mixed_measure() {
  Matrix correlation = Matrix::Identity(8, 8);
  auto tie = [&](Index i, Index j, double rho) { correlation(i, j) = correlation(j, i) = rho; };
  tie(0, 2, 0.6), tie(0, 3, -0.3), tie(2, 3, 0.2), tie(4, 6, 0.7), tie(4, 7, 0.4), tie(6, 7, -0.1);
  return Measure({Uniform{-1, 3}, Beta{2, 3, 0, 1}, Normal{2, 0.5}, LogNormal{0, 0.4},
                  Gamma{2.5, 2}, Exponential{3}, Weibull{1.5, 2}, TruncatedNormal{0, 1, -1, 2}},
                 correlation);
}

Matrix sample(const Measure& measure, Index n, std::uint64_t step = 0) {
  Matrix theta = uniforms(n, measure.dimension(), step);
  measure.germ_from_uniform(theta, theta);
  measure.parameters_from_germ(theta, theta);
  return theta;
}

TEST(Measure, IndependentComponentsAreTheirOwnGerms) {
  const Measure measure({Uniform{-1, 3}, Normal{2, 0.5}, Discrete{{1, 2}, {}}});
  EXPECT_EQ(measure.dimension(), 3);
  EXPECT_FALSE(measure.is_dependent());
  EXPECT_FALSE(measure.correlation().has_value());
  const Matrix u = uniforms(50, 3);
  Matrix eta(50, 3), theta(50, 3), back(50, 3);
  measure.germ_from_uniform(u, eta);
  measure.parameters_from_germ(eta, theta);
  measure.germ_from_parameters(theta, back);
  for (Index k = 0; k < 3; ++k) {
    const auto index = static_cast<std::size_t>(k);
    EXPECT_FALSE(measure.is_correlated(k));
    EXPECT_EQ(measure.germs()[index].name(), measure.marginals()[index].name());
    for (Index i = 0; i < 50; ++i)
      EXPECT_EQ(eta(i, k), measure.marginals()[index].quantile(u(i, k)));
  }
  EXPECT_EQ(theta, eta);
  EXPECT_EQ(back, eta);
  EXPECT_EQ(measure.germ_jacobian(theta.row(0)), Matrix::Identity(3, 3));
}

TEST(Measure, IdentityCorrelationIsIndependence) {
  const Measure measure({Uniform{-1, 3}, Normal{2, 0.5}}, Matrix::Identity(2, 2));
  EXPECT_FALSE(measure.is_dependent());
  EXPECT_EQ(measure.germs()[0].name(), "uniform");
}

TEST(Measure, OnlyCorrelatedComponentsHaveNormalGerms) {
  const Measure measure = mixed_measure();
  EXPECT_TRUE(measure.is_dependent());
  for (Index k = 0; k < measure.dimension(); ++k) {
    const auto index = static_cast<std::size_t>(k);
    const bool alone = k == 1 || k == 5;
    EXPECT_EQ(measure.is_correlated(k), !alone);
    EXPECT_EQ(measure.germs()[index].name(), alone ? measure.marginals()[index].name() : "normal");
  }
}

TEST(Measure, CopulaIsTheDocumentedMap) {
  // θ = F⁻¹(Φ(C ξ)) written out for two components: z_2 = ρ ξ_1 + √(1 − ρ²) ξ_2.
  const double rho = -0.65;
  Matrix correlation(2, 2);
  correlation << 1, rho, rho, 1;
  const Measure measure({Exponential{2}, Uniform{-1, 1}}, correlation);
  const Matrix u = uniforms(40, 2);
  Matrix eta(40, 2), theta(40, 2);
  measure.germ_from_uniform(u, eta);
  measure.parameters_from_germ(eta, theta);
  for (Index i = 0; i < 40; ++i) {
    EXPECT_EQ(eta(i, 0), normal_quantile(u(i, 0)));
    EXPECT_NEAR(theta(i, 0), -std::log(normal_cdf(-eta(i, 0))) / 2, 1e-13);
    const double z = rho * eta(i, 0) + std::sqrt(1 - rho * rho) * eta(i, 1);
    EXPECT_NEAR(theta(i, 1), 2 * normal_cdf(z) - 1, 1e-13);
  }
}

TEST(Measure, InPlaceGivesTheSameBits) {
  const Measure measure = mixed_measure();
  const Index n = 37, d = measure.dimension();
  const Matrix u = uniforms(n, d);
  Matrix eta(n, d), theta(n, d), back(n, d), block = u;
  measure.germ_from_uniform(u, eta);
  measure.germ_from_uniform(block, block);
  EXPECT_EQ(block, eta);
  measure.parameters_from_germ(eta, theta);
  measure.parameters_from_germ(block, block);
  EXPECT_EQ(block, theta);
  measure.germ_from_parameters(theta, back);
  measure.germ_from_parameters(block, block);
  EXPECT_EQ(block, back);
}

TEST(Measure, GermAndParametersRoundTrip) {
  const Measure measure = mixed_measure();
  const Index n = 400, d = measure.dimension();
  Matrix eta = uniforms(n, d), theta(n, d), back(n, d), again(n, d);
  measure.germ_from_uniform(eta, eta);
  measure.parameters_from_germ(eta, theta);
  measure.germ_from_parameters(theta, back);
  measure.parameters_from_germ(back, again);
  EXPECT_LT((back - eta).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((again - theta).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(Measure, TheLogarithmAsGerm) {
  Matrix correlation = Matrix::Identity(4, 4);
  correlation(0, 1) = correlation(1, 0) = 0.5;
  const std::vector<Distribution> marginals = {Normal{}, Gamma{2, 1}, LogNormal{-1, 0.7},
                                               LogUniform{1e-3, 10}};
  const Measure plain(marginals, correlation);
  const Measure measure = plain.with_logarithm(2).with_logarithm(3);
  EXPECT_TRUE(measure.is_logarithmic(2) && measure.is_logarithmic(3));
  EXPECT_FALSE(measure.is_logarithmic(0) || measure.is_own_germ() || plain.is_logarithmic(2));
  EXPECT_EQ(measure.germs()[2].name(), "normal");
  EXPECT_EQ(measure.germs()[3].name(), "uniform");

  const Index n = 300;
  const Matrix u = uniforms(n, 4);
  Matrix eta(n, 4), theta(n, 4), back(n, 4), expected(n, 4);
  measure.germ_from_uniform(u, eta);
  measure.parameters_from_germ(eta, theta);
  measure.germ_from_parameters(theta, back);
  plain.germ_from_uniform(u, expected);
  plain.parameters_from_germ(expected, expected);
  EXPECT_LT((theta - expected).cwiseQuotient(expected).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((back - eta).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((eta.rightCols(2) - theta.rightCols(2).array().log().matrix()).cwiseAbs().maxCoeff(),
            1e-14);

  const Vector point = theta.row(7).transpose();
  const Matrix jacobian = measure.germ_jacobian(point);
  for (Index j = 0; j < 4; ++j) {
    Matrix sides = point.transpose().replicate(2, 1), germs(2, 4);
    const double h = 1e-5 * point[j];
    sides(0, j) -= h;
    sides(1, j) += h;
    measure.germ_from_parameters(sides, germs);
    const Vector slope = (germs.row(1) - germs.row(0)).transpose() / (2 * h);
    EXPECT_LT((jacobian.col(j) - slope).cwiseAbs().maxCoeff(), 1e-8 * (1 + slope.norm()));
  }
  Matrix ends(2, 1), ends_germ(2, 1);  // the ends of the interval are met
  ends << 1e-3, 10;
  const Measure interval = Measure({LogUniform{1e-3, 10}}).with_logarithm(0);
  interval.germ_from_parameters(ends, ends_germ);
  EXPECT_EQ(ends_germ(0, 0), interval.germs()[0].lower());
  interval.parameters_from_germ(ends_germ, ends_germ);
  EXPECT_NEAR(ends_germ(1, 0), 10, 1e-14);
  EXPECT_GE(ends_germ(0, 0), 1e-3);
  EXPECT_LE(ends_germ(1, 0), 10);

  EXPECT_THROW(static_cast<void>(measure.with_logarithm(0)), InputError);              // correlated
  EXPECT_THROW(static_cast<void>(Measure({Normal{}}).with_logarithm(0)), InputError);  // negative
  ends << 1, 0;
  EXPECT_THROW(interval.germ_from_parameters(ends, ends_germ), InputError);
}

TEST(Measure, DiscreteComponentUnderACopula) {
  Matrix correlation(2, 2);
  correlation << 1, 0.8, 0.8, 1;
  const Measure measure({Discrete{{0, 1, 5}, {0.2, 0.5, 0.3}}, Normal{}}, correlation);
  Matrix theta(3, 2), eta(3, 2), back(3, 2);
  theta << 0, 0.1, 1, -0.4, 5, 1.7;
  measure.germ_from_parameters(theta, eta);
  EXPECT_NEAR(eta(0, 0), normal_quantile(0.1), 1e-14);
  EXPECT_NEAR(eta(1, 0), normal_quantile(0.45), 1e-14);
  EXPECT_NEAR(eta(2, 0), normal_quantile(0.85), 1e-14);
  measure.parameters_from_germ(eta, back);
  EXPECT_LT((back - theta).cwiseAbs().maxCoeff(), 1e-14);
  const Matrix jacobian = measure.germ_jacobian(theta.row(1));
  EXPECT_EQ(jacobian.col(0), Vector::Zero(2));
  EXPECT_NEAR(jacobian(1, 1), 1 / std::sqrt(1 - 0.64), 1e-14);
}

TEST(Measure, JacobianMatchesDifferences) {
  const Measure measure = mixed_measure();
  const Index d = measure.dimension();
  const Matrix theta = sample(measure, 20);
  for (Index i = 0; i < theta.rows(); ++i) {
    const Matrix jacobian = measure.germ_jacobian(theta.row(i));
    for (Index j = 0; j < d; ++j) {
      const double step = 1e-6 * measure.marginals()[static_cast<std::size_t>(j)].sd();
      Matrix pair(2, d);
      pair.rowwise() = theta.row(i);
      pair(0, j) += step, pair(1, j) -= step;
      measure.germ_from_parameters(pair, pair);
      const Vector difference = (pair.row(0) - pair.row(1)) / (2 * step);
      EXPECT_LT((jacobian.col(j) - difference).norm(), 1e-6 * (1 + difference.norm()))
          << i << ", " << j;
    }
  }
}

TEST(Measure, MarginalsSurviveTheCopula) {
  const Measure measure = mixed_measure();
  const Index n = 1 << 15;
  const Matrix theta = sample(measure, n);
  // F_k(θ_k) is uniform: the largest deviation of its empirical distribution times √n exceeds 2.5
  // with probability 2 exp(−2 · 2.5²) < 1e-5 (Kolmogorov–Smirnov).
  for (Index k = 0; k < measure.dimension(); ++k) {
    Vector p = theta.col(k).unaryExpr(
        [&](double t) { return measure.marginals()[static_cast<std::size_t>(k)].cdf(t); });
    std::sort(p.begin(), p.end());
    const Vector grid = Vector::LinSpaced(n, 1, static_cast<double>(n)) / static_cast<double>(n);
    EXPECT_LT((p - grid).cwiseAbs().maxCoeff() * std::sqrt(n), 2.5) << k;
  }
}

Vector ranks(const Vector& x) {
  std::vector<Index> order(static_cast<std::size_t>(x.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return x[i] < x[j]; });
  Vector result(x.size());
  for (std::size_t r = 0; r < order.size(); ++r) result[order[r]] = static_cast<double>(r);
  return result;
}

TEST(Measure, RankCorrelationOfTheCopula) {
  const Measure measure = mixed_measure();
  const Matrix& rho = *measure.correlation();
  const Index n = 1 << 15, d = measure.dimension();
  const Matrix theta = sample(measure, n, 1);
  Matrix rank(n, d);
  for (Index k = 0; k < d; ++k) {
    rank.col(k) = ranks(theta.col(k));
    rank.col(k).array() -= rank.col(k).mean();
    rank.col(k).normalize();
  }
  // Spearman's correlation is (6/π) asin(ρ/2); its standard error is at most about 1/√n.
  const Matrix spearman = rank.transpose() * rank;
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j < i; ++j) {
      EXPECT_NEAR(spearman(i, j), 6 / M_PI * std::asin(rho(i, j) / 2), 5 / std::sqrt(n)) << i << j;
    }
  }
}

TEST(Measure, NormalMarginalsHaveTheGivenCorrelation) {
  const Measure measure({Normal{1, 2}, Normal{0, 1}, Normal{-3, 0.1}},
                        three_by_three(0.5, -0.4, 0.3));
  const Index n = 1 << 15;
  Matrix theta = sample(measure, n);
  theta.rowwise() -= theta.colwise().mean().eval();
  theta.colwise().normalize();
  // The standard error of a correlation is (1 − ρ²)/√n.
  EXPECT_LT((theta.transpose() * theta - *measure.correlation()).cwiseAbs().maxCoeff(),
            5 / std::sqrt(n));
}

TEST(Measure, ExtremeGermsStayFinite) {
  const Measure measure = mixed_measure();
  const Index d = measure.dimension();
  Matrix u(2, d), theta(2, d), eta(2, d);
  u.row(0).setConstant(0x1p-53);
  u.row(1).setConstant(1 - 0x1p-53);
  measure.germ_from_uniform(u, eta);
  measure.parameters_from_germ(eta, theta);
  EXPECT_TRUE(theta.allFinite());
  eta.row(0).setConstant(-60);
  eta.row(1).setConstant(60);
  measure.parameters_from_germ(eta, theta);
  EXPECT_TRUE(theta.allFinite());
  for (Index k = 0; k < d; ++k) {  // the very ends of the supports
    const Distribution& marginal = measure.marginals()[static_cast<std::size_t>(k)];
    theta(0, k) = std::isfinite(marginal.lower()) ? marginal.lower() : -1e3;
    theta(1, k) = std::isfinite(marginal.upper()) ? marginal.upper() : 1e3;
  }
  measure.germ_from_parameters(theta, eta);
  EXPECT_TRUE(eta.allFinite());
}

std::string message_of(const std::vector<Distribution>& marginals, const Matrix& correlation) {
  try {
    const Measure measure(marginals, correlation);
  } catch (const InputError& error) {
    EXPECT_EQ(error.field(), "dependence.correlation");
    return error.message();
  }
  return "accepted";
}

TEST(Measure, BadCorrelationIsExplained) {
  const std::vector<Distribution> marginals(3, Normal{});
  EXPECT_EQ(message_of(marginals, Matrix::Identity(2, 2)),
            "must be 3 × 3, one row per parameter, found 2 × 2");
  EXPECT_EQ(message_of(marginals, Matrix::Identity(3, 2)),
            "must be 3 × 3, one row per parameter, found 3 × 2");
  EXPECT_EQ(message_of(marginals, three_by_three(1.5, 0, 0)),
            "entry (1, 2) must be between -1 and 1, found 1.5");
  EXPECT_EQ(message_of(marginals, three_by_three(0, std::nan(""), 0)),
            "entry (1, 3) must be between -1 and 1, found nan");
  Matrix correlation = three_by_three(0.5, 0, 0);
  correlation(1, 1) = 0.9;
  EXPECT_EQ(message_of(marginals, correlation),
            "entry (2, 2) on the diagonal must be 1, found 0.9");
  correlation = three_by_three(0.5, 0, 0);
  correlation(2, 1) = 0.25;
  EXPECT_EQ(message_of(marginals, correlation),
            "must be symmetric: entry (2, 3) is 0, entry (3, 2) is 0.25");
  // Eigenvalues of this matrix: 1 ± 0.9 √2 and 1.
  EXPECT_EQ(message_of(marginals, three_by_three(0.9, 0.9, 0)),
            "must be positive definite; its smallest eigenvalue is -0.273");
  EXPECT_NE(message_of(marginals, three_by_three(1, 0, 0)).find("must be positive definite"),
            std::string::npos);
  EXPECT_EQ(message_of(marginals, three_by_three(0.5, 0.5 + 4e-13, 0.5)), "accepted");
}

TEST(Measure, NeedsAParameter) {
  try {
    const Measure measure(std::vector<Distribution>{});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.field(), "parameters");
    EXPECT_EQ(error.message(), "must hold at least one, found none");
  }
}

}  // namespace
}  // namespace chaosgrad
