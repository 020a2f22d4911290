// Compiled programs: against plain loops, the same bits in every block, no new memory, and the
// reason of a non-finite value.
#include <gtest/gtest.h>

#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <vector>

#include "numeric/functions.h"
#include "random/random.h"
#include "support/expression_values.h"

namespace chaosgrad {
using namespace internal;
namespace {

std::uint64_t bits(double value) {
  return std::isnan(value) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(value);
}

// Slot 0: x, y and v (3 components); slot 1: t. A is constant.
struct Names {
  Graph graph;
  Scope scope;
  Names() {
    scope["x"] = graph.input(0, 0);
    scope["y"] = graph.input(0, 1);
    scope["v"] = graph.input(0, 2, {3, 1});
    scope["t"] = graph.input(1, 0);
    scope["A"] = graph.constant(Sequence(4).matrix(7, 3, -1, 1));
  }
  Node operator()(std::string_view text) { return parse(graph, text, scope, 3); }
};

TEST(Program, SameBitsInEveryBlock) {
  Names names;
  std::vector<Node> outputs = {
      names("sin(x)*cos(x) + tan(y)"),
      names("sin(2*y)/sin(y)"),
      names("exp(x) + log(abs(y)) - x^y + abs(x)^2.5 + y^7"),
      names("A*v"),
      names("abs(x - y)*(t + y)"),
      names("(v - x)*2 + abs(v + v[0])"),
      names("norm2(v) + dot(v, [1, 2, 3])*sum(v)"),
      names("tanh(y) + sinh(x)/cosh(x)"),
      names("erf(x) + normcdf(y) + logistic(x) + softplus(y)"),
      names("asin(t) + acos(t) + atan(x)"),
      names("max(x, y, t) - floor(x) + if(x < y, sqrt(t), v[1])"),
      names("v*transpose(v)"),
      names.graph.apply(Op::normal_quantile, std::array{names.scope["t"]})};
  const Node loss = names("dot(v, transpose(A)*(A*v)) + softplus(x*y)*sin(v[0])");
  for (const Node node :
       gradient(names.graph, loss, std::array{names.scope["x"], names.scope["v"]})) {
    outputs.push_back(node);
  }
  const Program program(names.graph, outputs);

  // Arguments of every size, so that neighbours in a pack want different range reductions.
  Sequence sequence(9);
  Matrix x = sequence.matrix(block_size, 5, -3, 3);
  for (Index i = 0; i < block_size; i += 3) x(i, 0) *= 50;
  for (Index i = 0; i < block_size; i += 7) x(i, 1) *= 1e15;
  x(11, 0) = std::numeric_limits<double>::quiet_NaN();
  x(13, 0) = std::numeric_limits<double>::infinity();
  const Matrix t = sequence.matrix(block_size, 1, 0, 1);
  const auto whole = run(program, names.graph, outputs, {x, t});
  for (const Index size : {1, 2, 3, 7, 8, 9, 31, 33, 64, 127}) {
    for (Index first = 0; first + size <= block_size; first += size) {
      const auto part = run(program, names.graph, outputs,
                            {x.middleRows(first, size), t.middleRows(first, size)});
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        for (Index i = 0; i < size; ++i) {
          for (Index j = 0; j < part[k].cols(); ++j) {
            ASSERT_EQ(bits(part[k](i, j)), bits(whole[k](first + i, j)))
                << "output " << k << " component " << j << " block of " << size << " row "
                << first + i << " x " << x(first + i, 0);
          }
        }
      }
    }
  }
}

// A large random graph of numbers and vectors of 4, evaluated again node by node with plain
// arithmetic.
struct PlainGraph {
  Graph graph;
  std::vector<Node> nodes;
  std::vector<Vector> values;  // of one sample: 1 or 4 components

