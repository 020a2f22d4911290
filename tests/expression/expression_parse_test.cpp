// Formulas: values against plain C++, precedence, and the message and place of every kind of
// mistake.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "expression/expression.h"
#include "support/expression_values.h"

namespace chaosgrad {
using namespace internal;
namespace {

// Scalars x = 0.7, y = −1.3, theta = 0.4; vectors v = (1, 2, 3), w = (0.5, −1, 4); A = [1 2 3; 4 5
// 6] constant.
class Formulas : public testing::Test {
 protected:
  Formulas() {
    names_["x"] = graph_.input(0, 0);
    names_["y"] = graph_.input(0, 1);
    names_["theta"] = graph_.input(1, 0);
    names_["v"] = graph_.input(0, 2, {3, 1});
    names_["w"] = graph_.input(0, 5, {3, 1});
    Matrix a(2, 3);
    a << 1, 2, 3, 4, 5, 6;
    names_["A"] = graph_.constant(a);
    names_["mu"] = graph_.constant(2.5);
    inputs_ = {Matrix(1, 8), Matrix(1, 1)};
    inputs_[0] << 0.7, -1.3, 1, 2, 3, 0.5, -1, 4;
    inputs_[1] << 0.4;
  }

  Matrix values(std::string_view text) {
    const Node node = parse(graph_, text, names_, 1);
    return run(graph_, std::array{node}, inputs_)[0];
  }
  double value(std::string_view text) { return values(text)(0, 0); }

  struct Mistake {
    std::string message;
    Index begin = -1, end = -1;
  };
  Mistake mistake(std::string_view text) {
    try {
      (void)parse(graph_, text, names_, 7);
    } catch (const FormulaError& error) {
      EXPECT_EQ(error.span().text, 7);
      return {error.what(), error.span().begin, error.span().end};
    }
    return {"no error"};
  }
  void expect_mistake(std::string_view text, std::string_view message, Index begin, Index end) {
    const Mistake found = mistake(text);
    EXPECT_EQ(found.message, message) << text;
    EXPECT_EQ(found.begin, begin) << text;
    EXPECT_EQ(found.end, end) << text;
  }

