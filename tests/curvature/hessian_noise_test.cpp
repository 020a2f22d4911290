// Means of noisy Hessians: standard errors against closed forms, alarms against their rate.
#include "curvature/hessian_noise.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "support/keyed_numbers.h"

namespace chaosgrad {
using namespace internal;
using chaosgrad::testing::signed_numbers;
namespace {

HessianSamples samples_of(std::vector<Matrix> hessians) {
  const auto n = static_cast<Index>(hessians.size());
  return {Matrix::Zero(n, 1), Vector::Ones(n), std::move(hessians)};
}

TEST(HessianNoise, MeanAndErrorsAreThoseOfTheTextbook) {
  HessianSamples samples =
      samples_of({Matrix{{1.0, 0}, {0, 2}}, Matrix{{3.0, 0}, {0, 2}}, Matrix{{100.0, 7}, {0, 2}}});
  samples.weights = Vector{{1, 1, 0}};  // the last one does not count
  const Matrix mean = mean_hessian(samples);
  EXPECT_EQ(mean, (Matrix{{2.0, 0}, {0, 2}}));
  const Vector errors = quotient_errors(samples, mean, Matrix::Identity(2, 2));
  EXPECT_DOUBLE_EQ(errors(0), std::sqrt((1.0 + 1) / 4));  // Σ (value − mean)² / (Σ w)²
  EXPECT_EQ(errors(1), 0);
  EXPECT_EQ(asymmetry_of(samples, mean).signal, 0);
}

// H_01 − H_10 = 0.5 + noise of standard deviation 1 over n draws: √n/2 standard errors.
TEST(HessianNoise, AsymmetryIsCountedInStandardErrors) {
  const Index n = 3200;
  const Matrix noise = std::sqrt(3.0) * signed_numbers(1, n, 1);
  for (const double skew : {0.5, 0.0}) {
    std::vector<Matrix> hessians;
    for (Index j = 0; j < n; ++j) hessians.emplace_back(Matrix{{1, skew + noise(j)}, {0, 1}});
    const HessianSamples samples = samples_of(std::move(hessians));
    const Asymmetry found = asymmetry_of(samples, mean_hessian(samples));
    EXPECT_NEAR(found.signal, skew * std::sqrt(static_cast<double>(n)), 4);
    EXPECT_EQ(found.row, 1);
    EXPECT_EQ(found.column, 0);
  }
}

// Of 256 draws with H = −1 in the lowest quarter of one parameter, and 1 elsewhere.
TEST(HessianNoise, ConcavityIsFoundWithItsPlaceAndDirection) {
  const Index n = 512;
  const Matrix levels = (0.5 * (1 + signed_numbers(2, n, 2).array())).matrix();
  const Matrix noise = signed_numbers(3, n, 1);
  std::vector<Matrix> hessians;
  for (Index j = 0; j < n; ++j) {
    Matrix hessian = Matrix::Identity(2, 2) * 3;
    hessian(1, 1) = (levels(j, 1) < 0.25 ? -1 : 1) + noise(j);
    hessians.push_back(hessian);
  }
  const std::optional<Concavity> found =
      find_concavity(samples_of(std::move(hessians)), levels, 1e-4);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->parameter, 1);
  EXPECT_EQ(found->quarter, 0);
  EXPECT_NEAR(std::abs(found->direction(1)), 1, 1e-6);
  EXPECT_NEAR(found->curvature, -1, 4 * found->error);
  EXPECT_NEAR(found->error, 1 / std::sqrt(3.0 * n / 8), 0.3 / std::sqrt(3.0 * n / 8));
}

// Curvature 0 with symmetric noise: 400 metrics with 5 trials each, an alarm in 10^4 of them.
TEST(HessianNoise, NoiseAloneRaisesNoAlarm) {
  const Index n = 256;
  for (std::uint64_t key = 0; key < 400; ++key) {
    const Matrix noise = signed_numbers(100 + key, n, 3),
                 levels = (0.5 * (1 + signed_numbers(1000 + key, n, 1).array())).matrix();
    std::vector<Matrix> hessians;
    for (Index j = 0; j < n; ++j)
      hessians.emplace_back(Matrix{{noise(j, 0), noise(j, 1)}, {noise(j, 1), noise(j, 2)}});
    EXPECT_FALSE(find_concavity(samples_of(std::move(hessians)), levels, 1e-4)) << key;
  }
}

TEST(HessianNoise, UncertainEigenvaluesAreRaised) {
  Curvature curvature = decompose(Matrix(Vector{{-9, -0.5, 0.1, 5}}.asDiagonal()));
  const Curvature used = damped(curvature, Vector{{1, 1, 0.2, 1}}, 2);
  EXPECT_EQ(used.eigenvalues, (Vector{{9, 2, 0.4, 5}}));  // by its size, twice raised, as it is
  EXPECT_EQ(used.vectors, curvature.vectors);
}

}  // namespace
}  // namespace chaosgrad