  Vector component_wise(std::span<const std::size_t> parts, auto function) const {
    Index size = 1;
    for (const std::size_t part : parts) size = std::max(size, values[part].size());
    Vector result(size);
    for (Index i = 0; i < size; ++i) {
      const auto at = [&](std::size_t k) {
        const Vector& value = values[parts[std::min(k, parts.size() - 1)]];
        return value(value.size() == 1 ? 0 : i);
      };
      result(i) = function(at(0), at(1), at(2));
    }
    return result;
  }
  void add(Op op, std::vector<std::size_t> parts, const Vector& value) {
    std::vector<Node> arguments;
    for (const std::size_t part : parts) arguments.push_back(nodes[part]);
    nodes.push_back(graph.apply(op, arguments));
    values.push_back(value);
  }

  void grow(Sequence& sequence) {
    const auto any = [&] {
      return static_cast<std::size_t>(sequence.below(static_cast<int>(nodes.size())));
    };
    const auto recent = [&] {
      const int count = static_cast<int>(nodes.size());
      return static_cast<std::size_t>(count - 1 - sequence.below(std::min(count, 12)));
    };
    const std::size_t a = recent(), b = any(), c = recent();
    const auto unary = [&](Op op, auto f) {
      add(op, {a}, component_wise(std::array{a}, [&](double u, double, double) { return f(u); }));
    };
    const auto binary = [&](Op op, auto f) {
      add(op, {a, b},
          component_wise(std::array{a, b}, [&](double u, double w, double) { return f(u, w); }));
    };
    switch (sequence.below(12)) {
      case 0:
        return binary(Op::add, [](double u, double w) { return u + w; });
      case 1:
        return binary(Op::subtract, [](double u, double w) { return u - w; });
      case 2:
        return binary(Op::multiply, [](double u, double w) { return u * w; });
      case 3:
        return binary(Op::max, [](double u, double w) { return std::max(u, w); });
      case 4:
        return unary(Op::sin, [](double u) { return std::sin(u); });
      case 5:
        return unary(Op::cos, [](double u) { return std::cos(u); });
      case 6:
        return unary(Op::tanh, [](double u) { return std::tanh(u); });
      case 7:
        return unary(Op::atan, [](double u) { return std::atan(u); });
      case 8:
        return add(Op::select, {a, b, c},
                   component_wise(std::array{a, b, c},
                                  [](double u, double w, double z) { return u != 0 ? w : z; }));
      case 9:
        return add(Op::sum, {a}, Vector::Constant(1, values[a].sum()));
      case 10: {
        std::vector<std::size_t> parts;
        Vector value(4);
        for (Index i = 0; i < 4; ++i) {
          std::size_t part = recent();
          while (values[part].size() != 1) part = any();
          parts.push_back(part);
          value(i) = values[part](0);
        }
        return add(Op::stack, parts, value);
      }
      default: {
        const Index i = values[a].size() == 1 ? 0 : sequence.below(4);
        nodes.push_back(graph.element(nodes[a], i));
        values.push_back(Vector::Constant(1, values[a](i)));
      }
    }
  }
};

TEST(Program, LargeRandomGraphsAgreeWithPlainEvaluation) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Sequence sequence(seed);
    PlainGraph plain;
    const Matrix inputs = sequence.matrix(1, 6, -1, 1);
    plain.nodes = {plain.graph.input(0, 0), plain.graph.input(0, 1),
                   plain.graph.input(0, 2, {4, 1}), plain.graph.constant(0.75)};
    plain.values = {inputs.leftCols(1).transpose(), inputs.middleCols(1, 1).transpose(),
                    inputs.rightCols(4).transpose(), Vector::Constant(1, 0.75)};
    while (plain.nodes.size() < 400) {
      plain.grow(sequence);
      // Values stay of order one, so that rounding stays rounding.
      if (plain.values.back().cwiseAbs().maxCoeff() > 4) {
        plain.nodes.pop_back();
        plain.values.pop_back();
      }
    }
    std::vector<Node> outputs;
    std::vector<std::size_t> chosen;
    for (int k = 0; k < 12; ++k) {
      chosen.push_back(k == 0 ? plain.nodes.size() - 1
                              : static_cast<std::size_t>(sequence.below(400)));
      outputs.push_back(plain.nodes[chosen.back()]);
    }
    outputs.push_back(outputs.front());  // twice the same
    chosen.push_back(chosen.front());
    const auto found = run(plain.graph, outputs, {inputs.replicate(block_size, 1)});
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      for (Index j = 0; j < found[k].cols(); ++j) {
        EXPECT_NEAR(found[k](0, j), plain.values[chosen[k]](j), 1e-10)
            << "seed " << seed << " output " << k;
        EXPECT_EQ(found[k](77, j), found[k](0, j));
      }
    }
  }
}

