// What the curvature rules say of formulas whose curvature is known, and that they never call convex
// what is not.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "expression/convexity/curvature.h"
#include "support/keyed_numbers.h"

namespace chaosgrad {
using namespace internal;
namespace {

// x, y, z are numbers of any sign, p is positive, n negative, w a vector of 3; a is a parameter of
// any sign, b ≥ 0 and c > 0 are others.
struct Words {
  Graph graph;
  Scope names;
  std::vector<Node> inputs;

  Words() {
    const char* numbers[] = {"x", "y", "z", "p", "n"};
    for (Index i = 0; i < 5; ++i) add(numbers[i], graph.input(0, i));
    add("w", graph.input(0, 5, {3, 1}));
    names["a"] = graph.input(1, 0);
    names["b"] = graph.input(1, 1);
    names["c"] = graph.input(1, 2);
    Matrix S(3, 3), T(3, 3);
    S << 2, 1, 0, 1, 2, 1, 0, 1, 2;  // eigenvalues 2, 2 ± √2
    T << 1, 2, 0, 2, 1, 0, 0, 0, 1;  // −1, 1, 3
    names["S"] = graph.constant(S);
    names["T"] = graph.constant(T);
    names["M"] = graph.constant(Matrix(S.topRows(2)));
  }
  void add(const char* name, Node node) {
    names[name] = node;
    inputs.push_back(node);
  }
  static Range range(int slot, Index column, Index count) {
    if (slot == 0 && column == 3 && count == 1) return {0, infinity, true};
    if (slot == 0 && column == 4 && count == 1) return {-infinity, 0, true};
    if (slot == 1 && column == 1) return {0, infinity, false};
    if (slot == 1 && column == 2) return {0, infinity, true};
    return {};
  }
  Curvature curvature(const std::string& text) {
    const Node node = parse(graph, text, names);
    const std::array nodes = {node};
    return find_curvatures(graph, nodes, 0, range)[static_cast<std::size_t>(node.id)];
  }
};

constexpr Curvature constant = Curvature::constant, affine = Curvature::affine,
                    convex = Curvature::convex, concave = Curvature::concave,
                    unknown = Curvature::unknown;

struct Case {
  const char* formula;
  Curvature expected;  // unknown: it is neither, or the rules cannot see it
};

constexpr Case cases[] = {
    // Linear algebra, with coefficients that depend on parameters.
    {"a^2 + exp(b)", constant},
    {"3*x - y/2 + a", affine},
    {"a*x + y/c", affine},
    {"sum(S*w) - dot([1, -2, 3], w)", affine},
    {"(a*w + 2*w)[1]", affine},
    {"sum(solve(S, w)) + exp(a)*x", affine},
    {"if(a > 0, x, 2*y)", affine},
    {"sum(transpose(S)*w)", affine},
    // Squares and powers.
    {"x^2", convex},
    {"-(x - a)^2", concave},
    {"b*x^2 + c*y^2", convex},
    {"a*x^2", unknown},
    {"x^4 + y^6", convex},
    {"x^3", unknown},
    {"p^3", convex},
    {"n^3", concave},
    {"p^1.5", convex},
    {"p^0.3", concave},
    {"p^(-2)", convex},
    {"n^(-2)", convex},
    {"n^(-3)", concave},
    {"(x^2 + 1)^2", convex},
    {"(1 - x^2)^2", unknown},
    {"1/p", convex},
    {"1/n", concave},
    {"-c/p", concave},
    {"1/x", unknown},
    {"1/(1 + sqrt(p))", convex},
    {"2^x", convex},
    {"c^(x - y)", convex},
    {"2^(x^2)", convex},
    // Quadratic forms.
    {"dot(w, S*w)", convex},
    {"dot(w, T*w)", unknown},
    {"-dot(w, S*w) + x", concave},
    {"x*y", unknown},
    {"x^2 + y^2 + x*y", convex},
    {"x^2 + y^2 + 2*x*y", convex},
    {"x^2 + y^2 + 3*x*y", unknown},
    {"dot(w, w) + sum(w)^2", convex},
    {"norm2(M*w - [1, 2])^2", convex},
    {"x^2/p", convex},
    {"(x - y)^2/(1 + p)", convex},
    {"dot(w, w)/p", convex},
    {"x^2/n", unknown},
    // Norms, absolute values, largest of some.
    {"norm2(w)", convex},
    {"norm2(M*w - [a, b])", convex},
    {"-norm2(w)", concave},
    {"norm1(w - [1, 2, 3])", convex},
    {"abs(x - a)", convex},
    {"abs(p)", affine},
    {"abs(exp(x))", convex},
    {"abs(x^2 - 1)", unknown},
    {"norm2([x^2, exp(y)])", convex},
    {"norm2([x^2 - 1, y])", unknown},
    {"max(x, y, x + y - 1)", convex},
    {"max(x^2, exp(y))", convex},
    {"max(x, -y^2)", unknown},
    {"min(x, 2 - y)", concave},
    {"min(sqrt(p), log(p))", concave},
    {"min(x^2, y)", unknown},
    {"max(x, 0)^2", convex},
    {"min(x, 0)^2", convex},
    {"max(sqrt(p), -1)", concave},
    {"sqrt(dot(w, w))", convex},
    {"sqrt(1 + x^2)", convex},
    {"sqrt(b + (x - y)^2 + 2*p^2)", convex},
    {"sqrt(dot(w, S*w))", convex},
    {"sqrt(x^2 + y^2 + x*y + 1)", convex},
    {"sqrt(x^2 - 1)", unknown},
    {"huber(x - y, 2)", convex},
    {"huber(x, c)", convex},
    {"huber(x^2, 1)", convex},
    // Exponentials and logarithms.
    {"exp(x + 2*y)", convex},
    {"exp(x^2)", convex},
    {"exp(-p^2)", unknown},
    {"exp(-sqrt(p))", convex},
    {"log(1 + p)", concave},
    {"log(x)", concave},
    {"-log(1 - x^2)", convex},
    {"log(p) + sqrt(x + y)", concave},
    {"log(exp(x) + exp(y) + 1)", convex},
    {"log(sum(exp(w)))", convex},
    {"log(dot([1, 2, 3], exp(w)))", convex},
    {"log(exp(x)*exp(y^2))", convex},
    {"log(cosh(x - y))", convex},
    {"log(normcdf(x))", concave},
    {"log(logistic(x + a)) - softplus(y)", concave},
    {"softplus(x^2)", convex},
    {"softplus(-x) + x", convex},
    {"exp(x)/p", convex},
    {"exp(x)*p", unknown},
    {"p*log(p)", unknown},
    {"x*exp(x)", unknown},
    // Functions that bend both ways.
    {"cosh(x) + sinh(p)", convex},
    {"cosh(x^2)", convex},
    {"tanh(p)", concave},
    {"tanh(n)", convex},
    {"atan(p) + erf(p) + normcdf(p) + logistic(p)", concave},
    {"logistic(x)", unknown},
    {"sin(x)", unknown},
    {"sin(a)*x^2", unknown},
    {"floor(x)", unknown},
    {"if(x > 0, x, 2*x)", unknown},
    {"if(a > 0, x^2, exp(x))", convex},
};

TEST(Convexity, IsThatOfMathematics) {
  Words words;
  for (const Case& one : cases)
    EXPECT_EQ(words.curvature(one.formula), one.expected) << one.formula;
  EXPECT_GE(std::size(cases), 60);
}

// The other way round: values along random lines.
TEST(Convexity, IsNeverClaimedWhereValuesDeny) {
  Words words;
  constexpr Index q = 8;
  for (const Case& one : cases) {
    if (one.expected == unknown) continue;
    const Node node = parse(words.graph, one.formula, words.names);
    if (!words.graph.shape(node).is_scalar()) continue;
    const std::array outputs = {node};
    const Program program(words.graph, outputs);
    Program::Workspace workspace;
    for (std::uint64_t key = 0; key < 20; ++key) {
      Matrix at = testing::signed_numbers(key, 1, q + 3);
      at(3) = std::abs(at(3)) + 0.2;
      at(4) = -std::abs(at(4)) - 0.2;
      const auto value = [&](const Matrix& x) {
        Matrix theta(1, 3), out(1, 1);
        theta << at(q), std::abs(at(q + 1)), std::abs(at(q + 2)) + 0.1;
        const std::array<Block, 2> inputs = {x, theta};
        std::array<BlockOut, 1> into = {out};
        program.evaluate(inputs, into, workspace);
        return out(0, 0);
      };
      // Convexity along random lines: f(middle) ≤ mean of the ends, up to rounding.
      const Matrix x = at.leftCols(q), step = 0.1 * testing::signed_numbers(1000 + key, 1, q);
      const double middle = value(x), ends = 0.5 * (value(x + step) + value(x - step));
      if (!std::isfinite(middle) || !std::isfinite(ends)) continue;
      const double slack = 1e-13 * (1 + std::abs(middle) + std::abs(ends));
      if (is_convex(one.expected)) {
        EXPECT_LE(middle, ends + slack) << one.formula;
      }
      if (is_concave(one.expected)) {
        EXPECT_GE(middle, ends - slack) << one.formula;
      }
    }
  }
}

}  // namespace
}  // namespace chaosgrad
