// Hessians by differences, Lanczos' method and the metric, against closed forms.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "chaosgrad/chaosgrad.h"
#include "curvature/hessian_noise.h"
#include "curvature/metric.h"
#include "random/random.h"

namespace chaosgrad {
using namespace internal;
namespace {

Matrix uniform_numbers(Index rows, Index columns, std::uint64_t id) {
  Matrix u(rows, columns);
  fill_uniform(make_stream(9, Purpose::test, id), 0, u);
  return u;
}

// f = Σ exp(a_i·x), rows of a: ∇²f = Σ exp(a_i·x) a_i a_iᵀ.
struct Exponentials {
  Matrix a = uniform_numbers(6, 4, 1);
  [[nodiscard]] Vector gradient(const Vector& x) const {
    return a.transpose() * (a * x).array().exp().matrix();
  }
  [[nodiscard]] Matrix hessian(const Vector& x) const {
    return a.transpose() * (a * x).array().exp().matrix().asDiagonal() * a;
  }
};

// Ten digits from central, five from forward differences, as the rule promises; a step ten times
// longer or shorter costs at most two and one of them.
TEST(Differences, HaveTheDigitsThatTheRulePromises) {
  const Exponentials f;
  const auto gradient = [&](const Vector& x) { return f.gradient(x); };
  for (const double size : {0.1, 1.0, 3.0}) {
    const Vector x = size * (2 * uniform_numbers(4, 1, 2).array() - 1);
    const Matrix exact = f.hessian(x);
    const auto error = [&](Difference kind, double factor) {
      const Vector h = factor * relative_step(kind, false) * (1 + x.array().abs());
      return (hessian_by_differences(gradient, x, h, kind) - exact).norm() / exact.norm();
    };
    EXPECT_LT(error(Difference::central, 1), 1e-9);
    EXPECT_LT(error(Difference::central, 10), 1e-7);
    EXPECT_LT(error(Difference::central, 0.1), 1e-8);
    EXPECT_LT(error(Difference::forward, 1), 1e-4);
    EXPECT_LT(error(Difference::forward, 10), 1e-3);
  }
}

// ∇F = (1 + θ) x³ + noise: at each sample the Hessian is diagonal, 3 (1 + θ) x².
TEST(Differences, AtEachSampleAreThoseOfItsOwn) {
  const PerSampleProblem problem(2, Measure({Distribution(Uniform{0, 1})}), 1,
                                 [](const Vector& x, const Vector& theta, const Vector& noise) {
                                   return Vector((1 + theta(0)) * x.array().cube() + noise(0));
                                 });
  const Index n = 50;
  const Matrix x = uniform_numbers(n, 2, 3), theta = uniform_numbers(n, 1, 4),
               noise = uniform_numbers(n, 1, 5);
  for (const Difference kind : {Difference::forward, Difference::central}) {
    const std::vector<Matrix> hessians = sample_hessians(problem, x, theta, noise, kind, false);
    for (Index i = 0; i < n; ++i) {
      const Vector exact = 3 * (1 + theta(i, 0)) * x.row(i).transpose().array().square();
      const Matrix& found = hessians[static_cast<std::size_t>(i)];
      EXPECT_LT((found - Matrix(exact.asDiagonal())).norm(),
                kind == Difference::central ? 1e-8 : 1e-3);
    }
  }
}

// ∇F = −1/(θ − x), the gradient of log(θ − x), which ends at x = θ: near it the step goes backward.
TEST(Differences, AtTheEdgeOfADomainGoToItsInside) {
  const PerSampleProblem problem(
      1, Measure({Distribution(Uniform{0, 1})}), 0,
      [](const Vector& x, const Vector& theta, const Vector&) {
        const double room = theta(0) - x(0);
        return Vector::Constant(1, room > 0 ? -1 / room : std::numeric_limits<double>::quiet_NaN());
      });
  const Matrix x = Matrix{{0.0}, {0.99}}, theta = Matrix::Ones(2, 1), noise(2, 0);
  const std::vector<Matrix> hessians =
      sample_hessians(problem, x, theta, noise, Difference::forward, true);
  const double h = difference_step(Difference::forward, true, 0.495);
  EXPECT_NEAR(hessians[0](0, 0), (-1 / (1 - h) + 1) / h, 1e-12);
  EXPECT_NEAR(hessians[1](0, 0), (-1 / 0.01 + 1 / (0.01 + h)) / h, 1e-9);
}

// On as many vectors as there are dimensions the method is exact; a matrix with three eigenvalues
// ends it after three.
TEST(Lanczos, FindsAllEigenvaluesOfASmallMatrix) {
  const Matrix a = uniform_numbers(30, 30, 6).array() - 0.5;
  const Matrix H = a * a.transpose() + Matrix::Identity(30, 30);
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(H);
  const auto space = lanczos([&](const Vector& v) -> Vector { return H * v; }, 30,
                             make_stream(9, Purpose::test, 7));
  const Curvature curvature = decompose(space);
  EXPECT_LT((curvature.eigenvalues - eigen.eigenvalues()).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((space.vectors.transpose() * space.vectors - Matrix::Identity(30, 30)).norm(), 1e-12);
  EXPECT_LT((curvature.matrix() - H).norm(), 1e-9);

  Vector few = Vector::Constant(30, 2);
  few.head(10).setConstant(1);
  few.tail(10).setConstant(5);
  const KrylovSpace small = lanczos([&](const Vector& v) -> Vector { return few.cwiseProduct(v); },
                                    30, make_stream(9, Purpose::test, 8));
  EXPECT_EQ(small.vectors.cols(), 3);
  EXPECT_NEAR(decompose(small).lowest(), 1, 1e-12);
  EXPECT_NEAR(decompose(small).highest(), 5, 1e-12);
}

// H(θ) = (2 + 1.5 θ) A, exactly linear in θ: the metric is its inverse. Where H does not vary the
// mean serves.
TEST(LocalMetric, InvertsAHessianThatIsLinearInTheGerm) {
  const Index n = 2 * block_size, q = 3;
  const std::vector<Family> families = {Family(Distribution(Uniform{-1, 1}))};
  const Matrix a = uniform_numbers(q, q, 9), A = a * a.transpose() + Matrix::Identity(q, q);
  for (const double slope : {1.5, 0.0}) {
    HessianSamples samples{
        (2 * uniform_numbers(n, 1, 10).array() - 1).matrix(), Vector::Ones(n), {}};
    for (Index i = 0; i < n; ++i) samples.hessians.emplace_back((2 + slope * samples.eta(i)) * A);
    const LocalMetric metric =
        fit_metric(samples, decompose(mean_hessian(samples)), families, std::nullopt);
    EXPECT_EQ(metric.parts().empty(), slope == 0);
    const Matrix g = uniform_numbers(n, q, 11);
    const Matrix steps = metric.steps(samples.eta, g);
    for (Index i = 0; i < n; ++i) {
      const Vector exact = A.ldlt().solve(g.row(i).transpose()) / (2 + slope * samples.eta(i));
      EXPECT_LT((steps.row(i).transpose() - exact).norm(), 1e-10 * exact.norm());
    }
  }
}

// Hessians as beside a kink: 20 with probability (1 + 0.9 θ)/20, else 0, so that their mean is
// 1 + 0.9 θ. What is fitted to few of them is mostly noise: it is taken for no variation, or shrunk, so
// that the error is hardly above that of the mean alone; with many it is far below.
TEST(LocalMetric, ShrinksWhatIsNoise) {
  constexpr double slope = 0.9, rare = 0.05;
  const std::vector<Family> families = {Family(Distribution(Uniform{-1, 1}))};
  for (const Index blocks : {2, 8, 32, 128}) {
    const Index n = blocks * block_size;
    double shrunk = 0, constant = 0;
    for (std::uint64_t key = 0; key < 20; ++key) {
      HessianSamples samples{
          (2 * uniform_numbers(n, 1, 100 + key).array() - 1).matrix(), Vector::Ones(n), {}};
      const Matrix u = uniform_numbers(n, 1, 200 + key);
      for (Index i = 0; i < n; ++i) {
        const bool hit = u(i) < rare * (1 + slope * samples.eta(i));
        samples.hessians.emplace_back(Matrix::Constant(1, 1, hit ? 1 / rare : 0));
      }
      const Matrix mean = mean_hessian(samples);
      const LocalMetric metric = fit_metric(samples, decompose(mean), families, std::nullopt);
      const Matrix eta = Vector::LinSpaced(21, -0.9, 0.9), g = Matrix::Ones(21, 1);
      const Vector steps = metric.steps(eta, g);
      for (Index i = 0; i < eta.rows(); ++i) {
        const double exact = 1 + slope * eta(i);
        shrunk += std::pow(1 / steps(i) - exact, 2);
        constant += std::pow(mean(0, 0) - exact, 2);
      }
    }
    EXPECT_LT(shrunk, 1.1 * constant) << n;
    if (blocks == 128) {
      EXPECT_LT(shrunk, 0.1 * constant);
    }
  }
}

}  // namespace
}  // namespace chaosgrad