TEST(Program, ConstantMatrixProductsOfEverySize) {
  Graph graph;
  Sequence sequence(2);
  for (const Index rows : {1, 2, 3, 4, 5, 8, 9, 30}) {
    for (const Index inner : {2, 3, 17}) {
      const Matrix a = sequence.matrix(rows, inner, -1, 1);
      const Node x = graph.input(0, 0, {inner, 1});
      const Node product = graph.apply(Op::product, std::array{graph.constant(a), x});
      const Matrix block = sequence.matrix(50, inner, -1, 1);
      const Matrix found = run(graph, std::array{product}, {block})[0];
      const Matrix expected = block * a.transpose();
      EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-14);
    }
  }
}

TEST(Program, OutputsThatAreInputsConstantsOrParts) {
  Names names;
  const std::vector<Node> outputs = {
      names("x"),      names("3"), names("v[1]"),         names("v"),
      names("[1, 2]"), names("x"), names("transpose(v)"), names("[v[2], x, 5]")};
  Matrix x(1, 5);
  x << 1, 2, 3, 4, 5;
  const auto found = run(names.graph, outputs, {x, Matrix(1, 1)});
  EXPECT_EQ(found[0](0, 0), 1);
  EXPECT_EQ(found[1](0, 0), 3);
  EXPECT_EQ(found[2](0, 0), 4);
  EXPECT_EQ(found[3](0, 2), 5);
  EXPECT_EQ(found[4](0, 1), 2);
  EXPECT_EQ(found[5](0, 0), 1);
  EXPECT_EQ(found[6](0, 0), 3);
  EXPECT_EQ(found[7], (Matrix(1, 3) << 5, 1, 5).finished());
}

TEST(Program, UnusedSlotsMayBeEmptyAndBlocksStrided) {
  Names names;
  const Node node = names("x + 2*v[2]");
  const Matrix wide = Sequence(1).matrix(200, 9, -1, 1);
  Matrix result = Matrix::Zero(150, 4);
  const std::vector<Block> inputs = {wide.block(13, 2, 128, 5), Matrix(0, 0)};
  std::vector<BlockOut> outputs = {result.block(5, 2, 128, 1)};
  Program::Workspace workspace;
  Program(names.graph, std::array{node}).evaluate(inputs, outputs, workspace);
  for (Index i = 0; i < 128; ++i)
    EXPECT_EQ(result(5 + i, 2), wide(13 + i, 2) + 2 * wide(13 + i, 6));
  EXPECT_EQ(result(4, 2), 0);
  EXPECT_EQ(result(133, 2), 0);
  EXPECT_EQ(result(5, 1), 0);
}

TEST(Program, TakesMemoryOnlyAtFirst) {
  Names names;
  const std::vector<Node> nodes = {names("sin(x)*exp(y) + norm2(A*v)"), names("A*v + x")};
  const Program program(names.graph, nodes);
  const Matrix x = Sequence(1).matrix(128, 5, -1, 1), t = Sequence(1).matrix(128, 1, -1, 1);
  Matrix first(128, 1), second(128, 7);
  Program::Workspace workspace;
  const auto evaluate = [&](Index samples) {
    const std::array<Block, 2> inputs = {x.topRows(samples), t.topRows(samples)};
    std::array<BlockOut, 2> outputs = {first.topRows(samples), second.topRows(samples)};
    program.evaluate(inputs, outputs, workspace);
  };
  evaluate(3);
  const double* registers = workspace.registers.data();
  const auto* calls = workspace.calls.get();
  for (const Index samples : {128, 1, 17, 8}) evaluate(samples);
  EXPECT_EQ(workspace.registers.data(), registers);
  EXPECT_EQ(workspace.calls.get(), calls);
}

