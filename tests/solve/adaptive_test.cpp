// The adaptive solvers and their parts, each against another way to the same number.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "chaosgrad/chaosgrad.h"
#include "curvature/curvature.h"
#include "curvature/metric.h"
#include "estimate/weighted_fit.h"
#include "parallel/executor.h"
#include "random/random.h"
#include "samples/mixture.h"
#include "solve/collocation/design/prior.h"
#include "solve/common/goal.h"
#include "solve/common/growth.h"
#include "solve/pointwise/pointwise.h"
#include "solve/sieve/probe.h"

namespace chaosgrad {
using namespace internal;
namespace {

Matrix uniform_numbers(Index rows, Index columns, std::uint64_t id) {
  Matrix u(rows, columns);
  fill_uniform(make_stream(1, Purpose::test, id), 0, u);
  return u;
}

Measure uniform_measure(Index d) {
  return Measure(
      std::vector<Distribution>(static_cast<std::size_t>(d), Distribution(Uniform{-1, 1})));
}

// x*(θ) = (exp θ, θ exp θ) with a Hessian that depends on θ; no noise.
auto smooth_problem() {
  PerSampleProblem problem(2, uniform_measure(1), 0,
                           [](const Vector& x, const Vector& theta, const Vector&) {
                             const double t = theta(0), a = std::exp(t);
                             const double inner = x(1) - t * x(0);
                             return Vector{{x(0) - a - 4 * t * inner, 4 * inner}};
                           });
  problem.known.reference = [](Block theta, BlockOut x) {
    x.col(0) = theta.col(0).array().exp();
    x.col(1) = theta.col(0).array() * theta.col(0).array().exp();
  };
  return problem;
}

// x*(θ) = sin θ, gradient with normal noise of variance 1 and curvature 2.
auto noisy_problem() {
  PerSampleProblem problem(
      1, uniform_measure(1), 1, [](const Vector& x, const Vector& theta, const Vector& noise) {
        return Vector{{2 * (x(0) - std::sin(theta(0))) + normal_quantile(noise(0))}};
      });
  problem.known.strong_convexity = 2;
  problem.known.reference = [](Block theta, BlockOut x) { x.col(0) = theta.col(0).array().sin(); };
  return problem;
}

// With penalties p: rows √p_i e_i, of value 0, below those of the samples. More functions than
// samples are no trouble.
class WeightedFits : public ::testing::TestWithParam<Index> {};

TEST_P(WeightedFits, AgreeWithQrAndWithLeavingOut) {
  const Index n = 700, m = GetParam();
  const Matrix psi = (uniform_numbers(n, m, 1).array() - 0.5).matrix();
  const Vector weights = uniform_numbers(n, 1, 2).array() + 0.5;
  const Matrix x = uniform_numbers(n, 2, 3);
  Executor executor(2);
  const Vector penalties = Vector::LinSpaced(m, m > n ? 0.1 : 0, 3);
  const auto design = WeightedDesign::make(psi, weights, penalties, executor);
  ASSERT_TRUE(design);
  const WeightedFit fit = design->fit(x, executor);
  const auto solve = [&](const Vector& w) {
    Matrix rows(n + m, m), values = Matrix::Zero(n + m, x.cols());
    rows << w.cwiseSqrt().asDiagonal() * psi, Matrix(penalties.cwiseSqrt().asDiagonal());
    values.topRows(n) = w.cwiseSqrt().asDiagonal() * x;
    return Matrix(rows.householderQr().solve(values));
  };
  const Matrix exact = solve(weights);
  EXPECT_LT((fit.u - exact).norm(), 1e-10 * exact.norm());
  EXPECT_LT((fit.residuals - (x - psi * exact)).norm(), 1e-10 * x.norm());
  for (const Index j : {0, 123, 699}) {
    Vector without = weights;
    without(j) = 0;
    const double brute = (x.row(j) - psi.row(j) * solve(without)).norm();
    EXPECT_NEAR(fit.residuals.row(j).norm() / design->slack()(j), brute, 1e-8 * brute);
  }
  const Matrix gram = psi.transpose() * weights.asDiagonal() * psi + Matrix(penalties.asDiagonal());
  const Vector inverse = gram.inverse().diagonal();
  EXPECT_LT((design->determined() - (1 - penalties.array() * inverse.array()).matrix())
                .cwiseAbs()
                .maxCoeff(),
            1e-9);
}
INSTANTIATE_TEST_SUITE_P(Sizes, WeightedFits, ::testing::Values(9, 600, 900));

TEST(WeightedFit, IsEmptyWithoutEnoughSamples) {
  Executor executor(1);
  EXPECT_FALSE(
      WeightedDesign::make(uniform_numbers(3, 5, 1), Vector::Ones(3), Vector::Zero(5), executor));
}

// Coefficients drawn with variances exp(2 − 1.5 ν_1 − 3 ν_2 − 6 ν_3), all of them known exactly: the
// slopes come back within the noise of q = 40 squares each.
TEST(Prior, FindsTheDecayOfCoefficients) {
  using namespace collocation;
  const Index n = 400, q = 40;
  const IndexSet indices = IndexSet::first(3, 84);
  const Vector truth{{2.0, 1.5, 3.0, 6.0}};
  const Basis basis(std::vector<Family>(3, Family(Distribution(Uniform{-1, 1}))), indices);
  Executor executor(1);
  const Matrix eta = 2 * uniform_numbers(n, 3, 4).array() - 1;
  const Matrix numbers = uniform_numbers(84, q, 5);
  Coefficients u(84, q);
  for (Index i = 0; i < 84; ++i) {
    double log_variance = truth(0);
    for (Index k = 0; k < 3; ++k)
      log_variance -= truth(k + 1) * indices[i][static_cast<std::size_t>(k)];
    for (Index c = 0; c < q; ++c)
      u(i, c) = std::exp(log_variance / 2) * normal_quantile(numbers(i, c)) / std::sqrt(q);
  }
  const Matrix psi = basis_table(basis, eta, 84, executor);
  const DesignTuning tuning;
  Prior prior = first_prior(indices, psi * u, tuning);
  prior.noise = 1e-20;
  const auto design = WeightedDesign::make(psi, Vector::Ones(n), prior.penalties(), executor);
  ASSERT_TRUE(design);
  prior = learn_prior(prior, indices, *design, design->fit(psi * u, executor), 1e-20, tuning);
  // 83 squares, each a mean of 40: a slope has a standard error of about 0.05; the usual slope
  // weighs as much as one function.
  EXPECT_LT((prior.decay - truth).cwiseAbs().maxCoeff(), 0.4);
  for (Index i = 1; i < 84; ++i) {
    const double own = u.row(i).squaredNorm();
    EXPECT_LT(std::abs(std::log(prior.variances(i) / own)), 1) << i;
  }
}

// Under the mixture, mean(w ψ_i ψ_j) is an unbiased estimate of δ_ij.
TEST(Mixture, WeightsMakeTheBasisOrthonormal) {
  const Measure measure({Distribution(Normal{0, 1})});
  const Basis basis({Family(Distribution(Normal{0, 1}))}, IndexSet::first(1, 6));
  const MixtureSampler sampler(measure, 7);
  const Index each = 2000;
  const Mixture mixture{each, std::vector<Index>(6, each)};
  Matrix eta(mixture.size(), 1);
  eta.topRows(each) = sampler.from_measure(0, each);
  for (Index i = 0; i < 6; ++i) {
    const std::vector<MultiIndex> densities(static_cast<std::size_t>(each), {static_cast<int>(i)});
    eta.middleRows((i + 1) * each, each) = sampler.induced(i * each, basis.families(), densities);
  }
  Executor executor(1);
  const Matrix psi = basis_table(basis, eta, 6, executor);
  const Vector weights = mixture.weights(psi);
  EXPECT_LE(weights.maxCoeff(), 7.0 + 1e-12);  // N/N_π
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const Vector terms = weights.cwiseProduct(psi.col(i)).cwiseProduct(psi.col(j));
      const double mean = terms.mean();
      const double error =
          std::sqrt((terms.array() - mean).square().mean() / static_cast<double>(terms.size()));
      EXPECT_NEAR(mean, i == j ? 1 : 0, 4 * error + 1e-9);
    }
  }
}