  Graph graph_;
  Scope names_;
  std::vector<Matrix> inputs_;
};

constexpr double x = 0.7, y = -1.3, theta = 0.4;

TEST_F(Formulas, Precedence) {
  const std::vector<std::pair<std::string, double>> table = {
      {"1 + 2*3", 7},
      {"(1 + 2)*3", 9},
      {"-2^2", -4},
      {"(-2)^2", 4},
      {"2^-3", 0.125},
      {"2^-3^2", std::pow(2, -9)},
      {"2^3^2", 512},
      {"2*-3", -6},
      {"2*-3^2", -18},
      {"--3", 3},
      {"+3 - -2", 5},
      {"8/4/2", 1},
      {"8/4*2", 4},
      {"10 - 4 - 3", 3},
      {"1 - 2 + 3", 2},
      {"2^2*3", 12},
      {"3 \xE2\x88\x92 1", 2},
      {"\xE2\x88\x92 3", -3},
      {"1 < 2", 1},
      {"1 + 1 < 2", 0},
      {"2 <= 2", 1},
      {"2 >= 3", 0},
      {"2 == 2", 1},
      {"2 != 2", 0},
      {"1 < 2 and 3 < 2", 0},
      {"1 < 2 or 3 < 2", 1},
      {"1 < 2 && !(3 < 2)", 1},
      {"not 1 < 2", 0},
      {"not 0 and 0", 0},
      {"not (0 and 0)", 1},
      {"0 and 0 or 1", 1},
      {"1 || 0 && 0", 1},
      {"if(2 > 1, 10, 20)", 10},
      {"1.5", 1.5},
      {".5", 0.5},
      {"2.", 2},
      {"1e-3", 1e-3},
      {"1.5E+2", 150},
      {"1_000_000", 1e6},
      {"pi", std::numbers::pi},
      {"[4, 5, 6][1]", 5},
      {"[[1, 2], [3, 4]][1, 0]", 3},
  };
  for (const auto& [text, expected] : table) EXPECT_EQ(value(text), expected) << text;
}

TEST_F(Formulas, FunctionsAgreeWithTheStandardLibrary) {
  const std::vector<std::pair<std::string, double>> table = {
      {"sin(x)", std::sin(x)},
      {"cos(x)", std::cos(x)},
      {"tan(x)", std::tan(x)},
      {"asin(x)", std::asin(x)},
      {"acos(x)", std::acos(x)},
      {"atan(y)", std::atan(y)},
      {"sinh(y)", std::sinh(y)},
      {"cosh(y)", std::cosh(y)},
      {"tanh(y)", std::tanh(y)},
      {"exp(y)", std::exp(y)},
      {"log(x)", std::log(x)},
      {"log2(x)", std::log2(x)},
      {"log10(x)", std::log10(x)},
      {"sqrt(x)", std::sqrt(x)},
      {"abs(y)", 1.3},
      {"sign(y)", -1},
      {"sign(x)", 1},
      {"sign(x - x*1)", 0},
      {"floor(y)", -2},
      {"ceil(y)", -1},
      {"erf(y)", std::erf(y)},
      {"normcdf(y)", 0.5 * std::erfc(1.3 / std::sqrt(2))},
      {"logistic(y)", 1 / (1 + std::exp(1.3))},
      {"softplus(y)", std::log1p(std::exp(-1.3))},
      {"huber(y, 0.5)", 0.5 * (1.3 - 0.25)},
      {"huber(y, 2)", 0.5 * 1.3 * 1.3},
      {"norm1([x, y])", x + 1.3},
      {"pow(x, y)", std::pow(x, y)},
      {"x^y", std::pow(x, y)},
      {"x^7", std::pow(x, 7)},
      {"x^-3", std::pow(x, -3)},
      {"x^2.5", std::pow(x, 2.5)},
      {"x^0.3", std::pow(x, 0.3)},
      {"y^3", std::pow(y, 3)},
      {"min(x, y, theta)", y},
      {"max(x, y, theta)", x},
      {"if(x < y, theta, 2*theta)", 0.8},
      {"if(x > y and not theta > 1, theta, 0)", theta},
      {"if(x == 0.7 or x != x, 1, 2)", 1},
      {"abs(4/5 + exp(sin(theta))/4 - cosh(sin(theta)^2))*(1 + sin(2*theta))",
       std::abs(0.8 + std::exp(std::sin(theta)) / 4 - std::cosh(std::pow(std::sin(theta), 2))) *
           (1 + std::sin(2 * theta))},
  };
  for (const auto& [text, expected] : table) {
    EXPECT_LT(relative_difference(value(text), expected, 1e-16), 4e-16) << text;
  }
}

TEST_F(Formulas, LargeArgumentsStayFinite) {
  EXPECT_EQ(value("logistic(1000*x)"), 1);
  EXPECT_EQ(value("logistic(-10000*x)"), 0);
  EXPECT_EQ(value("softplus(1000*x)"), 1000 * x);
  EXPECT_LT(relative_difference(value("logistic(-100*x)"), std::exp(-70.0)), 1e-14);
  EXPECT_LT(relative_difference(value("softplus(-100*x)"), std::exp(-70.0)), 1e-14);
  // Φ(−7) and Φ(−35), to 17 digits (from the continued fraction of erfc in 40 digits).
  EXPECT_LT(relative_difference(value("normcdf(-10*x)"), 1.2798125438858350e-12), 1e-15);
  EXPECT_LT(relative_difference(value("normcdf(-50*x)"), 1.1249107064724062e-268), 1e-14);
}

TEST_F(Formulas, VectorsAndMatrices) {
  const auto expect = [&](std::string_view text, std::vector<double> expected) {
    const Matrix found = values(text);
    ASSERT_EQ(found.size(), std::ssize(expected)) << text;
    for (Index i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found(0, i), expected[static_cast<std::size_t>(i)], 1e-14) << text;
    }
  };
  expect("v + w", {1.5, 1, 7});
  expect("v - 1", {0, 1, 2});
  expect("1 - v", {0, -1, -2});
  expect("2*v", {2, 4, 6});
  expect("v/2", {0.5, 1, 1.5});
  expect("v^2", {1, 4, 9});
  expect("sin(v)", {std::sin(1), std::sin(2), std::sin(3)});
  expect("max(v, 2)", {2, 2, 3});
  expect("if(w < 0, 0, v)", {1, 0, 3});
  expect("v[2]", {3});
  expect("(v + w)[0]", {1.5});
  expect("[x, y, 1]", {x, y, 1});
  expect("dot(v, w)", {10.5});
  expect("v*w", {0.5, -2, 12});
  expect("x*v*w", {0.5 * x, -2 * x, 12 * x});
  expect("6/v", {6, 3, 2});
  expect("w/v", {0.5, -0.5, 4.0 / 3});
  expect("sum(w)", {3.5});
  expect("norm2(v)", {std::sqrt(14)});
  expect("A*v", {14, 32});
  expect("x*A*v", {14 * x, 32 * x});
  expect("A*(x*v)", {14 * x, 32 * x});
  expect("transpose(A)*[1, 2]", {9, 12, 15});
  expect("transpose(v)*w", {10.5});
  expect("v*transpose(w)", {0.5, 1, 1.5, -1, -2, -3, 4, 8, 12});
  expect("A*transpose(A)", {14, 32, 32, 77});
  expect("[[x, y], [1, 2]]*[3, 4]", {3 * x + 4 * y, 11});
  expect("solve([[x, y], [1, 2]], [3, 4])",
         {(3 * 2 - y * 4) / (2 * x - y), (x * 4 - 3) / (2 * x - y)});
  expect("solve([[0, 2], [4, x]], [6, 7])", {(7 - 3 * x) / 4, 3});  // needs a pivot
  expect("solve([[0, 2], [4, 1]], [6, 7])", {1, 3});
  expect("solve(2*identity(3), v)", {0.5, 1, 1.5});
  expect("solve([[x, 0], [0, 2]], [[1, 0], [0, 1]])", {1 / x, 0, 0, 0.5});
  expect("A[1, 2]", {6});
  expect("dot(A*v, [x, y])", {14 * x + 32 * y});
}

TEST_F(Formulas, SyntaxMistakes) {
  const std::string operand = "expected a number, a name or '('";
  expect_mistake("", "the formula is empty", 0, 0);
  expect_mistake("  ", "the formula is empty", 2, 2);
  expect_mistake("x*", operand + " after '*', found end of formula", 2, 2);
  expect_mistake("2*(x + )", operand + " after '+', found ')'", 7, 8);
  expect_mistake("*x", operand + ", found '*'", 0, 1);
  expect_mistake("x**2", operand + " after '*', found '*'; write ^ for a power", 2, 3);
  expect_mistake("x + and", operand + " after '+', found 'and'", 4, 7);
  expect_mistake("x \xC2\xB2", "expected an operator after 'x', found '\xC2\xB2'", 2, 4);
  expect_mistake("min(x,)", operand + " after ',', found ')'", 6, 7);
  expect_mistake("()", operand + " after '(', found ')'", 1, 2);
  expect_mistake("sin(x", "'(' is never closed", 3, 4);
  expect_mistake("(x + (y - 1)", "'(' is never closed", 0, 1);
  expect_mistake("[x, y", "'[' is never closed", 0, 1);
  expect_mistake("x + 1)", "')' was never opened", 5, 6);
  expect_mistake("(x]", "expected an operator or ')' after 'x', found ']'", 2, 3);
  expect_mistake("max(x y)", "expected an operator, ',' or ')' after 'x', found 'y'", 6, 7);
  expect_mistake("2x", "expected an operator after '2', found 'x'; write * for a product", 1, 2);
  expect_mistake("x = 1", "expected an operator after 'x', found '='; write == to compare", 2, 3);
  expect_mistake("0 < x < 1", "comparisons cannot be chained; write a < b and b < c", 6, 7);
  expect_mistake("1e999", "1e999 is out of the range of numbers", 0, 5);
}

TEST_F(Formulas, UnknownNames) {
  expect_mistake("1 + thet", "unknown name 'thet'; did you mean 'theta'?", 4, 8);
  expect_mistake("X + 1", "unknown name 'X'; did you mean 'x'?", 0, 1);
  expect_mistake("quantity", "unknown name 'quantity'; known names: A, mu, theta, v, w, x, y, pi",
                 0, 8);
  expect_mistake("sni(x)", "unknown function 'sni'; did you mean 'sin'?", 0, 3);
  expect_mistake("gamma(x)", "unknown function 'gamma'", 0, 5);
  expect_mistake("sin + 1", "'sin' is a function: write sin(…)", 0, 3);
  expect_mistake("x(y + 1)", "'x' is not a function; write x*(…) for a product", 0, 1);
}

TEST_F(Formulas, WrongArguments) {
  expect_mistake("sin(x, y)", "sin needs 1 argument, found 2", 0, 9);
  expect_mistake("1 + if(x, y)", "if needs 3 arguments, found 2", 4, 12);
  expect_mistake("max(x)", "max needs at least 2 arguments, found 1", 0, 6);
  expect_mistake("exp()", "exp needs 1 argument, found 0", 0, 5);
  expect_mistake("v + [1, 2]", "cannot add a vector of 3 and a vector of 2", 0, 10);
  expect_mistake("A - v", "cannot subtract a vector of 3 from a 2 × 3 matrix", 0, 5);
  expect_mistake("v*[1, 2]", "cannot multiply a vector of 3 by a vector of 2", 0, 8);
  expect_mistake("A*[1, 2]",
                 "cannot multiply a 2 × 3 matrix by a vector of 2: 3 columns against 2 rows", 0, 8);
  expect_mistake("1/A", "cannot divide by a 2 × 3 matrix", 0, 3);
  expect_mistake("[1, 2]/v", "cannot divide a vector of 2 by a vector of 3", 0, 8);
  expect_mistake("2^v", "an exponent must be a number, found a vector of 3", 0, 3);
  expect_mistake("A^2", "cannot raise a 2 × 3 matrix to a power", 0, 3);
  expect_mistake("dot(v, [1, 2])",
                 "'dot' needs arguments of one shape, found a vector of 3 and a vector of 2", 0,
                 14);
  expect_mistake("if(v < 1, [1, 2], 0)",
                 "'if' needs arguments of one shape, found a vector of 3 and a vector of 2", 0, 20);
  expect_mistake("x + v[3]", "index 3 is out of range: a vector of 3 has the elements 0 to 2", 4,
                 8);
  expect_mistake(
      "A[2, 0]",
      "index 2, 0 is out of range: a 2 × 3 matrix has the rows 0 to 1 and the columns 0 to 2", 0,
      7);
  expect_mistake("A[1]", "a 2 × 3 matrix takes two indices, found 1", 0, 4);
  expect_mistake(
      "v[x]", "an index must be a whole number, 0 or more and known beforehand, found 'x'", 2, 3);
  expect_mistake(
      "v[-1]", "an index must be a whole number, 0 or more and known beforehand, found '-1'", 2, 4);
  expect_mistake("v[0.5]",
                 "an index must be a whole number, 0 or more and known beforehand, found '0.5'", 2,
                 5);
  expect_mistake("solve(A, v)", "solve needs a square matrix, found a 2 × 3 matrix", 0, 11);
  expect_mistake("solve(identity(2), v)",
                 "solve: a 2 × 2 matrix does not fit to a vector of 3 on the right-hand side", 0,
                 21);
  expect_mistake("solve([[1, 2], [2, 4]], [1, 2])", "solve with a singular matrix", 0, 31);
  expect_mistake("identity(x)",
                 "identity needs a whole number from 1 to 1000 that is known beforehand, found 'x'",
                 9, 10);
  expect_mistake("[]", "a vector needs at least one element", 0, 2);
  expect_mistake("[x, v]", "the elements of a vector must be numbers, found a vector of 3", 0, 6);
  expect_mistake(
      "[v, [1, 2]]",
      "the rows of a matrix must be of one length, found a vector of 3 and a vector of 2", 4, 10);
}

TEST_F(Formulas, ConstantsThatAreNotReal) {
  expect_mistake("x + sqrt(-1)", "sqrt(-1) is not a real number", 4, 12);
  expect_mistake("log(-2)*y", "log(-2) is not a real number", 0, 7);
  expect_mistake("(-8)^(1/3)", "(-8)^0.333333 is not a real number", 0, 10);
  expect_mistake("x/(2 - 2) + 1/0", "1/0 is not a real number", 12, 15);
  expect_mistake("log(0)", "log(0) is not a real number", 0, 6);
  expect_mistake("asin(2)", "asin(2) is not a real number", 0, 7);
  expect_mistake("exp(1000)", "exp(1000) is too large for a number", 0, 9);
  expect_mistake("sqrt([1, -4])", "sqrt(-4) is not a real number", 0, 13);
}

TEST_F(Formulas, DeepAndLong) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '(') + "x" +
           std::string(static_cast<std::size_t>(depth), ')');
  };
  EXPECT_EQ(value(nested(400)), x);
  expect_mistake(nested(10000), "brackets are nested deeper than 500 levels", 500, 501);
  std::string calls;
  for (int i = 0; i < 10000; ++i) calls += "abs(";
  EXPECT_EQ(mistake(calls).message, "brackets are nested deeper than 500 levels");

  std::string sum = "x*1";  // x·1 + x·2 + … + x·100000
  for (int i = 2; i <= 100000; ++i) sum += " + x*" + std::to_string(i);
  EXPECT_NEAR(value(sum) / (x * 5000050000.0), 1, 1e-10);
  const Node derivative = gradient(graph_, parse(graph_, sum, names_), std::array{names_["x"]})[0];
  EXPECT_NEAR(run(graph_, std::array{derivative}, inputs_)[0](0, 0), 5000050000.0, 1e-3);

  EXPECT_EQ(value(std::string(100001, '-') + "x"), -x);
  std::string tower = "1";
  for (int i = 0; i < 10000; ++i) tower += "^theta";
  EXPECT_EQ(value(tower), 1);
}