TEST(Program, SharesWorkAndRegisters) {
  Names names;
  EXPECT_EQ(Program(names.graph, std::array{names("sin(x) + cos(x)")}).instruction_count(), 2);
  EXPECT_EQ(Program(names.graph, std::array{names("x*y + t")}).instruction_count(), 1);
  EXPECT_EQ(Program(names.graph, std::array{names("t - x*y")}).instruction_count(), 1);
  for (const char* text : {"(x + y)*t", "t*(x - y)", "abs(x - y)", "abs(t + y)", "2*(x - t)"})
    EXPECT_EQ(Program(names.graph, std::array{names(text)}).instruction_count(), 1) << text;
  EXPECT_EQ(Program(names.graph, std::array{names("(x - y)*(x - y)")}).instruction_count(), 2);
  EXPECT_EQ(Program(names.graph, std::array{names("(x*y + t)*y")}).instruction_count(), 2);
  EXPECT_EQ(Program(names.graph, std::array{names("exp(x*t)"), names("1 + exp(t*x)")})
                .instruction_count(),
            3);
  EXPECT_EQ(Program(names.graph, std::array{names("[sin(x), exp(y), x*y]")}).instruction_count(),
            3);
  // A long chain needs a handful of columns.
  std::string chain = "x";
  for (int i = 0; i < 100; ++i) chain = "sin(" + chain + " + y)";
  const Program program(names.graph, std::array{names(chain)});
  Matrix result(1, 1);
  const Matrix x = Matrix::Ones(1, 5), t = Matrix::Ones(1, 1);
  const std::array<Block, 2> inputs = {x, t};
  std::array<BlockOut, 1> outputs = {result};
  Program::Workspace workspace;
  program.evaluate(inputs, outputs, workspace);
  EXPECT_LE(workspace.registers.size(), 8 * block_size);
}

// A sum inside a product or an absolute value rounds as it would alone.
TEST(Program, SumsComputedWithTheirProductsRoundTheSame) {
  Names names;
  const std::vector<Node> outputs = {names("(x + y)*t"), names("t*(y - x)"), names("abs(x - y)"),
                                     names("abs(t + y)"), names("(v - x)*t")};
  const Program program(names.graph, outputs);
  EXPECT_EQ(program.instruction_count(), 5);
  Sequence sequence(5);
  const Matrix x = sequence.matrix(100, 5, -3, 3), t = sequence.matrix(100, 1, -1, 1);
  const auto result = run(program, names.graph, outputs, {x, t});
  for (Index i = 0; i < 100; ++i) {
    EXPECT_EQ(result[0](i, 0), (x(i, 0) + x(i, 1)) * t(i, 0));
    EXPECT_EQ(result[1](i, 0), t(i, 0) * (x(i, 1) - x(i, 0)));
    EXPECT_EQ(result[2](i, 0), std::abs(x(i, 0) - x(i, 1)));
    EXPECT_EQ(result[3](i, 0), std::abs(t(i, 0) + x(i, 1)));
    for (Index j = 0; j < 3; ++j) EXPECT_EQ(result[4](i, j), (x(i, 2 + j) - x(i, 0)) * t(i, 0));
  }
}