TEST(Curvature, DenseAndKrylovFindTheHessian) {
  for (const Index q : {6, 260}) {
    const Matrix A = uniform_numbers(q, q, 5).array() - 0.5;
    const Matrix H = A * A.transpose() / static_cast<double>(q) + Matrix::Identity(q, q);
    const auto gradient = [&](const Vector& x) -> Vector { return H * x; };
    const Curvature curvature =
        measure_curvature(gradient, Vector::Ones(q), false, make_stream(1, Purpose::test, 20));
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(H);
    EXPECT_NEAR(curvature.highest(), eigen.eigenvalues().maxCoeff(), 1e-4);
    EXPECT_NEAR(curvature.lowest(), eigen.eigenvalues().minCoeff(), 1e-2);
    if (q == 6) {
      const Matrix g = uniform_numbers(3, q, 6);
      EXPECT_LT((curvature.solve(g) - g * H.inverse()).norm(), 1e-6);
    }
  }
}

// Many quadratics of very different Hessians, from one common inverse that fits none of them.
TEST(Pointwise, EveryPointReachesItsOptimum) {
  const Index n = 300, q = 5;
  const Matrix theta = uniform_numbers(n, 1, 8), start = Matrix::Zero(n, q);
  const auto hessian = [&](double t) -> Vector {
    return Vector::LinSpaced(q, 1, 5).array().pow(6 * t - 3);
  };
  const PointGradient gradient{[&](Block x, Block t, BlockOut g) {
    for (Index i = 0; i < x.rows(); ++i)
      g.row(i) = ((x.row(i).array() - 1) * hessian(t(i, 0)).transpose().array()).matrix();
  }};
  Points points;
  points.append(theta, theta, start);
  Executor executor(2);
  const MeanInverse inverse(decompose(Matrix::Identity(q, q)));
  const PointReport report =
      polish(gradient, inverse, {.tolerance = 1e-6}, {0, n}, points, executor);
  EXPECT_EQ(report.unsolved, 0);
  EXPECT_LT((points.value.array() - 1).abs().maxCoeff(), 1e-4);
  EXPECT_GE(report.lowest_curvature, std::pow(5.0, -3) * (1 - 1e-6));
  EXPECT_LE(report.highest_curvature, std::pow(5.0, 3) * (1 + 1e-6));
}

