// The limit of a mean against its definition (Dirichlet weights, by sampling), the limit of Clopper
// and Pearson, Student's, and its own promise for skewed laws.
#include "estimate/mean_limit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>

#include "random/random.h"

namespace chaosgrad::internal {
namespace {

Vector uniforms(Index first, Index count) {
  Matrix u(count, 1);
  fill_uniform(make_stream(1, Purpose::test), first, u);
  return u.col(0);
}

TEST(MeanLimit, IsAQuantileOfDirichletMeans) {
  const Vector draws = uniforms(0, 9).array().log().square();
  constexpr Index repeats = 40000;
  const double ceiling = 4 * draws.maxCoeff();
  std::vector<double> means;
  for (Index r = 0; r < repeats; ++r) {
    const Vector weights = -uniforms(100 + 10 * r, 10).array().log();
    means.push_back((weights.head(9).dot(draws) + weights(9) * ceiling) / weights.sum());
  }
  std::sort(means.begin(), means.end());
  // The saddlepoint formula is sharp in the tail, where limits are taken; in the middle, with one
  // draw that outweighs the others, it was seen to be off by 0.009.
  for (const auto& [confidence, formula] :
       {std::pair{0.3, 0.015}, {0.5, 0.015}, {0.9, 0.002}, {0.95, 0.002}, {0.99, 0.002}}) {
    const double limit = mean_limit(draws, confidence);
    const auto below = std::lower_bound(means.begin(), means.end(), limit) - means.begin();
    const double share = static_cast<double>(below) / repeats;
    // Four standard errors of the share, and the error of the formula.
    EXPECT_NEAR(share, confidence,
                4 * std::sqrt(confidence * (1 - confidence) / repeats) + formula);
  }
}

TEST(MeanLimit, IsClopperAndPearsonsForZerosAndOnes) {
  for (const Index ones : {0, 1, 5, 20}) {
    Vector draws = Vector::Zero(40);
    draws.head(ones).setOnes();
    for (const double confidence : {0.5, 0.95, 0.999}) {
      // Without a one the ceiling is the largest draw, 0.
      const double exact =
          ones == 0 ? 0
                    : quantile(boost::math::beta_distribution<>(static_cast<double>(ones + 1),
                                                                static_cast<double>(40 - ones)),
                               confidence);
      EXPECT_NEAR(mean_limit(draws, confidence, 1), exact, 0.01 * exact);
    }
  }
}

TEST(MeanLimit, ApproachesStudentsForManyDraws) {
  const Vector draws = uniforms(5000, 4000);
  const double sd = std::sqrt((draws.array() - draws.mean()).square().sum() / 3999);
  const double t = quantile(boost::math::students_t(3999), 0.95);
  const double student = draws.mean() + t * sd / std::sqrt(4000.0);
  EXPECT_NEAR(mean_limit(draws, 0.95, 1), student, 0.05 * (student - draws.mean()));
}

TEST(MeanLimit, GroupsOfManyDrawsChangeNothing) {
  // 3,000 draws are grouped. The same 1,280 repeated are not: three looks at one sample of a third
  // of the size would differ, so compare with the definition by moments: shift and scale.
  const Vector draws = uniforms(20000, 3000).array().log().square();
  const double limit = mean_limit(draws, 0.95);
  EXPECT_NEAR(mean_limit((5 * draws.array()).matrix(), 0.95), 5 * limit, 1e-9 * limit);
  EXPECT_GT(limit, draws.mean());
  EXPECT_LT(limit, 1.5 * draws.mean());
}

TEST(MeanLimit, OfDrawsThatAreAllAlike) {
  EXPECT_EQ(mean_limit(Vector::Zero(8), 0.95), 0);
  const double limit = mean_limit(Vector::Ones(8), 0.95);
  EXPECT_GT(limit, 1);
  EXPECT_LT(limit, 4);
  EXPECT_TRUE(std::isinf(mean_limit(Vector::Constant(3, infinity), 0.95)));
}

TEST(MeanLimit, SignedDraws) {
  const Vector draws = uniforms(9000, 500).array() - 0.5;
  const double limit = mean_limit(draws, 0.95);
  EXPECT_GT(limit, draws.mean());
  EXPECT_LT(limit, 0.1);
}

// The promise of the header: 32 draws of skewed laws, 600 repetitions each. The believable number
// of failures is 5 % and three standard errors, 2.7 %.
TEST(MeanLimit, HoldsForSkewedLaws) {
  struct Law {
    const char* name;
    std::function<double(double, double)> draw;  // of two uniform numbers
    double mean;
  };
  const auto normal = [](double a, double b) {
    return std::sqrt(-2 * std::log(a)) * std::cos(2 * M_PI * b);
  };
  const std::vector<Law> laws = {
      {"square", [&](double a, double b) { return std::pow(normal(a, b), 2); }, 1},
      {"fourth power", [&](double a, double b) { return std::pow(normal(a, b), 4); }, 3},
      {"lognormal", [&](double a, double b) { return std::exp(2 * normal(a, b)); }, std::exp(2.0)},
      {"Pareto", [&](double a, double) { return std::pow(a, -1 / 1.5); }, 3}};
  constexpr Index n = 32, repeats = 600;
  Index first = 1 << 20;
  for (const Law& law : laws) {
    Index failures = 0;
    for (Index r = 0; r < repeats; ++r, first += 2 * n) {
      const Vector u = uniforms(first, 2 * n);
      Vector draws(n);
      for (Index i = 0; i < n; ++i) draws(i) = law.draw(u(2 * i), u(2 * i + 1));
      failures += mean_limit(draws, 0.95) < law.mean ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(failures) / repeats, 0.05 + 0.027) << law.name;
  }
}

TEST(ConfidenceOfLook, SpendsTheDoubtOnce) {
  double doubt = 0;
  for (Index k = 1; k <= 100000; ++k) doubt += 1 - confidence_of_look(k, 0.95);
  EXPECT_LE(doubt, 0.05);
  EXPECT_NEAR(doubt, 0.05, 1e-5);
}

}  // namespace
}  // namespace chaosgrad::internal