TEST(Program, TakesNodesAsGiven) {
  Names names;
  const std::vector<Node> outputs = {names("exp(sin(x))*cos(2*x) + sin(x*y) + sin(x + 1)"),
                                     names("sin(x) + y*cos(2*x)")};
  const auto found = trigonometric_functions(names.graph, outputs, names.scope["x"]);
  ASSERT_EQ(found.size(), 2);
  std::vector<GivenNode> given;
  for (const Trigonometric& function : found) {
    EXPECT_EQ(function.node, names(function.sine ? "sin(x)" : "cos(2*x)"));
    EXPECT_EQ(function.factor, function.sine ? 1 : 2);
    given.push_back({function.node, 2, function.sine ? 1 : 0});
  }
  Sequence sequence(6);
  const Matrix x = sequence.matrix(100, 5, -3, 3), t = Matrix::Zero(100, 1);
  Matrix values(100, 2);
  values.col(0) = (2 * x.col(0).array()).cos();
  values.col(1) = x.col(0).array().sin();
  const auto plain = run(names.graph, outputs, {x, t});
  const auto result =
      run(Program(names.graph, outputs, given), names.graph, outputs, {x, t, values});
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_LT((result[k] - plain[k]).cwiseAbs().maxCoeff(), 1e-14);
  // What is given is not looked into: the second output needs y and the given values only.
  const std::array<Node, 1> second = {outputs[1]};
  const auto alone = run(Program(names.graph, second, given), names.graph, second,
                         {Matrix::Constant(100, 5, 2), t, values});
  EXPECT_LT((alone[0] - (values.col(1) + 2 * values.col(0))).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(NonFinite, NamesTheFirstCulprit) {
  struct Case {
    std::string text, reason;
    Index begin, end;
  };
  // x = −5, y = 0, v = (1, 2, −3), t = 800
  const std::vector<Case> cases = {
      {"1 + log(x)", "log of a negative number (-5)", 4, 10},
      {"log(y)*2", "log of zero", 0, 6},
      {"exp(sqrt(x - 4) + 1)", "square root of a negative number (-9)", 4, 15},
      {"t/y", "division by zero", 0, 3},
      {"exp(t)", "overflow", 0, 6},
      {"x^0.3", "negative number (-5) to a fractional power (0.3)", 0, 5},
      {"x^1.5", "negative number (-5) to a fractional power (1.5)", 0, 5},
      {"y^-2", "zero to a negative power (-2)", 0, 4},
      {"asin(x)", "asin of a number outside [-1, 1] (-5)", 0, 7},
      {"sum(sqrt(v))", "square root of a negative number (-3)", 4, 11},
      {"if(x < 0, log(x), 1) + t/y", "log of a negative number (-5)", 10, 16},
      {"if(x > 0, log(x), 1) + t/y", "division by zero", 23, 26},
      {"max(1/y, 3)", "division by zero", 4, 7},
      {"sum(solve([[y, 1], [y, 2]], [1, x]))", "solve with a singular matrix", 4, 35},
  };
  Matrix x(1, 5);
  x << -5, 0, 1, 2, -3;
  const Matrix t = Matrix::Constant(1, 1, 800);
  const std::vector<Block> inputs = {x, t};
  for (const Case& entry : cases) {
    Names names;
    const auto found = Program(names.graph, std::array{names(entry.text)}).first_non_finite(inputs);
    ASSERT_TRUE(found.has_value()) << entry.text;
    EXPECT_EQ(found->reason, entry.reason);
    EXPECT_EQ(found->span.text, 3);
    EXPECT_EQ(found->span.begin, entry.begin) << entry.text;
    EXPECT_EQ(found->span.end, entry.end) << entry.text;
  }
  Names names;
  for (const char* text : {"x + y", "if(x > 0, log(x), 1)", "sqrt(abs(x))", "v + 1"}) {
    EXPECT_FALSE(Program(names.graph, std::array{names(text)}).first_non_finite(inputs).has_value())
        << text;
  }
}

TEST(NonFinite, InDerivativesAndInputs) {
  Names names;
  const Node node = names("3*sqrt(y)");
  const auto slope = gradient(names.graph, node, std::array{names.scope["y"]});
  Matrix x = Matrix::Zero(1, 5);
  const Matrix t = Matrix::Ones(1, 1);
  const std::vector<Block> inputs = {x, t};
  const auto found = Program(names.graph, slope).first_non_finite(inputs);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->reason, "division by zero in the derivative");
  EXPECT_EQ(found->span.begin, 2);
  EXPECT_EQ(found->span.end, 9);
  x(0, 0) = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Block> bad = {x, t};
  EXPECT_EQ(Program(names.graph, std::array{names("x + 1")}).first_non_finite(bad)->reason,
            "an input is not finite (nan)");
}

using Wide = boost::multiprecision::cpp_bin_float_50;

// Distance from the exact value in units of the last place of a double of its size.
double ulps(double value, const Wide& exact) {
  const double size = std::abs(static_cast<double>(exact));
  const double ulp = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
  return static_cast<double>(abs(Wide(value) - exact) / ulp);
}

template <auto function>
std::vector<double> in_packs(std::vector<double> x) {
  for (std::size_t i = 0; i + simd::width <= x.size(); i += simd::width)
    simd::store(&x[i], function(simd::load(&x[i])));
  return x;
}

std::vector<double> between(std::uint64_t seed, double lower, double upper) {
  const Matrix numbers = Sequence(seed).matrix(2048, 1, lower, upper);
  return {numbers.data(), numbers.data() + numbers.size()};
}

TEST(VectorMath, ExponentialsToTwoUlp) {
  for (const double size : {1e-9, 0.4, 1.0, 30.0, 706.0, 708.5}) {
    const std::vector<double> x = between(3, -size, size);
    const std::vector<double> exps = in_packs<simd::exp>(x), coshs = in_packs<simd::cosh>(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_LT(ulps(exps[i], exp(Wide(x[i]))), 1.25) << x[i];
      EXPECT_LT(ulps(coshs[i], cosh(Wide(x[i]))), 2) << x[i];
    }
  }
}

TEST(VectorMath, SineAndCosineToTwoUlp) {
  for (const double size : {1e-9, 0.8, 4.0, 100.0, 9.9e4, 1e7, 1e13}) {
    std::vector<double> x = between(4, -size, size);
    // Next to the zeros of either function.
    for (std::size_t i = 0; i < x.size(); i += 2)
      x[i] = std::round(x[i] * 2 / std::numbers::pi) * (std::numbers::pi / 2);
    const std::vector<double> sines = in_packs<simd::sin>(x), cosines = in_packs<simd::cos>(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_LT(ulps(sines[i], sin(Wide(x[i]))), 1.6) << x[i];
      EXPECT_LT(ulps(cosines[i], cos(Wide(x[i]))), 1.6) << x[i];
      EXPECT_LE(std::abs(sines[i]), 1);
      EXPECT_LE(std::abs(cosines[i]), 1);
    }
    for (std::size_t i = 0; i < x.size(); i += simd::width) {
      double sine[simd::width], cosine[simd::width];
      const auto pair = simd::sincos(simd::load(&x[i]));
      simd::store(sine, pair.sin);
      simd::store(cosine, pair.cos);
      for (std::size_t lane = 0; lane < simd::width; ++lane) {
        EXPECT_EQ(sine[lane], sines[i + lane]);
        EXPECT_EQ(cosine[lane], cosines[i + lane]);
      }
    }
  }
}

// sin a and sin 2a share one instruction, in whichever order they appear.
TEST(Program, SineOfTheDoubleToThreeUlp) {
  for (const bool double_first : {true, false}) {
    Names names;
    std::vector<Node> nodes = {names(double_first ? "sin(2*x)" : "sin(x)"),
                               names(double_first ? "sin(x)" : "sin(2*x)")};
    if (double_first) std::swap(nodes[0], nodes[1]);
    const Program program(names.graph, nodes);
    EXPECT_EQ(program.instruction_count(), 1);
    for (const double size : {1e-9, 0.8, 4.0, 100.0, 9.9e4, 1e7}) {
      std::vector<double> x = between(5, -size, size);
      // Next to the zeros and the extremes of sin 2x.
      for (std::size_t i = 0; i < x.size(); i += 2)
        x[i] = std::round(x[i] * 4 / std::numbers::pi) * (std::numbers::pi / 4);
      for (std::size_t i = 0; i < x.size(); i += block_size) {
        const Matrix block = Eigen::Map<const Matrix>(&x[i], block_size, 1);
        const std::vector<Matrix> values = run(program, names.graph, nodes, {block});
        for (Index s = 0; s < block_size; ++s) {
          EXPECT_LT(ulps(values[0](s), sin(Wide(block(s)))), 1.6) << block(s);
          EXPECT_LT(ulps(values[1](s), sin(2 * Wide(block(s)))), 3) << block(s);
          EXPECT_LE(std::abs(values[1](s)), 1);
        }
      }
    }
  }
}

// Where 2x, cos x or cos 2x are needed as well, every value stays what it is.
TEST(Program, SineOfTheDoubleAmongOthers) {
  Names names;
  const Matrix x = Sequence(6).matrix(block_size, 1, -9, 9);
  const auto check = [&](std::vector<std::string> texts) {
    std::vector<Node> nodes;
    for (const std::string& text : texts) nodes.push_back(names(text));
    const std::vector<Matrix> together = run(names.graph, nodes, {x});
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const Matrix alone = run(names.graph, std::array{nodes[k]}, {x})[0];
      EXPECT_LT((together[k] - alone).cwiseAbs().maxCoeff(), 1e-15) << texts[k];
    }
  };
  check({"sin(x)", "2*x", "sin(2*x)"});
  check({"sin(x)", "cos(x)", "sin(2*x)"});
  check({"sin(x)", "sin(2*x)", "cos(2*x)"});
  check({"sin(x)", "sin(2*x)", "sin(4*x)", "exp(2*x)/exp(2*x)"});
  check({"sin(2*x) + sin(x)*sin(2*x)", "[sin(2*x), sin(x)]"});
}