TEST(Growth, CandidatesSurroundWhatIsSignificant) {
  IndexSet indices = IndexSet::from({{0, 0}, {1, 0}, {0, 1}});
  const std::vector<Family> families(2, Family(Distribution(Uniform{-1, 1})));
  const auto found = candidates(indices, {1, 1, 0}, families, 1);
  const std::vector<MultiIndex> expected = {{0, 2}, {0, 3}, {1, 1}, {2, 0}, {3, 0}};
  EXPECT_EQ(found, expected);
  const Gains gains{Vector{{1, 8, 4, 0.1}}, Vector{{0.9, 1, 1, 1}}};
  EXPECT_EQ(mark(gains, {.noise_factor = 3, .bulk = 0.99, .always = 0, .most = 9}),
            (std::vector<Index>{1, 2}));
  EXPECT_EQ(mark(gains, {.noise_factor = 3, .bulk = 0.5, .always = 0, .most = 9}),
            std::vector<Index>{1});
}

// Coverage of the mean of squares of normals, which is skewed: at least what it promises, less
// three standard errors of the count.
TEST(UpperMean, CoversSkewedMeans) {
  const int trials = 2000;
  int covered = 0;
  for (int t = 0; t < trials; ++t) {
    const Matrix u = uniform_numbers(64, 1, 100 + static_cast<std::uint64_t>(t));
    Vector z(64);
    for (Index i = 0; i < 64; ++i) z(i) = std::pow(normal_quantile(u(i, 0)), 2);
    covered += upper_mean(z, 0.95) >= 1 ? 1 : 0;
  }
  EXPECT_GE(covered, 0.95 * trials - 3 * std::sqrt(trials * 0.05 * 0.95));
}

