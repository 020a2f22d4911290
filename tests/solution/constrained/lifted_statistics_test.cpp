// Statistics of constrained optima against closed forms and brute force.
#include <gtest/gtest.h>

#include <cmath>

#include "support/lifted_cases.h"

namespace chaosgrad {
namespace {

// Bars of sampled numbers hold with 95 %; fixed seeds, and every comparison takes two of them.
void expect_within(const Estimate& found, double truth, double times = 2) {
  EXPECT_LE(std::abs(found.value - truth), times * found.error + 1e-12)
      << found.value << " ± " << found.error << ", truth " << truth;
}

TEST(LiftedStatistics, OfThePositivePart) {
  const Expansion expansion = positive_part();
  const Statistics found = statistics(expansion, known_accuracy(1, 0));
  const OutputStatistics& x = found.outputs[0];
  const double sd = std::sqrt(1.0 / 6 - 1.0 / 16);
  expect_within(x.mean, 0.25);
  expect_within(x.sd, sd);
  EXPECT_LT(x.mean.error, 1e-4);
  expect_within(x.quantiles[5], 0.9);  // 95 %: θ = 0.9
  EXPECT_EQ(x.quantiles[0].value, 0);  // 1 %
  // Cov(max(θ, 0), θ) = 1/6, Var θ = 1/3.
  expect_within(x.slope[0], 0.5);
  expect_within(x.correlation[0], 0.5 * std::sqrt(1.0 / 3) / sd);
  expect_within(x.main[0], 1);
  expect_within(x.total[0], 1);
  EXPECT_NEAR(found.covariance(0, 0), sd * sd, found.covariance_error(0, 0));
}

TEST(LiftedStatistics, HistogramKeepsWhatLiesOnABound) {
  const Statistics found = statistics(positive_part(), known_accuracy(1, 0));
  const Histogram& histogram = found.outputs[0].histogram;
  const Vector width = histogram.edges.tail(histogram.density.size()) -
                       histogram.edges.head(histogram.density.size());
  EXPECT_NEAR(histogram.density.dot(width), 0.9995, 1e-3);
  // Half of the mass is at 0, and 1/2 per unit elsewhere.
  EXPECT_NEAR(histogram.density(0) * width(0), 0.5 + 0.5 * width(0), 2e-3);
  EXPECT_NEAR(histogram.density(10), 0.5, 2e-2);
}

TEST(LiftedStatistics, BarsHoldTheErrorOfTheSolution) {
  const Statistics exact = statistics(positive_part(), known_accuracy(1, 0)),
                   rough = statistics(positive_part(), known_accuracy(1, 0.01));
  EXPECT_NEAR(rough.outputs[0].mean.error - exact.outputs[0].mean.error, 0.01, 1e-12);
  EXPECT_GT(rough.outputs[0].main[0].error, exact.outputs[0].main[0].error);
  const Statistics unknown = statistics(positive_part(), known_accuracy(1, infinity));
  EXPECT_EQ(unknown.outputs[0].mean.error, infinity);
}

// Sobol' indices of the share on a simplex, by a grid of midpoints.
TEST(LiftedStatistics, SobolIndicesByPickAndFreeze) {
  constexpr int n = 1000;
  const auto at = [](int i) { return -1 + (2 * i + 1.0) / n; };
  double mean = 0, square = 0, main_a = 0, main_b = 0;
  std::vector<double> by_a(n), by_b(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double x = simplex_share(at(i), at(j));
      by_a[static_cast<std::size_t>(i)] += x / n;
      by_b[static_cast<std::size_t>(j)] += x / n;
      mean += x / n / n;
      square += x * x / n / n;
    }
  }
  const double variance = square - mean * mean;
  for (int i = 0; i < n; ++i) {
    main_a += std::pow(by_a[static_cast<std::size_t>(i)] - mean, 2) / n / variance;
    main_b += std::pow(by_b[static_cast<std::size_t>(i)] - mean, 2) / n / variance;
  }
  const Statistics found = statistics(simplex_point(), known_accuracy(2, 0));
  for (const std::size_t i : {0UL, 1UL}) {
    const OutputStatistics& x = found.outputs[i];
    expect_within(x.mean, i == 0 ? mean : 1 - mean);
    expect_within(x.sd, std::sqrt(variance));
    expect_within(x.main[0], main_a);
    expect_within(x.main[1], main_b);
    expect_within(x.total[0], 1 - main_b);
    expect_within(x.total[1], 1 - main_a);
    expect_within(x.pairwise[0], 1 - main_a - main_b);
  }
  EXPECT_NEAR(found.covariance(0, 1), -variance, found.covariance_error(0, 1));
  const SobolIndices quick = sobol(simplex_point());
  EXPECT_NEAR(quick.main(0, 0), main_a, 0.01);
  EXPECT_NEAR(quick.total(1, 1), 1 - main_a, 0.01);
  EXPECT_NEAR(chaosgrad::mean(simplex_point())(0), mean, 1e-4);
  EXPECT_NEAR(chaosgrad::sd(simplex_point())(1), std::sqrt(variance), 1e-4);
}

// log x is not defined on one side of the bound, where no x* can be.
TEST(LiftedStatistics, QuantitiesMoveWithinTheBounds) {
  const Measure measure = uniform_measure(1);
  auto bounds = std::make_shared<const LinearConstraints>(1, Vector::Constant(1, 1e-3), Vector());
  const Expansion expansion =
      affine_expansion(measure, Vector::Zero(1), Matrix::Ones(1, 1),
                       same_metric(std::move(bounds), measure, Matrix::Ones(1, 1)));
  const Quantities logarithm{
      .count = 1, .noise_dimension = 0, .evaluate = [](Block x, Block, Block, BlockOut values) {
        values = x.array().log().matrix();
      }};
  const Statistics found = statistics(expansion, known_accuracy(1, 0.01), logarithm);
  EXPECT_TRUE(std::isfinite(found.outputs[1].mean.error));
  // ½ log(10⁻³) + ½ ∫ log θ over (10⁻³, 1), and what is below 10⁻³ of the positive half.
  const double c = 1e-3, truth = 0.5 * (1 + c) * std::log(c) + 0.5 * (-1 - c * std::log(c) + c);
  expect_within(found.outputs[1].mean, truth);
}

// Under another distribution of θ: uniform on (0, 1) has no active bound.
TEST(LiftedStatistics, Reweighted) {
  StatisticsOptions options;
  options.measure = Measure({Uniform{0, 1}});
  const Statistics found = statistics(positive_part(), known_accuracy(1, 0), {}, options);
  expect_within(found.outputs[0].mean, 0.5);
  const ConstraintReport report =
      constraint_statistics(positive_part(), known_accuracy(1, 0), {}, options);
  expect_within(report.constraints[0].active[0], 0);
}

TEST(LiftedStatistics, DistanceIsThatOfX) {
  const Expansion a = positive_part();
  const Expansion b =
      affine_expansion(a.measure(), Vector::Constant(1, -0.5), Matrix::Ones(1, 1), a.shared_lift());
  // x differs by 0 (θ < 0), θ (below ½) and ½: ½ (∫₀^½ θ² + ½ ¼).
  EXPECT_NEAR(distance(a, b), std::sqrt(0.5 * (1.0 / 24 + 0.125)), 1e-4);
}

TEST(ConstraintStatistics, OfABound) {
  const double epsilon = 1e-3;
  const ConstraintReport report = constraint_statistics(positive_part(), known_accuracy(1, epsilon),
                                                        Vector::Constant(1, epsilon));
  ASSERT_EQ(report.constraints.size(), 1U);
  const ConstraintStatistics& bound = report.constraints[0];
  EXPECT_EQ(bound.constraint.name, "x.lower");
  expect_within(bound.active[0], 0.5, 1);
  // Where |θ| is within t of 0, and Chebyshev's 1/t² beyond: 3/2 (ε²/4 · 2)^(1/3) at best, and the
  // distances that are tried are a factor √2 apart.
  const double best = 1.5 * std::cbrt(2 * epsilon * epsilon / 4);
  EXPECT_GT(bound.active[0].error, best);
  EXPECT_LT(bound.active[0].error, 1.2 * best);
  EXPECT_NEAR(bound.weakly_active[0], epsilon, 1e-4);  // |θ| ≤ ε
  const double sd = std::sqrt(1.0 / 6 - 1.0 / 16);
  expect_within(bound.mean[0], 0.25, 1);
  expect_within(bound.sd[0], sd, 1);
  EXPECT_NEAR(bound.mean[0].error, epsilon, 1e-4);
  EXPECT_EQ(bound.by_parameter[0].cols(), 10);
  for (Index i = 0; i < 10; ++i) EXPECT_NEAR(bound.by_parameter[0](0, i), i < 5 ? 1 : 0, 1e-3);
  EXPECT_EQ(report.violation, 0);
  EXPECT_EQ(report.infeasible.share, 0);
}

// Another expansion that is off by ε has another P(active): the bar covers the difference.
TEST(ConstraintStatistics, BarCoversAnExpansionThatIsOff) {
  const double epsilon = 0.02;
  const Expansion a = positive_part();
  const Expansion b = affine_expansion(a.measure(), Vector::Constant(1, epsilon),
                                       Matrix::Ones(1, 1), a.shared_lift());
  const double size = distance(a, b);
  for (const Expansion* one : {&a, &b}) {
    const ConstraintReport report =
        constraint_statistics(*one, known_accuracy(1, size), Vector::Constant(1, size));
    expect_within(report.constraints[0].active[0], one == &a ? 0.5 - epsilon / 2 : 0.5, 1);
    expect_within(report.constraints[0].mean[0], std::pow(one == &a ? 1 - epsilon : 1, 2) / 4, 1);
  }
}

TEST(ConstraintStatistics, OfASimplex) {
  const ConstraintReport report = constraint_statistics(simplex_point(), known_accuracy(2, 0));
  ASSERT_EQ(report.constraints.size(), 2U);
  const ConstraintStatistics& lower = report.constraints[0];
  EXPECT_EQ(lower.constraint.name, "w.lower");
  ASSERT_EQ(lower.active.size(), 2U);
  // w_0 = 0 needs 3 + a ≤ 3 b: never but at (−1, …), b ≥ (3 + a)/3: area (a from −1 to 0) ½·1·⅓/4.
  expect_within(lower.active[0], 1.0 / 24);
  // w_1 = 0: 3 + a − 3 b ≥ 4: b ≤ (a − 1)/3: ∫ (a + 2)/3 da / 4 = ⅓.
  expect_within(lower.active[1], 1.0 / 3);
  expect_within(lower.any, 3.0 / 8);
  const ConstraintStatistics& budget = report.constraints[1];
  EXPECT_EQ(budget.active[0].value, 1);
  EXPECT_EQ(budget.active[0].error, 0);
  // λ of the budget at a grid of midpoints: −∂f/∂w_0 = a − w_0 where w_0 > 0, else 3 (b − w_1).
  double mean = 0, square = 0;
  constexpr int n = 1000;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double a = -1 + (2 * i + 1.0) / n, b = -1 + (2 * j + 1.0) / n, w = simplex_share(a, b);
      const double lambda = w > 0 ? a - w : 3 * (b - 1);
      mean += lambda / n / n;
      square += lambda * lambda / n / n;
    }
  }
  expect_within(budget.mean[0], mean);
  expect_within(budget.sd[0], std::sqrt(square - mean * mean));
  EXPECT_LT(report.violation, 1e-12);
}

