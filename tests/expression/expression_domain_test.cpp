// What domains rest on: ranges of formulas, and which matrices are regular alike.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "expression/graph/ranges.h"
#include "support/random_formula.h"

namespace chaosgrad {
namespace {

// Every value of a random formula at random points of a box lies in its range, that of any box.
TEST(Ranges, HoldForRandomFormulas) {
  FormulaGenerator generator(31, true);
  Sequence numbers(32);
  int values = 0, bounded = 0, signs = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const std::unique_ptr<Tree> tree = generator.draw(1 + trial % 4);
    const double lower = numbers.between(-2, 1.5), upper = lower + numbers.between(0.01, 2);
    Graph graph;
    Scope names;
    for (Index i = 0; i < 4; ++i) names[std::string(1, "xyzt"[i])] = graph.input(0, i);
    Node node;
    try {
      node = parse(graph, written(*tree), names);
    } catch (const FormulaError&) {
      continue;  // a constant part is not a real number
    }
    const Range range = find_ranges(graph, node, [&](int, Index, Index) {
                          return Range{lower, upper, lower > 0 || upper < 0};
                        }).back();
    Matrix at(64, 4), result(64, 1);
    for (Index i = 0; i < at.size(); ++i)
      at.data()[i] = i % 7 == 0 ? lower : numbers.between(lower, upper);
    Program::Workspace workspace;
    std::vector<BlockOut> outputs = {BlockOut(result)};
    Program(graph, std::array{node}).evaluate(std::array<Block, 1>{at}, outputs, workspace);
    for (Index i = 0; i < result.rows(); ++i) {
      const double value = result(i, 0);
      // Where a part is not defined the range says nothing.
      Trace trace;
      std::vector<double> variables(4);
      for (Index k = 0; k < 4; ++k) variables[static_cast<std::size_t>(k)] = at(i, k);
      if (!std::isfinite(value) || !std::isfinite(evaluated(*tree, variables, trace)) ||
          !(trace.largest < 1e12))
        continue;
      const double slack = 1e-12 * (1 + trace.largest);
      EXPECT_GE(value, range.lower - slack) << written(*tree);
      EXPECT_LE(value, range.upper + slack) << written(*tree);
      EXPECT_TRUE(value != 0 || !range.nonzero) << written(*tree);
      ++values;
    }
    bounded += std::isfinite(range.lower) || std::isfinite(range.upper);
    signs += range.positive() || range.negative();
  }
  EXPECT_GT(values, 20000);
  EXPECT_GT(bounded, 700);  // most formulas are bounded on a box, and many have one sign
  EXPECT_GT(signs, 400);
}

// same_piece(A, B) of 1×1 to 5×5 matrices against eigenvalues and determinants.
TEST(SamePiece, ComparesInertiaOrDeterminant) {
  Sequence numbers(33);
  int definite = 0, same = 0, different = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Index n = 1 + trial % 5;
    const auto draw = [&](int kind) {
      Matrix a(n, n);
      for (Index i = 0; i < a.size(); ++i) a.data()[i] = numbers.between(-1, 1);
      if (kind == 0) return a;
      a = (a + a.transpose()).eval();
      if (kind == 1) return a;
      a = (a * a).eval() + 0.01 * Matrix::Identity(n, n);
      return kind == 2 ? a : Matrix(-a);
    };
    const Matrix a = draw(numbers.below(4)), b = draw(numbers.below(4));
    Graph graph;
    const Node node = graph.apply(Op::same_piece,
                                  std::array{graph.input(0, 0, {n, n}), graph.input(1, 0, {n, n})});
    Matrix result(1, 1);
    std::vector<BlockOut> outputs = {BlockOut(result)};
    Program::Workspace workspace;
    const Matrix row_a = a.reshaped(1, n * n), row_b = b.reshaped(1, n * n);
    Program(graph, std::array{node})
        .evaluate(std::array<Block, 2>{row_a, row_b}, outputs, workspace);
    const auto negative = [](const Matrix& m) {
      return (Eigen::SelfAdjointEigenSolver<Matrix>(m).eigenvalues().array() < 0).count();
    };
    const auto is_symmetric = [](const Matrix& m) {
      return (m - m.transpose()).norm() <= 1e-13 * m.norm();
    };
    bool expected = a.determinant() * b.determinant() > 0;
    if (is_symmetric(a) && is_symmetric(b)) {
      const auto is_definite = [&](const Matrix& m) { return negative(m) % n == 0; };
      if (is_definite(a) || is_definite(b)) {
        ++definite;
        expected = negative(a) == negative(b);
      }
    }
    EXPECT_EQ(result(0, 0), expected ? 1 : 0) << a << "\n\n" << b;
    ++(expected ? same : different);
  }
  EXPECT_GT(definite, 100);
  EXPECT_GT(same, 100);
  EXPECT_GT(different, 100);
}

TEST(SamePiece, ASingularMatrixIsInNone) {
  Graph graph;
  const Node node = graph.apply(Op::same_piece, std::array{graph.input(0, 0, {2, 2}),
                                                           graph.constant(Matrix{{1, 0}, {0, 1}})});
  Matrix rows(4, 4), result(4, 1);
  rows << 1, 1, 1, 1,         // singular, symmetric
      1, 2, 0.5, 1,           // singular
      0, 0, 0, 0,             //
      std::nan(""), 0, 0, 1;  // not a matrix of numbers
  std::vector<BlockOut> outputs = {BlockOut(result)};
  Program::Workspace workspace;
  Program(graph, std::array{node}).evaluate(std::array<Block, 1>{rows}, outputs, workspace);
  EXPECT_TRUE(result.isZero(0));
}

TEST(Program, CountsItsOperations) {
  Graph graph;
  const Scope names = {{"x", graph.input(0, 0)}, {"w", graph.input(0, 1, {100, 1})}};
  const auto operations = [&](const std::string& text) {
    return Program(graph, std::array{parse(graph, text, names)}).operations();
  };
  EXPECT_EQ(operations("x + 1"), 1);
  EXPECT_EQ(operations("dot(w, w)"), 200);
  EXPECT_GE(operations("exp(x)"), 10);
  EXPECT_GE(operations("sum(exp(w))"), 1000);
}

}  // namespace
}  // namespace chaosgrad