// On a grid that is even in U = F(η) sums of waves are exact.
TEST(Probe, IsOrthonormal) {
  for (const Index d : {1, 2, 5}) {
    const std::vector<Distribution> all = {Gamma{2, 0.5}, Normal{1, 2}, Uniform{-1, 1},
                                           Beta{2, 3, 0, 1}, Exponential{1}};
    const std::vector<Distribution> germs(all.begin(), all.begin() + d);
    const Probe probe(germs);
    const auto side = static_cast<Index>(d == 1 ? 64 : d == 2 ? 24 : 8);
    const auto count = static_cast<Index>(std::pow(side, d));
    Matrix gram = Matrix::Zero(probe.size() + 1, probe.size() + 1), eta(1, d);
    for (Index n = 0; n < count; ++n) {
      for (Index j = 0, rest = n; j < d; ++j, rest /= side) {
        const double u = (static_cast<double>(rest % side) + 0.5) / static_cast<double>(side);
        eta(0, j) = germs[static_cast<std::size_t>(j)].quantile(u);
      }
      Vector values(probe.size() + 1);
      values << 1, probe.evaluate(eta).transpose();
      gram += values * values.transpose() / static_cast<double>(count);
    }
    EXPECT_LT((gram - Matrix::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff(), 1e-9) << d;
  }
}

// A jump in one of two correlated parameters: polynomials in the germ swing widely far out, and the
// objective overflows at such predictions. The run goes on from known optima and stays honest.
TEST(Collocation, BadPredictionsDoNotEndTheRun) {
  Matrix correlation(2, 2);
  correlation << 1, -0.5, -0.5, 1;
  const auto optimum = [](double a, double b) { return a + std::sin(2 * b); };
  PerSampleProblem problem(
      1, Measure({Discrete{{-1, 0, 0.5, 2}, {1, 3, 2, 1}}, LogUniform{0.2, 1}}, correlation), 0,
      [&](const Vector& x, const Vector& theta, const Vector&) {
        return Vector{{10 * std::sinh(10 * (x(0) - optimum(theta(0), theta(1))))}};
      });
  problem.known.reference = [&](Block theta, BlockOut x) {
    for (Index i = 0; i < theta.rows(); ++i) x(i, 0) = optimum(theta(i, 0), theta(i, 1));
  };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Solution solution =
        solve(problem, {.relative_tolerance = 1e-4, .seed = seed, .max_gradients = 6000});
    EXPECT_TRUE(solution.status == Status::out_of_gradients || solution.status == Status::stalled)
        << solution.message;
    EXPECT_GT(solution.gradients, 3000);
    EXPECT_GT(*solution.error.estimate, 0.5 * *solution.true_error);
    EXPECT_LT(*solution.error.estimate, 2 * *solution.true_error);
  }
}

TEST(Collocation, ReachesTheToleranceAndKnowsIt) {
  const auto problem = smooth_problem();
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Solution solution = solve(problem, {.relative_tolerance = 1e-6, .seed = seed});
    ASSERT_EQ(solution.status, Status::converged) << solution.message;
    EXPECT_LE(*solution.true_error, 1e-6 * solution.expansion.coefficients().norm());
    EXPECT_GT(*solution.error.estimate, 0.3 * *solution.true_error);
    EXPECT_LT(solution.gradients, 400);
    EXPECT_FALSE(solution.error.bound.has_value());  // μ is not given
  }
}

// Stiff in another direction for every θ: the first two steps of a point may shrink although it is
// far from its optimum. Such points must not hold up the run.
TEST(Collocation, PointsThatSeemDoneDoNotHoldUpTheRun) {
  const double pi = std::numbers::pi;
  PerSampleProblem problem(2, Measure({Distribution(Uniform{-pi, pi})}), 0,
                           [](const Vector& x, const Vector& theta, const Vector&) {
                             const double t = std::exp(std::sin(theta(0)));
                             const double inner = 10 * (x(1) - t * x(0));
                             return Vector{{1.2 * x(0) - t - t * inner, inner}};
                           });
  problem.known.bases = {Family::Kind::fourier};
  problem.known.reference = [](Block theta, BlockOut x) {
    const auto t = theta.col(0).array().sin().exp();
    x.col(0) = t / 1.2;
    x.col(1) = t.square() / 1.2;
  };
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    const Solution solution = solve(problem, {.relative_tolerance = 1e-4, .seed = seed});
    ASSERT_EQ(solution.status, Status::converged) << solution.message;
    EXPECT_LE(*solution.true_error, 1e-4 * solution.expansion.coefficients().norm());
    EXPECT_LT(solution.gradients, 400);
  }
}

