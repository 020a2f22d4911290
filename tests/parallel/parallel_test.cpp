// Ordered reductions: the same bits for every number of threads, and when the values are handed
// over as doubles.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "chaosgrad/chaosgrad.h"
#include "estimate/gradient_estimator.h"
#include "estimate/reference.h"
#include "estimate/weighted_fit.h"
#include "parallel/executor.h"
#include "problem/problem_samples.h"
#include "random/random.h"
#include "solve/common/validation.h"
#include "solve/pointwise/pointwise.h"
#include "support/paper_problem.h"

namespace chaosgrad {
using namespace internal;
namespace {

Matrix uniform_numbers(Index rows, Index columns, std::uint64_t id) {
  Matrix u(rows, columns);
  fill_uniform(make_stream(8, Purpose::test, id), 0, u);
  return u;
}

// Every kind of member that a partial sum may have.
struct Everything {
  double number = 0;
  bool flag = false;
  Index count = 0;
  std::int64_t large = 0;
  Matrix matrix;
  Vector vector;
  Coefficients coefficients;
  std::array<Coefficients, 2> groups;
  std::optional<Vector> place, none;
  auto members() {
    return std::tie(number, flag, count, large, matrix, vector, coefficients, groups, place, none);
  }
};

TEST(Flatten, GivesBackEveryBit) {
  Everything value{.number = -0.0,
                   .flag = true,
                   .count = -3,
                   .large = (std::int64_t{1} << 62) + 1,  // a double would round it
                   .matrix = uniform_numbers(3, 2, 1),
                   .vector = uniform_numbers(4, 1, 2),
                   .coefficients = uniform_numbers(2, 5, 3),
                   .groups = {uniform_numbers(1, 1, 4), Coefficients(0, 3)},
                   .place = uniform_numbers(2, 1, 5),
                   .none = std::nullopt};
  value.matrix(1, 1) = std::numeric_limits<double>::infinity();
  Everything copy = through_doubles(value);
  EXPECT_TRUE(std::signbit(copy.number));
  EXPECT_EQ(copy.flag, value.flag);
  EXPECT_EQ(copy.count, value.count);
  EXPECT_EQ(copy.large, value.large);
  EXPECT_EQ(copy.matrix, value.matrix);
  EXPECT_EQ(copy.vector, value.vector);
  EXPECT_EQ(copy.coefficients, value.coefficients);
  EXPECT_EQ(copy.groups[0], value.groups[0]);
  EXPECT_EQ(copy.groups[1].cols(), 3);
  ASSERT_TRUE(copy.place);
  EXPECT_EQ(*copy.place, *value.place);
  EXPECT_FALSE(copy.none);
}

// A struct without members() is not a value of a reduction.
struct Unnamed {
  double number = 0;
};
static_assert(!Flattens<Unnamed> && !Flattens<std::optional<Unnamed>> && !Flattens<std::string>);
static_assert(Flattens<double> && Flattens<PointReport> && Flattens<std::optional<Vector>>);

// Sums of numbers of very different size show every change of order.
TEST(Executor, SumsInOneOrder) {
  const Matrix numbers = uniform_numbers(1000, 1, 6).array().pow(-3);
  const auto sum = [&](Executor&& executor, Index n) {
    return executor.reduce(
        n, [&](Index i) { return numbers(i, 0); },
        [](double& left, double right) { left += right; });
  };
  for (const Index n : {1, 2, 3, 7, 64, 999, 1000}) {
    const double expected = sum(Executor(1), n);
    EXPECT_EQ(sum(Executor(3), n), expected);
    EXPECT_EQ(sum(Executor(2, {}, Handover::doubles), n), expected);
  }
}

// What use(executor) gives is the same when all partial results are handed over as doubles.
template <class Use>
void expect_same(const Use& use) {
  Executor values(2), doubles(2, {}, Handover::doubles);
  EXPECT_EQ(use(values), use(doubles));
}

TEST(Executor, HandsOverWhatIsSummed) {
  testing::PaperProblem problem;
  problem.noisy = true;
  const Oracle oracle(problem);
  const Basis basis(make_families(oracle), IndexSet::first(1, 9));
  const Coefficients u = uniform_numbers(9, 2, 7);
  const QuadratureSource source = problem_quadrature(oracle, basis.families(), 60);
  expect_same([&](Executor& executor) {
    return GradientEstimator(oracle, basis, executor).estimate(source, u);
  });
  expect_same([&](Executor& executor) { return expand_reference(oracle, basis, 40, executor)->u; });
  const Validation validation(oracle, 1);
  expect_same([&](Executor& executor) { return validation.error(basis, u, executor); });
  const Matrix psi = uniform_numbers(2000, 5, 8), x = uniform_numbers(2000, 2, 9);
  expect_same([&](Executor& executor) {
    const auto design =
        WeightedDesign::make(psi, Vector::Ones(2000), Vector::Constant(5, 0.5), executor);
    return design->fit(x, executor).u;
  });
}

}  // namespace
}  // namespace chaosgrad