TEST(VectorMath, ALaneDoesNotSeeItsNeighbours) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> x = {0,     -0.0,     0.3,       -2,   706.9, -706.9, 707,
                           709.5, 710.4,    711,       -740, -746,  1e3,    -1e3,
                           9e4,   1e5,      2e5,       -1e6, 1e14,  1e15,   1e300,
                           -1e22, infinity, -infinity, nan,  14.9,  15.1,   1e-310};
  while (x.size() % 8 != 0) x.push_back(1);
  const auto check = [&]<auto function>(auto exact) {
    const std::vector<double> together = in_packs<function>(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double alone = in_packs<function>(std::vector<double>(simd::width, x[i]))[0];
      EXPECT_EQ(bits(together[i]), bits(alone)) << x[i];
      const double expected = exact(x[i]);
      if (std::isfinite(expected))
        EXPECT_NEAR(together[i], expected, 1e-15 * std::abs(expected)) << x[i];
      else
        EXPECT_EQ(bits(together[i]), bits(expected)) << x[i];
    }
  };
  check.operator()<simd::exp>([](double v) { return std::exp(v); });
  check.operator()<simd::cosh>([](double v) { return std::cosh(v); });
  check.operator()<simd::sin>([](double v) { return std::sin(v); });
  check.operator()<simd::cos>([](double v) { return std::cos(v); });
}

TEST(VectorMath, TailsOfTheNormalDistribution) {
  Sequence sequence(6);
  for (int k = 0; k < 500; ++k) {
    double z[simd::width], cdf[simd::width], pdf[simd::width];
    for (double& value : z) value = sequence.between(-37, 9);
    simd::store(cdf, simd::normal_cdf(simd::load(z)));
    simd::store(pdf, simd::normal_pdf(simd::load(z)));
    for (Index i = 0; i < simd::width; ++i) {
      const long double u = z[i];
      const long double exact = std::erfc(-u / std::sqrt(2.0L)) / 2;
      const long double density = std::exp(-u * u / 2) / std::sqrt(2 * std::acos(-1.0L));
      EXPECT_LT(std::abs(static_cast<double>(cdf[i] / exact - 1)), 2e-15) << z[i];
      EXPECT_LT(std::abs(static_cast<double>(pdf[i] / density - 1)), 1e-15) << z[i];
    }
  }
}

}  // namespace
}  // namespace chaosgrad