TEST(ConstraintStatistics, NamesAndSignsOfMultipliers) {
  const Expansion expansion = simplex_point();
  const Constraints& set = expansion.lift()->constraints();
  EXPECT_EQ(multiplier_names(set),
            (std::vector<std::string>{"w.lower[0]", "w.lower[1]", "budget"}));
  Matrix thetas(2, 2);
  thetas << -0.9, 0.95, 0.5, -0.5;  // w = (0, 1) and (1, 0)
  const Matrix found = multipliers(set, expansion.evaluate_lifted(thetas));
  // ∇f = (w_0 − a, 3 (w_1 − b)) = λ_lower − λ_budget.
  EXPECT_NEAR(found(0, 2), -3 * (1 - 0.95), 1e-12);
  EXPECT_NEAR(found(0, 0), 0.9 + found(0, 2), 1e-12);
  EXPECT_EQ(found(0, 1), 0);
  EXPECT_NEAR(found(1, 2), -0.5, 1e-12);
  EXPECT_NEAR(found(1, 1), 1.5 - 0.5, 1e-12);
}

TEST(LiftedSensitivity, HasTwoSidesWhereABoundBecomesActive) {
  const Expansion expansion = positive_part();
  EXPECT_NEAR(expansion.sensitivity(Vector::Constant(1, 0.3))(0, 0), 1, 1e-8);
  EXPECT_NEAR(expansion.sensitivity(Vector::Constant(1, -0.3))(0, 0), 0, 1e-12);
  const Expansion::Sides edge = expansion.sensitivity_sides(Vector::Zero(1));
  EXPECT_TRUE(edge.differ(0));
  EXPECT_NEAR(edge.growing(0, 0), 1, 1e-8);
  EXPECT_NEAR(edge.falling(0, 0), 0, 1e-8);
  EXPECT_FALSE(expansion.sensitivity_sides(Vector::Constant(1, 1e-4)).differ(0));
  // On the simplex: dw_0/da = ¼, dw_0/db = −¾ where both are positive.
  Vector theta(2);
  theta << 0.1, 0.2;
  const Matrix inside = simplex_point().sensitivity(theta);
  EXPECT_NEAR(inside(0, 0), 0.25, 1e-8);
  EXPECT_NEAR(inside(0, 1), -0.75, 1e-8);
  EXPECT_NEAR(inside(1, 1), 0.75, 1e-8);
}

}  // namespace
}  // namespace chaosgrad