TEST_F(Formulas, EqualPartsAreOneNode) {
  EXPECT_EQ(parse(graph_, "sin(x + y)", names_), parse(graph_, "sin(y + x)", names_));
  EXPECT_EQ(parse(graph_, "x*2", names_), parse(graph_, "(2*x)", names_));
  EXPECT_EQ(parse(graph_, "x - x", names_), graph_.constant(0.0));
  EXPECT_EQ(parse(graph_, "--x^1 + 0*1", names_), names_["x"]);
  EXPECT_EQ(parse(graph_, "norm2(v)^2", names_), parse(graph_, "dot(v, v)", names_));
  EXPECT_EQ(parse(graph_, "x^0.5", names_), parse(graph_, "sqrt(x)", names_));
  EXPECT_EQ(parse(graph_, "x > y", names_), parse(graph_, "y < x", names_));
  EXPECT_EQ(parse(graph_, "(2*A)*v", names_), parse(graph_, "(A*2)*v", names_));
  EXPECT_EQ(parse(graph_, "[v[0], v[1], v[2]]", names_), names_["v"]);
  EXPECT_NE(parse(graph_, "0*x", names_), graph_.constant(0.0));  // x may be infinite
}

TEST_F(Formulas, SpansAndDependence) {
  const Node node = parse(graph_, "x + cosh(3*theta)", names_, 5);
  EXPECT_EQ(graph_.span(node).text, 5);
  EXPECT_EQ(graph_.span(node).begin, 0);
  EXPECT_EQ(graph_.span(node).end, 17);
  const Node part = parse(graph_, "cosh(theta*3)", names_, 6);
  EXPECT_EQ(graph_.span(part).text, 5);  // the first writer's
  EXPECT_EQ(graph_.span(part).begin, 4);
  EXPECT_TRUE(graph_.depends_on(node, 0));
  EXPECT_TRUE(graph_.depends_on(node, 1));
  EXPECT_FALSE(graph_.depends_on(part, 0));
  EXPECT_FALSE(graph_.depends_on(part, 2));
  EXPECT_EQ(graph_.constant_value(parse(graph_, "mu*2", names_))->value(), 5);
  EXPECT_FALSE(graph_.constant_value(part).has_value());
}

TEST(NearestName, SlipsOfThePen) {
  const std::vector<std::string> names = {"theta", "lambda", "x", "y1", "strong_convexity"};
  EXPECT_EQ(nearest_name("thet", names), "theta");
  EXPECT_EQ(nearest_name("htheta", names), "theta");
  EXPECT_EQ(nearest_name("Theta", names), "theta");
  EXPECT_EQ(nearest_name("lamdba", names), "lambda");
  EXPECT_EQ(nearest_name("strong_convextiy", names), "strong_convexity");
  EXPECT_EQ(nearest_name("X", names), "x");
  EXPECT_EQ(nearest_name("y", names), std::nullopt);
  EXPECT_EQ(nearest_name("quantity", names), std::nullopt);
  EXPECT_EQ(nearest_name("z", names), std::nullopt);
}

}  // namespace
}  // namespace chaosgrad