// The error is that of a mean of N samples: its square is near m σ²/(H² N).
TEST(Sieve, ReachesTheToleranceNearTheStatisticalLimit) {
  const auto problem = noisy_problem();
  double excess = 0;
  const int seeds = 12;
  int met = 0, bounded = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Solution solution = solve(problem, {.tolerance = 1e-2, .seed = seed});
    ASSERT_EQ(solution.status, Status::converged) << solution.message;
    met += *solution.true_error <= 1e-2 ? 1 : 0;
    bounded += *solution.error.bound >= *solution.true_error ? 1 : 0;
    const double limit = static_cast<double>(solution.expansion.coefficients().rows()) / 4 /
                         static_cast<double>(solution.gradients);
    excess += std::pow(*solution.true_error, 2) / limit / seeds;
    Coefficients mean = Coefficients::Zero(solution.expansion.coefficients().rows(), 1);
    for (const Coefficients& replicate : solution.replicates)
      mean += replicate / static_cast<double>(solution.replicates.size());
    EXPECT_LT((mean - solution.expansion.coefficients()).norm(), 1e-12);
  }
  EXPECT_GE(met, seeds - 1);
  EXPECT_GE(bounded, seeds - 1);
  EXPECT_LT(excess, 2.5);
}

// Wrong facts and wrong gradients end with a status that says so, without noise and with.
class Wrong : public testing::TestWithParam<Index> {
 protected:
  // Curvatures (a, b) of the two components, and a coupling.
  [[nodiscard]] auto problem(double a, double b, double slope = 0) const {
    return PerSampleProblem(2, uniform_measure(1), GetParam(),
                            [=](const Vector& x, const Vector& theta, const Vector& noise) {
                              const double v = noise.size() > 0 ? normal_quantile(noise(0)) : 0;
                              const double curvature = a + slope * theta(0);
                              return Vector{{curvature * x(0) - theta(0) + v + 0.5 * x(1),
                                             b * (x(1) - 1) + 0.5 * x(0)}};
                            });
  }
};

TEST_P(Wrong, StrongConvexityTenTimesTooLargeIsNoticed) {
  auto wrong = problem(1, 2);
  wrong.known.strong_convexity = 8;
  const Solution solution = solve(wrong, {.tolerance = 0.05});
  EXPECT_EQ(solution.status, Status::inconsistent);
  EXPECT_FALSE(solution.error.bound.has_value());
  EXPECT_NE(solution.message.find("strong_convexity"), std::string::npos);
}

TEST_P(Wrong, SmoothnessTooSmallIsNoticed) {
  auto wrong = problem(1, 20);
  wrong.known.smoothness = 2;
  EXPECT_EQ(solve(wrong, {.tolerance = 0.05}).status, Status::inconsistent);
}

TEST_P(Wrong, AFlippedSignIsNoticed) {
  const PerSampleProblem flipped(
      2, uniform_measure(1), GetParam(),
      [](const Vector& x, const Vector& theta, const Vector& noise) {
        const double v = noise.size() > 0 ? normal_quantile(noise(0)) : 0;
        return Vector{{x(0) - theta(0) + v + 0.5 * x(1), -(2 * (x(1) - 1) + 0.5 * x(0))}};
      });
  const Solution solution = solve(flipped, {.tolerance = 0.05});
  EXPECT_TRUE(solution.status == Status::bad_gradient ||
              solution.status == Status::not_strongly_convex)
      << to_string(solution.status);
  EXPECT_NE(solution.message.find("sign"), std::string::npos);
}

TEST_P(Wrong, ConcaveForSomeThetaIsNoticed) {
  const Solution solution =
      solve(problem(0.7, 2, 1.5), {.tolerance = 0.05, .max_gradients = 200000});
  EXPECT_TRUE(is_failure(solution.status)) << solution.message;
}

INSTANTIATE_TEST_SUITE_P(WithoutAndWithNoise, Wrong, testing::Values(0, 1));

}  // namespace
}  // namespace chaosgrad
