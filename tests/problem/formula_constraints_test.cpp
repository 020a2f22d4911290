// Constraints and kinks written as formulas: rows against values by hand and against differences,
// and that the smooth part and the kinks together are the objective that was written.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

#include "chaosgrad/chaosgrad.h"
#include "expression/expression.h"
#include "samples/parameters.h"
#include "support/keyed_numbers.h"

namespace chaosgrad {
using namespace internal;
namespace {

// x and y are numbers, w a vector of 3; t is uniform on (1, 2), u standard normal.
FormulaSpec small_spec() {
  FormulaSpec spec;
  spec.parameters.push_back({.name = "t", .distribution = Uniform{1, 2}});
  spec.parameters.push_back({.name = "u", .distribution = Normal{0, 1}});
  Matrix S(3, 3), D(2, 3);
  S << 2, 1, 0, 1, 2, 1, 0, 1, 2;
  D << 1, -1, 0, 0, 1, -1;
  spec.constants = {{"S", S}, {"D", D}, {"s", Vector::Constant(3, 0.3)}};
  spec.variables = {
      {"x", false, Vector::Zero(1)}, {"y", false, Vector::Zero(1)}, {"w", true, Vector::Zero(3)}};
  spec.objective = {"x^2 + y^2 + dot(w, w)", 0};
  return spec;
}

std::vector<FormulaText> texts(std::initializer_list<const char*> list) {
  std::vector<FormulaText> result;
  for (const char* text : list) result.push_back({text, 100});
  return result;
}

struct At {
  Matrix x, theta;
  At(const FormulaProblem& problem, Index n, std::uint64_t key = 0)
      : x(2 * testing::signed_numbers(key, n, problem.dimension())),
        theta(
            draw_parameters(problem.parameters(), make_stream(3, Purpose::test, key), 0, n).theta) {
  }
};

ConstraintBlock evaluated(const FormulaProblem& problem, const Matrix& x, const Matrix& theta) {
  ConstraintBlock at;
  problem.facts().constraints->evaluate(x, theta, at);
  return at;
}

TEST(Bounds, AreNumbersListsAndFormulas) {
  FormulaSpec spec = small_spec();
  spec.variables[0].lower = texts({"-1.5"});
  spec.variables[0].upper = texts({"t + u^2"});
  spec.variables[2].lower = texts({"0", "-inf", "t"});
  spec.variables[2].upper = texts({"t*s + 2"});
  const FormulaProblem problem(spec);
  const At at(problem, 10);
  const ConstraintBlock found = evaluated(problem, at.x, at.theta);
  for (Index i = 0; i < 10; ++i) {
    const double t = at.theta(i, 0), u = at.theta(i, 1);
    EXPECT_EQ(found.lower(i, 0), -1.5);
    EXPECT_NEAR(found.upper(i, 0), t + u * u, 1e-14);
    EXPECT_EQ(found.lower(i, 1), -infinity);
    EXPECT_EQ(found.upper(i, 1), infinity);
    EXPECT_EQ(found.lower(i, 2), 0);
    EXPECT_EQ(found.lower(i, 3), -infinity);
    EXPECT_EQ(found.lower(i, 4), t);
    for (Index j = 2; j < 5; ++j) EXPECT_NEAR(found.upper(i, j), 0.3 * t + 2, 1e-14);
  }
  const std::vector<Constraint>& list = problem.facts().constraints->list();
  ASSERT_EQ(list.size(), 4);
  EXPECT_EQ(list[0].name, "x.lower");
  EXPECT_EQ(list[0].kind, Constraint::Kind::lower);
  EXPECT_FALSE(list[0].is_list);
  EXPECT_EQ(list[3].name, "w.upper");
  EXPECT_EQ(list[3].first, 2);
  EXPECT_EQ(list[3].count, 3);
  EXPECT_TRUE(list[3].is_list);
  EXPECT_EQ(problem.facts().constraints->rows(), 0);
}

FormulaSpec spec_with_rows() {
  FormulaSpec spec = small_spec();
  spec.constraints = {{"budget", {"sum(w) + x == 1 + t", 1}},
                      {"above", {"y >= t*x - 2", 2}},
                      {"risk", {"dot(w, S*w) + exp(x) <= 3 + t", 3}},
                      {"each", {"D*w <= t", 4}},
                      {"root", {"sqrt(4 + x^2 + t*y^2) <= 5", 5}}};
  return spec;
}

TEST(Rows, AreTheFormulasAsWritten) {
  const FormulaProblem problem(spec_with_rows());
  const Constraints& constraints = *problem.facts().constraints;
  ASSERT_EQ(constraints.rows(), 6);
  const At at(problem, 20);
  const ConstraintBlock found = evaluated(problem, at.x, at.theta);
  for (Index i = 0; i < 20; ++i) {
    const double x = at.x(i, 0), y = at.x(i, 1), t = at.theta(i, 0);
    const Vector w = at.x.row(i).tail(3).transpose();
    Matrix S(3, 3);
    S << 2, 1, 0, 1, 2, 1, 0, 1, 2;
    Vector expected(6);
    expected << w.sum() + x - 1 - t, t * x - 2 - y, w.dot(S * w) + std::exp(x) - 3 - t,
        w(0) - w(1) - t, w(1) - w(2) - t, std::sqrt(4 + x * x + t * y * y) - 5;
    EXPECT_LT((found.value.row(i).transpose() - expected).cwiseAbs().maxCoeff(), 1e-13);
  }
  for (Index i = 0; i < 6; ++i) {
    EXPECT_EQ(found.least(0, i), i == 0 ? -infinity : 0);
    EXPECT_EQ(found.most(0, i), infinity);
  }
  const std::vector<Constraint>& list = constraints.list();
  ASSERT_EQ(list.size(), 5);
  EXPECT_EQ(list[0].kind, Constraint::Kind::equality);
  EXPECT_EQ(list[3].name, "each");
  EXPECT_EQ(list[3].first, 3);
  EXPECT_EQ(list[3].count, 2);
  EXPECT_TRUE(list[0].affine && list[1].affine && list[3].affine);
  EXPECT_FALSE(list[2].affine || list[4].affine);
  EXPECT_FALSE(constraints.is_affine());
}

// Central differences with step h err by h² f‴/6 + 1e-16/h.
TEST(Rows, HaveTheirJacobianAndCurvature) {
  const FormulaProblem problem(spec_with_rows());
  const Constraints& constraints = *problem.facts().constraints;
  const Index q = problem.dimension(), p = constraints.rows(), n = 20;
  const At at(problem, n);
  const ConstraintBlock found = evaluated(problem, at.x, at.theta);
  const Matrix lambda = testing::signed_numbers(9, n, p);
  Matrix h(n, q * q);
  constraints.curvature(at.x, at.theta, lambda, h);
  for (Index j = 0; j < q; ++j) {
    Matrix above = at.x, below = at.x;
    above.col(j).array() += 1e-5;
    below.col(j).array() -= 1e-5;
    const ConstraintBlock up = evaluated(problem, above, at.theta),
                          down = evaluated(problem, below, at.theta);
    for (Index i = 0; i < p; ++i) {
      const Vector slope = (up.value.col(i) - down.value.col(i)) / 2e-5;
      EXPECT_LT((found.jacobian.col(i * q + j) - slope).cwiseAbs().maxCoeff(), 1e-8) << i << j;
    }
    for (Index k = 0; k < q; ++k) {
      Vector bend = Vector::Zero(n);
      for (Index i = 0; i < p; ++i)
        bend +=
            lambda.col(i).cwiseProduct(up.jacobian.col(i * q + k) - down.jacobian.col(i * q + k)) /
            2e-5;
      EXPECT_LT((h.col(j * q + k) - bend).cwiseAbs().maxCoeff(), 1e-7) << j << k;
    }
  }
}

TEST(Rows, HaveTheSameBitsInEveryBlock) {
  const FormulaProblem problem(spec_with_rows());
  const At at(problem, 13);
  const ConstraintBlock all = evaluated(problem, at.x, at.theta);
  for (Index i = 0; i < 13; ++i) {
    const ConstraintBlock one = evaluated(problem, at.x.row(i), at.theta.row(i));
    EXPECT_EQ(one.value, all.value.row(i));
    EXPECT_EQ(one.jacobian, all.jacobian.row(i));
  }
}

// The largest of the rows is the constraint as written, and none of them has a kink.
TEST(Rows, OfConstraintsWithKinksAreTheirPieces) {
  struct PieceCase {
    const char* formula;
    Index rows;
    double (*c)(double x, double y, const Vector& w, double t);
  };
  const PieceCase pieces[] = {
      {"abs(x - y) <= t", 2,
       [](double x, double y, const Vector&, double t) { return std::abs(x - y) - t; }},
      {"t >= 2*abs(x) + max(x, y)/t", 4,
       [](double x, double y, const Vector&, double t) {
         return 2 * std::abs(x) + std::max(x, y) / t - t;
       }},
      {"norm1(w) + x^2 <= t", 8,
       [](double x, double, const Vector& w, double t) { return w.lpNorm<1>() + x * x - t; }},
      {"abs(D*w) <= t", 4,
       [](double, double, const Vector& w, double t) {
         return std::max(std::abs(w(0) - w(1)), std::abs(w(1) - w(2))) - t;
       }},
      {"min(x, 2 - y) >= -t", 2,
       [](double x, double y, const Vector&, double t) { return -t - std::min(x, 2 - y); }},
      {"x^2 + huber(y, 1) + max(w[0], 0)^2 <= 4", 1,
       [](double x, double y, const Vector& w, double) {
         const double size = std::abs(y), most = std::max(w(0), 0.0);
         return x * x + (size < 1 ? y * y / 2 : size - 0.5) + most * most - 4;
       }},
      {"norm2(w) <= t + x", 1,
       [](double x, double, const Vector& w, double t) { return w.norm() - t - x; }}};
  for (const PieceCase& one : pieces) {
    FormulaSpec spec = small_spec();
    spec.constraints = {{"one", {one.formula, 1}}};
    const FormulaProblem problem(spec);
    EXPECT_NO_THROW(problem.validate()) << one.formula;
    EXPECT_EQ(problem.facts().constraints->rows(), one.rows) << one.formula;
    const At at(problem, 30);
    const ConstraintBlock found = evaluated(problem, at.x, at.theta);
    for (Index i = 0; i < 30; ++i) {
      const Vector w = at.x.row(i).tail(3).transpose();
      EXPECT_NEAR(found.value.row(i).maxCoeff(), one.c(at.x(i, 0), at.x(i, 1), w, at.theta(i, 0)),
                  1e-13)
          << one.formula;
    }
  }
}

// Σ of max { λ c : least ≤ λ ≤ most } over the rows that are kinks.
Vector kinks_at(const Constraints& constraints, const ConstraintBlock& at) {
  Vector total = Vector::Zero(at.value.rows());
  for (const Constraint& row : constraints.list()) {
    if (row.kind != Constraint::Kind::kink) continue;
    const auto c = at.value.middleCols(row.first, row.count).array();
    if (row.norm) {
      total.array() += at.most.col(row.first).array() * c.matrix().rowwise().norm().array();
      continue;
    }
    const auto least = at.least.middleCols(row.first, row.count).array();
    const auto most = at.most.middleCols(row.first, row.count).array();
    total += (least * c).max(most * c).matrix().rowwise().sum();
  }
  return total;
}

struct KinkCase {
  const char* objective;
  Index rows;   // that leave the objective
  bool smooth;  // what is left has no kink in x
};

constexpr KinkCase kink_cases[] = {
    {"x^2 + abs(x - t)", 1, true},
    {"x^2 + 3*abs(x - t) - (2 - 4)*abs(y)", 2, true},
    {"dot(w, w)/2 + t*norm1(w) + x", 3, true},
    {"dot(w, w)/2 + dot([1, t, 0.5], abs(w - s))", 3, true},
    {"x^2 + max(x - t, 2*y)", 1, true},
    {"x^2 + max(0, t - x)/t + max(y, 1)", 2, true},
    {"x^2 - t*min(x, y)", 1, true},
    {"x^2 - min(2*x, 3)", 1, true},
    {"norm2(w) + t*norm2(D*w - [1, 2]) + x^2", 5, true},
    {"norm1(D*w)/2 + dot(w, w)", 2, true},
    {"sum(max(w - s, 0)) + sum(abs(w)*2 + w) + x^2", 6, true},
    {"x^2 + max(x^2 - 1, 0)", 1, true},
    {"x^2 + t*max(exp(x) + y^2, t)", 1, true},
    {"x^2 + max(abs(x) - 0.5, 0)", 2, true},
    {"y^2 + t*max(abs(2*x - y) - t, 0)", 2, true},
    {"x^2 + if(u > 0, abs(x), 2*abs(y))", 2, true},
    {"x^2 + 2*(x + abs(y) - (y - 3*abs(x)))", 2, true},
    {"x^2 + 2*abs(x) - abs(x) + abs(w)[1] + (max(w, x) + s)[0]", 3, true},
    {"sum(abs(w - x)) + sum([abs(x), y, 2*max(y, x)])", 5, true},
    {"t*sum(S*abs(w)) + x^2/3", 3, true},
    {"abs(x) + abs(x)^3 + x^2", 1, true},
    {"x^2 + max(max(x, 0), 1 - abs(t))", 0, false},  // three pieces
    {"x^2 + exp(abs(x))", 0, false},
    {"x^2 + max(x, 0)^2 + huber(y, t)", 0, true},
    {"x^2 - abs(x)", 0, false},
    {"x^2 + abs(x*y)", 0, false},
    {"x^2 + norm2([x, 1]) + sqrt(1 + y^2)", 0, true},
    // Convex together: max(s, 0) = s + max(−s, 0), |s| = 2 max(s, 0) − s.
    {"x^2 + 3*max(t - x, 0) - 2*max(x - t, 0)", 1, true},
    {"x^2 - 2*max(2*t*x - u, 0) + 5*max(u - x*(t + t), 0)/1.1", 1, true},
    {"x^2 - 36*min(2*y*t, u) - 10*max(2*t*y - u, 0) + 0.3*min(4*t*y - 2*u, 0)", 1, true},
    {"x^2 + 3*abs(x - t) - 5*max(t - x, 0) + abs(y)", 2, true},
    {"x^2 - abs(t - x) + 2*max(x, t) + max(y, 0)", 1, true},  // |x − t| = 2 max(x, t) − x − t
    {"sum(4*max(w - t*s, 0) - t*max(t*s - w, 0)) + x^2", 3, true},
    {"norm1(w) - 0.5*max(w[1], 0) - max(-w[2], 0)/t + x^2", 3, true},
    {"dot([3, t, 0], abs(w)) - dot([1, 0.5, 1], max(w, 0)) + 2*abs(w[2]) + x^2", 3, true},
    {"max(x/t - y, u) - 0.5*max(u + y - x/t, 0) + x^2", 1, true},
    {"x^2 + 2*max(t - x, 0) - 3*max(x - t, 0)", 1, false},  // −1 in all
    {"x^2 + 3*max(t - x, 0) - 2*max(x - u, 0)", 1, false},  // two places
    {"x^2 + max(x^2 + 1, 0)", 0, true},
    {"x^2 + abs(t - 1.5)*y^2", 0, true},
    {"norm2(w)^2 + x^2", 0, true},
};

TEST(Kinks, AndTheSmoothPartAreTheObjective) {
  for (const KinkCase& one : kink_cases) {
    FormulaSpec spec = small_spec();
    const std::string all = one.objective + std::string(" + 0.1*(x^2 + y^2 + dot(w, w))");
    spec.objective = {all, 0};
    const FormulaProblem problem(spec);
    const auto constraints = problem.facts().constraints;
    EXPECT_EQ(constraints ? constraints->rows() : 0, one.rows) << one.objective;
    if (one.smooth) {
      EXPECT_NO_THROW(problem.validate()) << one.objective;
    } else {
      EXPECT_THROW(problem.validate(), FormulaError) << one.objective;
    }
    const At at(problem, 50);
    Matrix smooth(50, 1);
    problem.value(at.x, at.theta, Matrix(50, 0), smooth);
    Vector total = smooth.col(0);
    if (constraints) total += kinks_at(*constraints, evaluated(problem, at.x, at.theta));

    Graph graph;  // the formula once more, by itself
    Scope names = {{"x", graph.input(0, 0)},
                   {"y", graph.input(0, 1)},
                   {"w", graph.input(0, 2, {3, 1})},
                   {"t", graph.input(1, 0)},
                   {"u", graph.input(1, 1)}};
    for (const auto& [name, value] : spec.constants) names[name] = graph.constant(value);
    const std::array outputs = {parse(graph, all, names)};
    Matrix expected(50, 1);
    const std::array<Block, 2> inputs = {at.x, at.theta};
    std::array<BlockOut, 1> into = {expected};
    Program::Workspace workspace;
    Program(graph, outputs).evaluate(inputs, into, workspace);
    EXPECT_LT((total - expected.col(0)).cwiseAbs().maxCoeff(),
              1e-13 * (1 + expected.cwiseAbs().maxCoeff()))
        << one.objective;
  }
}

// E over the rows of a table, by hand.
TEST(Kinks, OverRowsOfDataBecomeOneRowEach) {
  FormulaSpec spec = small_spec();
  const Index n = 40;
  const Matrix data = testing::signed_numbers(77, n, 3);
  spec.table = NoiseTable{{"a", "b", "c"}, data, {{"r", {"a", "b", "c"}}}};
  const auto check = [&](const std::string& text, const auto& by_hand, Index noise) {
    spec.objective = {text, 0};
    const FormulaProblem problem(spec);
    EXPECT_EQ(problem.noise_dimension(), noise) << text;
    EXPECT_NO_THROW(problem.validate()) << text;
    const At at(problem, 20);
    const ConstraintBlock found = evaluated(problem, at.x, at.theta);
    Vector total = kinks_at(*problem.facts().constraints, found);
    for (Index k = 0; k < (noise == 0 ? 1 : n); ++k) {
      const double v = (static_cast<double>(k) + 0.5) / static_cast<double>(n);
      Matrix smooth(20, 1);
      problem.value(at.x, at.theta, Matrix::Constant(20, noise, v), smooth);
      total += smooth.col(0) / (noise == 0 ? 1.0 : static_cast<double>(n));
    }
    for (Index i = 0; i < 20; ++i) {
      double expected = 0;
      for (Index k = 0; k < n; ++k)
        expected += by_hand(at.x.row(i), at.theta(i, 0), data.row(k)) / static_cast<double>(n);
      EXPECT_NEAR(total(i), expected, 1e-12) << text;
    }
  };
  using Row = Eigen::RowVectorXd;
  const auto squares = [](const Row& x) { return x.squaredNorm(); };
  check(
      "x^2 + y^2 + dot(w, w) + x + max(-dot(r, w) - x, 0)/0.05",
      [&](const Row& x, double, const Row& r) {
        return squares(x) + x(0) + std::max(-r.dot(x.tail(3)) - x(0), 0.0) / 0.05;
      },
      0);
  check(
      "x^2 + y^2 + dot(w, w) + max(t - a*(dot(r, w) + t*x), 0) + b*x",
      [&](const Row& x, double t, const Row& r) {
        return squares(x) + std::max(t - r(0) * (r.dot(x.tail(3)) + t * x(0)), 0.0) + r(1) * x(0);
      },
      1);
  check(
      "x^2 + y^2 + dot(w, w) + t*exp(c)*abs(x - a) + sum(max(w - r, 0))",
      [&](const Row& x, double t, const Row& r) {
        return squares(x) + t * std::exp(r(2)) * std::abs(x(0) - r(0)) +
               (x.tail(3) - r).cwiseMax(0).sum();
      },
      0);
  check(
      "x^2 + y^2 + dot(w, w) + norm2(w - r) + exp(a)*abs(x)",
      [&](const Row& x, double, const Row& r) {
        return squares(x) + (x.tail(3) - r).norm() + std::exp(r(0)) * std::abs(x(0));
      },
      0);
}

TEST(Kinks, StayWhereNoiseSmoothsThemOrCasesAreMany) {
  FormulaSpec spec = small_spec();
  spec.objective = {"x^2 + y^2 + dot(w, w) + max(v - x, 0)", 0};
  spec.noise.push_back({.name = "v",
                        .finite = {},
                        .distribution = "normal",
                        .arguments = {{"mean", {"0", 1}}, {"sd", {"1", 2}}}});
  EXPECT_EQ(FormulaProblem(spec).facts().constraints, nullptr);
  spec.noise.clear();
  spec.table = NoiseTable{{"v"}, testing::signed_numbers(1, 2001, 1), {}};
  EXPECT_EQ(FormulaProblem(spec).facts().constraints, nullptr);
  spec.table = NoiseTable{{"v"}, testing::signed_numbers(1, 2000, 1), {}};
  const FormulaProblem problem(spec);
  ASSERT_NE(problem.facts().constraints, nullptr);
  EXPECT_EQ(problem.facts().constraints->rows(), 2000);
  EXPECT_EQ(problem.noise_dimension(), 0);
}

NoiseSpec cases(const char* name, std::vector<double> values, std::vector<double> weights) {
  return {.name = name,
          .finite = Distribution(Discrete{std::move(values), std::move(weights)}),
          .distribution = "",
          .arguments = {}};
}

TEST(Kinks, OverFinitelyManyValuesHaveTheirWeights) {
  FormulaSpec spec = small_spec();
  spec.objective = {"x^2 + y^2 + dot(w, w) + abs(x - v*k)", 0};
  spec.noise = {cases("v", {1, 2, 4}, {0.5, 0.25, 0.25}), cases("k", {-1, 1}, {0.25, 0.75})};
  const FormulaProblem problem(spec);
  ASSERT_EQ(problem.facts().constraints->rows(), 6);
  const At at(problem, 10);
  const Vector found = kinks_at(*problem.facts().constraints, evaluated(problem, at.x, at.theta));
  for (Index i = 0; i < 10; ++i) {
    double expected = 0;
    const double values[] = {1, 2, 4}, weights[] = {0.5, 0.25, 0.25};
    for (int a = 0; a < 3; ++a)
      expected += weights[a] * (0.25 * std::abs(at.x(i, 0) + values[a]) +
                                0.75 * std::abs(at.x(i, 0) - values[a]));
    EXPECT_NEAR(found(i), expected, 1e-13);
  }
}

// The mean over three cases, in the smooth part and the rows together, is that of the formula.
TEST(Kinks, OverFinitelyManyValuesAreAddedUp) {
  struct Kinked {
    const char* text;
    double (*value)(double x, double t, double v);
    Index rows, noise;
  };
  const Kinked all[] = {
      {"5*max(t - v*x, 0) - 3*max(v*x - t, 0)",
       [](double x, double t, double v) {
         return 5 * std::max(t - v * x, 0.0) - 3 * std::max(v * x - t, 0.0);
       },
       3, 1},
      {"-36*min(20*v*x, t) - 10*max(20*v*x - t, 0)",
       [](double x, double t, double v) {
         return -36 * std::min(20 * v * x, t) - 10 * std::max(20 * v * x - t, 0.0);
       },
       3, 1},
      {"max(v*x^2 - t, 0) + abs(x)",  // convex, not affine
       [](double x, double t, double v) { return std::max(v * x * x - t, 0.0) + std::abs(x); }, 4,
       0},
  };
  const double values[] = {0.8, 1, 1.3}, weights[] = {0.25, 0.25, 0.5};
  for (const Kinked& one : all) {
    FormulaSpec spec = small_spec();
    spec.noise = {cases("v", {0.8, 1, 1.3}, {0.25, 0.25, 0.5})};
    spec.objective = {"x^2 + y^2 + dot(w, w) + " + std::string(one.text), 0};
    const FormulaProblem problem(spec);
    EXPECT_NO_THROW(problem.validate()) << one.text;
    ASSERT_EQ(problem.facts().constraints->rows(), one.rows) << one.text;
    ASSERT_EQ(problem.noise_dimension(), one.noise) << one.text;
    const At at(problem, 30);
    Vector total = kinks_at(*problem.facts().constraints, evaluated(problem, at.x, at.theta));
    Vector expected = at.x.rowwise().squaredNorm();
    double before = 0;
    for (int k = 0; k < 3; ++k) {
      Matrix smooth(30, 1);
      problem.value(at.x, at.theta, Matrix::Constant(30, one.noise, before + weights[k] / 2),
                    smooth);
      total += weights[k] * smooth.col(0);
      before += weights[k];
      for (Index i = 0; i < 30; ++i)
        expected(i) += weights[k] * one.value(at.x(i, 0), at.theta(i, 0), values[k]);
    }
    EXPECT_LT((total - expected).cwiseAbs().maxCoeff(), 1e-12) << one.text;
  }
}

// They would stay kinks however often the noise is drawn.
TEST(Kinks, OverFinitelyManyValuesAreRefusedAsOthersAre) {
  const auto refused = [](const std::string& text, bool with_normal) {
    FormulaSpec spec = small_spec();
    spec.variables[2].lower = texts({"0"});
    spec.noise = {cases("v", {0.8, 1, 1.3}, {0.25, 0.25, 0.5})};
    if (with_normal) {
      spec.noise.push_back({.name = "z",
                            .finite = {},
                            .distribution = "normal",
                            .arguments = {{"mean", {"0", 1}}, {"sd", {"1", 2}}}});
    }
    spec.objective = {"x^2 + y^2 + dot(w, w) + " + text + (with_normal ? " + (x - z)^2" : ""), 0};
    try {
      FormulaProblem(spec).validate();
      return std::string();
    } catch (const FormulaError& error) {
      EXPECT_EQ(error.span().text, 0) << text;
      return std::string(error.what());
    }
  };
  for (const bool with_normal : {false, true}) {
    for (const char* text : {"max(t - v*x, 0) - 3*max(v*x - t, 0)", "-abs(x - v)",
                             "exp(abs(x - v))", "max(max(x, v), 2*x)"}) {
      EXPECT_NE(refused(text, with_normal).find("not differentiable"), std::string::npos) << text;
    }
    EXPECT_EQ(refused("5*max(t - v*x, 0) - 3*max(v*x - t, 0)", with_normal), "");
    EXPECT_EQ(refused("max(x - v, 0)^2 + huber(y - v, 1)", with_normal), "");
    EXPECT_NE(refused("max(t - v*x, 0) - u*max(v*x - t, 0)", with_normal).find("is negative"),
              std::string::npos);
  }
  EXPECT_EQ(refused("max(v - x - z, 0) - max(x + z - v, 0)", true), "");  // the noise smooths them
}

// |x| has no kink where x ≥ 0, and its slope at the bound is that from inside.
TEST(Kinks, VanishWhereBoundsTakeASide) {
  FormulaSpec spec = small_spec();
  spec.objective = {"(x - 1)^2 + y^2 + dot(w, w) + 2*abs(x) - max(y, 3) + abs(exp(y))", 0};
  spec.variables[0].lower = texts({"0"});
  spec.variables[1].upper = texts({"t"});
  const FormulaProblem problem(spec);
  EXPECT_EQ(problem.facts().constraints->rows(), 0);
  EXPECT_NO_THROW(problem.validate());
  Matrix x = Matrix::Zero(1, 5), theta = Matrix::Ones(1, 2), g(1, 5);
  problem.gradient(x, theta, Matrix(1, 0), g);
  EXPECT_EQ(g(0, 0), -2 + 2);
}

TEST(Start, IsMovedBetweenItsBoundsAndIntoTheDomain) {
  FormulaSpec spec = small_spec();
  spec.objective = {"x - log(x) + y^2 + sum(w - sqrt(w)) + dot(w, w)", 0};
  spec.variables[0].lower = texts({"0"});
  spec.variables[1].lower = texts({"t"});
  spec.variables[1].upper = texts({"5"});
  spec.variables[2].lower = texts({"0"});
  spec.variables[2].upper = texts({"4"});
  const FormulaProblem problem(spec);
  const Vector start = problem.facts().start;
  EXPECT_DOUBLE_EQ(start(0), 0.1);
  EXPECT_GE(start(1), 2 - 1e-12);
  EXPECT_DOUBLE_EQ(start(2), 2);
  EXPECT_NO_THROW(problem.validate());
}

}  // namespace
}  // namespace chaosgrad
