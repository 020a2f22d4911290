// One descent from any start: against closed forms, on functions where Newton's method alone fails.
#include "solve/pointwise/trust_region.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "curvature/curvature.h"

namespace chaosgrad::internal {
namespace {

using Outcome = Minimum::Outcome;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

PointFunction function_of(std::function<double(const Vector&)> value,
                          std::function<Vector(const Vector&)> gradient) {
  PointFunction f{.value = std::move(value), .gradient = gradient, .hessian = {}};
  f.hessian = [gradient](const Vector& x) -> Matrix {
    const Vector h = 6e-6 * (1 + x.array().abs());
    return hessian_by_differences(gradient, x, h, Difference::central);
  };
  return f;
}

// a x − log x, of which the gradient is finite on the wrong side, too.
PointFunction barrier(double a) {
  return function_of([a](const Vector& x) { return x(0) > 0 ? a * x(0) - std::log(x(0)) : nan; },
                     [a](const Vector& x) -> Vector { return Vector::Constant(1, a - 1 / x(0)); });
}

TEST(TrustRegion, FindsTheMinimumOfABarrierFromAnyStart) {
  for (const double start : {1e-6, 0.1, 1.0, 1e3, 1e8}) {
    for (const double a : {1e-3, 1.0, 1e4}) {
      const Minimum found =
          minimise(barrier(a), Vector::Constant(1, start), {.tolerance = 1e-10 / a});
      EXPECT_EQ(found.outcome, Outcome::found) << start << " " << a;
      EXPECT_NEAR(found.x(0) * a, 1, 1e-8);
      EXPECT_NEAR(found.eigenvalue / (a * a), 1, 1e-2);
    }
  }
}

TEST(TrustRegion, SaysThatTheStartIsOutside) {
  const Minimum found = minimise(barrier(1), Vector::Constant(1, -1), {.tolerance = 1e-8});
  EXPECT_EQ(found.outcome, Outcome::outside_domain);
}

// |x|^1.5 − b x: the curvature has no limit at 0, where the minimum is if b = 0; (3/2) √x = b if not.
TEST(TrustRegion, ArrivesWhereTheCurvatureGrowsWithoutEnd) {
  for (const double b : {0.0, 1e-4, -0.3}) {
    PointFunction f = function_of(
        [b](const Vector& x) { return std::pow(std::abs(x(0)), 1.5) - b * x(0) + 2; },
        [b](const Vector& x) -> Vector {
          return Vector::Constant(1, std::copysign(1.5 * std::sqrt(std::abs(x(0))), x(0)) - b);
        });
    f.hessian = [](const Vector& x) -> Matrix {
      return Matrix::Constant(1, 1, 0.75 / std::sqrt(std::abs(x(0))));
    };
    for (const double start : {1e-3, 0.2, -5.0, 1e4}) {
      const Minimum found = minimise(f, Vector::Constant(1, start), {.relative_tolerance = 1e-10});
      EXPECT_EQ(found.outcome, Outcome::found) << b << " from " << start;
      // f is known to 1e-12: so is |x|^1.5 beside 0.
      EXPECT_NEAR(found.x(0), std::copysign(std::pow(b / 1.5, 2), b), 1e-7) << b << " " << start;
    }
  }
}

PointFunction rosenbrock() {
  return function_of(
      [](const Vector& x) { return std::pow(1 - x(0), 2) + 100 * std::pow(x(1) - x(0) * x(0), 2); },
      [](const Vector& x) -> Vector {
        const double b = x(1) - x(0) * x(0);
        return Eigen::Vector2d(-2 * (1 - x(0)) - 400 * x(0) * b, 200 * b);
      });
}

TEST(TrustRegion, PassesNegativeCurvature) {
  for (const auto& start :
       {Eigen::Vector2d(-1.2, 1), Eigen::Vector2d(0, 5), Eigen::Vector2d(50, -30)}) {
    const Minimum found = minimise(rosenbrock(), start, {.tolerance = 1e-9});
    EXPECT_EQ(found.outcome, Outcome::found);
    EXPECT_LT((found.x - Eigen::Vector2d(1, 1)).norm(), 1e-7);
  }
}

// x⁴/4 − x²/2: from its maximum at 0, where no gradient shows the way.
TEST(TrustRegion, LeavesAMaximum) {
  const PointFunction wells = function_of(
      [](const Vector& x) { return std::pow(x(0), 4) / 4 - std::pow(x(0), 2) / 2; },
      [](const Vector& x) -> Vector { return Vector::Constant(1, std::pow(x(0), 3) - x(0)); });
  const Minimum found = minimise(wells, Vector::Zero(1), {.tolerance = 1e-9});
  EXPECT_EQ(found.outcome, Outcome::found);
  EXPECT_NEAR(std::abs(found.x(0)), 1, 1e-8);
}

TEST(TrustRegion, SeesThatThereIsNoMinimum) {
  const PointFunction slope = function_of([](const Vector& x) { return -x(0); },
                                          [](const Vector&) -> Vector { return -Vector::Ones(1); });
  EXPECT_EQ(minimise(slope, Vector::Zero(1), {.tolerance = 1e-9, .runaway_norm = 1e8}).outcome,
            Outcome::unbounded);
}

// (x₀ − 1)²: nothing holds x₁.
TEST(TrustRegion, NamesTheDirectionWithoutCurvature) {
  const PointFunction valley =
      function_of([](const Vector& x) { return std::pow(x(0) - 1, 2); },
                  [](const Vector& x) -> Vector { return Eigen::Vector2d(2 * (x(0) - 1), 0); });
  const Minimum found = minimise(valley, Eigen::Vector2d(5, 3), {.tolerance = 1e-9});
  EXPECT_EQ(found.outcome, Outcome::not_convex);
  EXPECT_NEAR(found.eigenvalue, 0, 1e-6);
  EXPECT_NEAR(std::abs(found.direction(1)), 1, 1e-6);
}

// −√x + x on x ≥ 0 with its minimum at ¼, and −√x alone, which falls to the end of a domain x ≤ 2.
TEST(TrustRegion, StaysInTheDomain) {
  const PointFunction inside = function_of(
      [](const Vector& x) { return x(0) - std::sqrt(x(0)); },
      [](const Vector& x) -> Vector { return Vector::Constant(1, 1 - 0.5 / std::sqrt(x(0))); });
  const Minimum found = minimise(inside, Vector::Constant(1, 100), {.tolerance = 1e-10});
  EXPECT_EQ(found.outcome, Outcome::found);
  EXPECT_NEAR(found.x(0), 0.25, 1e-8);
  const PointFunction edge = function_of(
      [](const Vector& x) { return x(0) <= 2 ? -std::sqrt(x(0)) : nan; },
      [](const Vector& x) -> Vector { return Vector::Constant(1, -0.5 / std::sqrt(x(0))); });
  EXPECT_EQ(minimise(edge, Vector::Ones(1), {.tolerance = 1e-10}).outcome, Outcome::unfinished);
}

TEST(TrustRegion, ManyVariablesOnKrylovSpaces) {
  const Index q = dense_limit + 50;
  const Vector weights = Vector::LinSpaced(q, 0.1, 10);
  const PointFunction f = function_of(
      [&](const Vector& x) { return (weights.array() * (x.array().cosh() - x.array())).sum(); },
      [&](const Vector& x) -> Vector { return weights.array() * (x.array().sinh() - 1); });
  const Minimum found = minimise(f, Vector::Constant(q, 6), {.tolerance = 1e-8});
  EXPECT_EQ(found.outcome, Outcome::found);
  EXPECT_LT((found.x.array() - std::asinh(1.0)).matrix().norm(), 1e-6);
}

}  // namespace
}  // namespace chaosgrad::internal
