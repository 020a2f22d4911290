// Derivatives against differences in 50 digits, on random formulas and on formulas with vectors and
// matrices.
#include <gtest/gtest.h>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "support/random_formula.h"

namespace chaosgrad {
using namespace internal;
namespace {

// Central difference in 50 digits: the error is h² f‴/6 ~ 1e-30.
template <class Function>
double derivative(const Function& function, std::vector<Real> at, std::size_t i) {
  const Real step("1e-15"), centre = at[i];
  at[i] = centre + step;
  const Real above = function(at);
  at[i] = centre - step;
  return static_cast<double>(Real((above - function(at)) / (2 * step)));
}

template <class Function>
double second_derivative(const Function& function, std::vector<Real> at, std::size_t i,
                         std::size_t j) {
  const Real step("1e-12");
  const auto corner = [&](int a, int b) {
    std::vector<Real> moved = at;
    moved[i] += a * step;
    moved[j] += b * step;
    return function(moved);
  };
  return static_cast<double>(
      Real((corner(1, 1) - corner(1, -1) - corner(-1, 1) + corner(-1, -1)) / (4 * step * step)));
}

std::vector<Real> to_real(const Matrix& row) {
  std::vector<Real> values;
  for (Index i = 0; i < row.size(); ++i) values.emplace_back(row.data()[i]);
  return values;
}

// Whether a formula is tame near a point: no huge intermediate values, no kink closer than the
// differences look.
bool is_tame(const Tree& tree, const Matrix& row) {
  Trace trace;
  const std::vector<double> at(row.data(), row.data() + row.size());
  const double value = evaluated(tree, at, trace);
  return std::isfinite(value) && trace.largest < 1e4 && trace.nearest_kink > 1e-7;
}

struct Variables {
  Graph graph;
  Scope names;
  std::vector<Node> nodes;
  Variables() {
    for (int i = 0; i < 4; ++i) {
      nodes.push_back(i < 3 ? graph.input(0, i) : graph.input(1, 0));
      names[std::string(1, "xyzt"[i])] = nodes.back();
    }
  }
};

TEST(Gradient, FiveHundredRandomFormulas) {
  FormulaGenerator generator(20240501);
  Sequence points(7);
  Variables variables;
  int compared = 0;
  for (int formula = 0; compared < 500 && formula < 5000; ++formula) {
    const auto tree = generator.draw(1 + formula % 7);
    const Matrix point = points.matrix(1, 4, -2, 2);
    if (!is_tame(*tree, point)) continue;
    const std::string text = written(*tree);
    const Node node = parse(variables.graph, text, variables.names);
    std::vector<Node> outputs = gradient(variables.graph, node, variables.nodes);
    outputs.push_back(node);
    const auto found = run(variables.graph, outputs, {point.leftCols(3), point.rightCols(1)});

    const auto function = [&](const std::vector<Real>& at) {
      Trace trace;
      return evaluated(*tree, at, trace);
    };
    const double value = static_cast<double>(function(to_real(point)));
    Vector expected(4);
    for (std::size_t i = 0; i < 4; ++i) {
      expected(static_cast<Index>(i)) = derivative(function, to_real(point), i);
    }
    // Relative to the gradient as a whole: a component may be a difference of terms of that size.
    const double scale = std::max(expected.cwiseAbs().maxCoeff(), 1e-4 * std::abs(value));
    EXPECT_LT(std::abs(found[4](0, 0) - value), 1e-9 * std::max(std::abs(value), 1e-3)) << text;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_LE(std::abs(found[i](0, 0) - expected(static_cast<Index>(i))), 1e-9 * scale)
          << text << " at " << point << " variable " << i;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 500);
}

TEST(Gradient, OfTheGradient) {
  FormulaGenerator generator(77);
  Sequence points(8);
  Variables variables;
  int compared = 0;
  for (int formula = 0; compared < 60 && formula < 2000; ++formula) {
    const auto tree = generator.draw(2 + formula % 3);
    const Matrix point = points.matrix(1, 4, -2, 2);
    if (!is_tame(*tree, point)) continue;
    const Node node = parse(variables.graph, written(*tree), variables.names);
    const std::vector<Node> first = gradient(variables.graph, node, variables.nodes);
    const auto function = [&](const std::vector<Real>& at) {
      Trace trace;
      return evaluated(*tree, at, trace);
    };
    for (std::size_t i = 0; i < 4; ++i) {
      const std::vector<Node> second = gradient(variables.graph, first[i], variables.nodes);
      const auto found = run(variables.graph, second, {point.leftCols(3), point.rightCols(1)});
      for (std::size_t j = 0; j < 4; ++j) {
        const double expected = second_derivative(function, to_real(point), i, j);
        EXPECT_NEAR(found[j](0, 0), expected, 1e-8 * std::max(1.0, std::abs(expected)))
            << written(*tree) << " " << i << j;
      }
    }
    ++compared;
  }
  EXPECT_EQ(compared, 60);
}

// Formulas with vectors, each next to the same function written out for any number type. Variables:
// v (3), w (3), s.
using Reals = std::vector<Real>;
struct VectorCase {
  std::string text;
  Real (*function)(const Reals& v, const Reals& w, const Real& s);
};

const double matrix_entries[3][3] = {{2, -1, 0.5}, {0.25, 3, 1}, {-2, 0.75, 1.5}};

Real dot(const Reals& a, const Reals& b) {
  Real total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}
Reals times_matrix(const Reals& v) {
  Reals result(3, Real(0));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) result[i] += Real(matrix_entries[i][j]) * v[j];
  }
  return result;
}

const VectorCase vector_cases[] = {
    {"(dot(v, [1, 2, 3]) - s)^2",
     [](const Reals& v, const Reals&, const Real& s) -> Real {
       return pow(dot(v, {1, 2, 3}) - s, 2);
     }},
    {"0.5*dot(v, A*v) + dot(v, w)",
     [](const Reals& v, const Reals& w, const Real&) -> Real {
       return dot(v, times_matrix(v)) / 2 + dot(v, w);
     }},
    {"norm2(v - s*w)",
     [](const Reals& v, const Reals& w, const Real& s) -> Real {
       Real total = 0;
       for (std::size_t i = 0; i < 3; ++i) total += pow(v[i] - s * w[i], 2);
       return sqrt(total);
     }},
    {"sum(exp(v)) + sum(sin(s*v - w))",
     [](const Reals& v, const Reals& w, const Real& s) -> Real {
       Real total = 0;
       for (std::size_t i = 0; i < 3; ++i) total += exp(v[i]) + sin(s * v[i] - w[i]);
       return total;
     }},
    {"v[0]*v[1]^2 - cos(v[2]*s) + w[1]/(2 + s^2)",
     [](const Reals& v, const Reals& w, const Real& s) -> Real {
       return v[0] * v[1] * v[1] - cos(v[2] * s) + w[1] / (2 + s * s);
     }},
    {"sum((s*A)*v) * (A*w)[1]",
     [](const Reals& v, const Reals& w, const Real& s) -> Real {
       const Reals a = times_matrix(v);
       return s * (a[0] + a[1] + a[2]) * times_matrix(w)[1];
     }},
    {"transpose(v)*(A*w) + s*sum(v)",
     [](const Reals& v, const Reals& w, const Real& s) -> Real {
       return dot(v, times_matrix(w)) + s * (v[0] + v[1] + v[2]);
     }},
    {"sum(s/(2 + (v*w)^2)) + dot(w*v, v/(3 + w^2))",
     [](const Reals& v, const Reals& w, const Real& s) -> Real {
       Real total = 0;
       for (std::size_t i = 0; i < 3; ++i)
         total += s / (2 + v[i] * v[i] * w[i] * w[i]) + w[i] * v[i] * v[i] / (3 + w[i] * w[i]);
       return total;
     }},
    {"sum((v*transpose(w))*v)",
     [](const Reals& v, const Reals& w, const Real&) -> Real {
       return (v[0] + v[1] + v[2]) * dot(w, v);
     }},
    {"dot([s, v[1], s*w[0]], A*(v^3))",
     [](const Reals& v, const Reals& w, const Real& s) -> Real {
       return dot({s, v[1], s * w[0]},
                  times_matrix({v[0] * v[0] * v[0], v[1] * v[1] * v[1], v[2] * v[2] * v[2]}));
     }},
    {"sum(if(v < w, v^2, s*w)) + sum(max(v, s))",
     [](const Reals& v, const Reals& w, const Real& s) -> Real {
       Real total = 0;
       for (std::size_t i = 0; i < 3; ++i)
         total += (v[i] < w[i] ? Real(v[i] * v[i]) : Real(s * w[i])) + (v[i] < s ? s : v[i]);
       return total;
     }},
    {"sum([[s, v[0]], [v[1], w[2]]]*[s, 2])",
     [](const Reals& v, const Reals& w, const Real& s) -> Real {
       return s * s + 2 * v[0] + v[1] * s + 2 * w[2];
     }},
    {"norm2(A*v)^2/(1 + norm2(w)^2) + s",
     [](const Reals& v, const Reals& w, const Real& s) -> Real {
       return dot(times_matrix(v), times_matrix(v)) / (1 + dot(w, w)) + s;
     }},
    {"dot(solve([[2 + s^2, v[0]], [w[1], 3 + v[1]^2]], [v[2], s]), [1, w[0]])",  // Cramer's rule
     [](const Reals& v, const Reals& w, const Real& s) -> Real {
       const Real a = 2 + s * s, d = 3 + v[1] * v[1], determinant = a * d - v[0] * w[1];
       return (d * v[2] - v[0] * s + w[0] * (a * s - w[1] * v[2])) / determinant;
     }},
    {"sum(solve(A + (5 + s^2)*identity(3), v*transpose(w))*v)",
     [](const Reals& v, const Reals& w, const Real& s) -> Real {
       // solve is linear in its right-hand side: A⁻¹v (wᵀv), by Cramer's rule on the columns.
       Reals column[3] = {times_matrix({1, 0, 0}), times_matrix({0, 1, 0}),
                          times_matrix({0, 0, 1})};
       for (std::size_t i = 0; i < 3; ++i) column[i][i] += 5 + s * s;
       const auto determinant = [](const Reals& a, const Reals& b, const Reals& c) -> Real {
         return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) +
                c[0] * (a[1] * b[2] - a[2] * b[1]);
       };
       const Real total = determinant(v, column[1], column[2]) +
                          determinant(column[0], v, column[2]) +
                          determinant(column[0], column[1], v);
       return total / determinant(column[0], column[1], column[2]) * dot(w, v);
     }},
    {"sum([v[0], s, w[2]]*transpose(v)*w)",
     [](const Reals& v, const Reals& w, const Real& s) -> Real {
       return (v[0] + s + w[2]) * dot(v, w);
     }},
};

TEST(Gradient, VectorsAndMatrices) {
  Graph graph;
  Scope names;
  names["v"] = graph.input(0, 0, {3, 1});
  names["w"] = graph.input(0, 3, {3, 1});
  names["s"] = graph.input(1, 0);
  Matrix a(3, 3);
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j) a(i, j) = matrix_entries[i][j];
  }
  names["A"] = graph.constant(a);
  const std::array variables = {names["v"], names["w"], names["s"]};
  const Matrix point = Sequence(3).matrix(1, 7, -2, 2);
  for (const VectorCase& entry : vector_cases) {
    const Node node = parse(graph, entry.text, names);
    std::vector<Node> outputs = gradient(graph, node, variables);
    outputs.push_back(node);
    const auto found = run(graph, outputs, {point.leftCols(6), point.rightCols(1)});
    const auto function = [&](const std::vector<Real>& at) {
      return entry.function({at[0], at[1], at[2]}, {at[3], at[4], at[5]}, at[6]);
    };
    const double value = static_cast<double>(function(to_real(point)));
    EXPECT_NEAR(found[3](0, 0), value, 1e-13 * std::max(1.0, std::abs(value))) << entry.text;
    Matrix all(1, 7);
    all << found[0], found[1], found[2];
    for (Index i = 0; i < 7; ++i) {
      const double expected = derivative(function, to_real(point), static_cast<std::size_t>(i));
      EXPECT_NEAR(all(0, i), expected, 1e-12 * std::max(1.0, std::abs(expected)))
          << entry.text << " component " << i;
    }
  }
}

TEST(Gradient, OfAMatrixInput) {
  // F = sᵀ(M v) + M[1, 0]² + sum(Mᵀ s): ∂F/∂M = s vᵀ + 2 M[1,0] e₁e₀ᵀ + s 1ᵀ
  Graph graph;
  Scope names;
  names["M"] = graph.input(0, 0, {2, 3});
  names["v"] = graph.input(0, 6, {3, 1});
  names["s"] = graph.input(0, 9, {2, 1});
  const Node node = parse(graph, "dot(s, M*v) + M[1, 0]^2 + sum(transpose(M)*s)", names);
  const auto nodes = gradient(graph, node, std::array{names["M"]});
  const Matrix point = Sequence(5).matrix(1, 11, -1, 1);
  const Matrix found = run(graph, nodes, {point})[0].reshaped(2, 3);
  Matrix expected(2, 3);
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < 3; ++j) expected(i, j) = point(0, 9 + i) * (point(0, 6 + j) + 1);
  }
  expected(1, 0) += 2 * point(0, 1);
  for (Index i = 0; i < 6; ++i) EXPECT_NEAR(found(i), expected(i), 1e-15);
}

TEST(Gradient, CostsWhatTheFormulaCosts) {
  Graph graph;
  Scope names;
  const Index n = 1000;
  names["w"] = graph.input(0, 0, {n, 1});
  names["a"] = graph.input(1, 0, {n, 1});
  names["y"] = graph.input(1, n);
  // (aᵀw − y)²: one inner product, one scalar, one scaled vector; not n chains of scalars.
  const auto square =
      gradient(graph, parse(graph, "(dot(a, w) - y)^2", names), std::array{names["w"]});
  EXPECT_LE(Program(graph, square).instruction_count(), 4);
  // Single elements are gathered once: the number of nodes grows like n, not n².
  std::string chain = "0";
  for (Index i = 0; i + 1 < n; ++i) {
    chain += " + w[" + std::to_string(i) + "]*w[" + std::to_string(i + 1) + "]";
  }
  const Node node = parse(graph, chain, names);
  const auto result = gradient(graph, node, std::array{names["w"]});
  EXPECT_LT(Program(graph, result).instruction_count(), 2 * n);
  const Matrix point = Sequence(1).matrix(1, n, -1, 1);
  const Matrix found = run(graph, result, {point, Matrix(1, n + 1)})[0];
  for (Index i = 0; i < n; ++i) {
    const double expected = (i > 0 ? point(0, i - 1) : 0) + (i + 1 < n ? point(0, i + 1) : 0);
    EXPECT_EQ(found(0, i), expected);
  }
}

TEST(Gradient, PartsWithoutTheVariableDropOut) {
  Variables variables;
  const Node node =
      parse(variables.graph, "(x - t)^2 + exp(sin(t))*cosh(t) + erf(y)", variables.names);
  const auto nodes =
      gradient(variables.graph, node, std::array{variables.nodes[0], variables.nodes[2]});
  EXPECT_EQ(Program(variables.graph, std::array{nodes[0]}).instruction_count(), 1);  // 2 (x − t)
  EXPECT_EQ(variables.graph.constant_value(nodes[1])->value(), 0);
  EXPECT_FALSE(variables.graph.depends_on(nodes[0], 2));
}

TEST(Gradient, OfTheBranchTaken) {
  Variables variables;
  const auto slope = [&](const std::string& text, double x) {
    const Node node = parse(variables.graph, text, variables.names);
    const auto nodes = gradient(variables.graph, node, std::array{variables.nodes[0]});
    Matrix point(1, 3);
    point << x, 0.5, 0.25;
    return run(variables.graph, nodes, {point, Matrix::Constant(1, 1, 2.0)})[0](0, 0);
  };
  // The branch not taken may be undefined, or have an infinite derivative.
  EXPECT_EQ(slope("if(x > 0, x*log(x), 3*x)", 0), 3);
  EXPECT_EQ(slope("if(x > 0, x*log(x), 3*x)", -1), 3);
  EXPECT_EQ(slope("if(x > 0, x*log(x), 3*x)", 1), 1);
  EXPECT_EQ(slope("if(x > 0, sqrt(x), 0)", 0), 0);
  EXPECT_EQ(slope("if(x > 0, t*sqrt(x)^3/x, x)", -2), 1);
  EXPECT_EQ(slope("if(x < 700, exp(x)*0 + x, 2*x + exp(-x))", 800), 2);
  EXPECT_EQ(slope("if(x < 100, 5*x, if(x > 0, 1, sqrt(-x)))", 0), 5);
  EXPECT_EQ(slope("max(sqrt(x), 1)", 0), 0);
  EXPECT_EQ(slope("abs(x)", 0), 0);
  EXPECT_EQ(slope("norm2([x, 0*t])", 0), 0);
  EXPECT_EQ(slope("norm2([x, 3])", 4), 0.8);
  EXPECT_EQ(slope("max(x, 2*x)", 1), 2);
  EXPECT_EQ(slope("min(x, 2*x)", 1), 1);
  EXPECT_EQ(slope("0^(x^2 + 1)", 0.5), 0);
}

// Of t²/2 within δ and δ (|t| − δ/2) beyond: t and 0 inside, ±δ and |t| − δ outside.
TEST(Gradient, OfHuberInBothArguments) {
  Variables variables;
  const Node huber = parse(variables.graph, "huber(3*x, y)", variables.names);
  const auto slopes =
      gradient(variables.graph, huber, std::array{variables.nodes[0], variables.nodes[1]});
  const auto bend = gradient(variables.graph, slopes[0], std::array{variables.nodes[0]});
  const std::array outputs = {slopes[0], slopes[1], bend[0]};
  Matrix at(4, 3);
  at << 0.1, 0.5, 0, -0.1, 0.5, 0, 0.4, 0.5, 0, -2, 0.5, 0;
  const auto found = run(variables.graph, outputs, {at, Matrix::Zero(4, 1)});
  for (Index i = 0; i < 4; ++i) {
    const double t = 3 * at(i, 0);
    const bool inside = std::abs(t) <= 0.5;
    EXPECT_DOUBLE_EQ(found[0](i, 0), 3 * (inside ? t : std::copysign(0.5, t)));
    EXPECT_DOUBLE_EQ(found[1](i, 0), inside ? 0 : std::abs(t) - 0.5);
    EXPECT_DOUBLE_EQ(found[2](i, 0), inside ? 9 : 0);
  }
}

TEST(Gradient, OfQuantiles) {
  Variables variables;
  Graph& graph = variables.graph;
  const Node x = variables.nodes[0], y = variables.nodes[1], z = variables.nodes[2];
  Matrix point(1, 3);
  point << 0.3, 2.5, 1.25;
  const auto slopes = [&](Op op, std::vector<Node> arguments) {
    return run(graph, gradient(graph, graph.apply(op, arguments), arguments),
               {point, Matrix(1, 1)});
  };
  // dΦ⁻¹(p)/dp = 1/φ(Φ⁻¹(p)), Φ⁻¹(0.3) = −0.52440051270804078
  const double density =
      std::exp(-0.5 * std::pow(0.52440051270804078, 2)) / std::sqrt(2 * std::acos(-1.0));
  EXPECT_LT(relative_difference(slopes(Op::normal_quantile, {x})[0](0, 0), 1 / density), 1e-14);
  // Through the implicit function: dq/dk = −(∂P/∂k)/(∂P/∂q) with differences of P in 50 digits.
  const auto implicit = [](auto distribution, double q, double parameter) {
    const Real step("1e-15");
    const Real by_parameter =
        distribution(Real(q), parameter + step) - distribution(Real(q), parameter - step);
    const Real by_value =
        distribution(q + step, Real(parameter)) - distribution(q - step, Real(parameter));
    return static_cast<double>(Real(-by_parameter / by_value));
  };
  const auto gamma = slopes(Op::gamma_quantile, {x, y});
  const double q = run(graph, std::array{graph.apply(Op::gamma_quantile, std::array{x, y})},
                       {point, Matrix(1, 1)})[0](0, 0);
  EXPECT_LT(relative_difference(static_cast<double>(boost::math::gamma_p(Real(2.5), Real(q))), 0.3),
            1e-14);
  const auto gamma_p = [](const Real& value, const Real& shape) -> Real {
    return boost::math::gamma_p(shape, value);
  };
  EXPECT_LT(relative_difference(gamma[1](0, 0), implicit(gamma_p, q, 2.5)), 1e-9);
  const double gamma_density =
      static_cast<double>(boost::math::gamma_p_derivative(Real(2.5), Real(q)));
  EXPECT_LT(relative_difference(gamma[0](0, 0), 1 / gamma_density), 1e-9);
  const auto beta = slopes(Op::beta_quantile, {x, y, z});
  const double b = run(graph, std::array{graph.apply(Op::beta_quantile, std::array{x, y, z})},
                       {point, Matrix(1, 1)})[0](0, 0);
  const auto ibeta = [](const Real& value, const Real& alpha) -> Real {
    return boost::math::ibeta(alpha, Real(1.25), value);
  };
  EXPECT_LT(relative_difference(beta[1](0, 0), implicit(ibeta, b, 2.5)), 1e-9);
  const auto ibeta_second = [](const Real& value, const Real& other) -> Real {
    return boost::math::ibeta(Real(2.5), other, value);
  };
  EXPECT_LT(relative_difference(beta[2](0, 0), implicit(ibeta_second, b, 1.25)), 1e-9);
}

TEST(Gradient, OnlyOfNumbers) {
  Variables variables;
  const Node vector = parse(variables.graph, "[x, y]", variables.names, 4);
  try {
    (void)gradient(variables.graph, vector, variables.nodes);
    FAIL();
  } catch (const FormulaError& error) {
    EXPECT_STREQ(error.what(), "only a number has a gradient, found a vector of 2");
    EXPECT_EQ(error.span().end, 6);
  }
}

TEST(Kinks, OfEachKind) {
  Graph graph;
  Scope names;
  names["x"] = graph.input(0, 0);
  names["t"] = graph.input(1, 0);
  names["v"] = graph.input(1, 1, {2, 1});
  const auto switches = [&](const std::string& text) {
    std::vector<Node> found;
    for (const Kink& kink : kinks(graph, parse(graph, text, names, 2), 1))
      found.push_back(kink.switching);
    return found;
  };
  const auto nodes = [&](std::initializer_list<const char*> texts) {
    std::vector<Node> expected;
    for (const char* text : texts) expected.push_back(parse(graph, text, names));
    return expected;
  };
  EXPECT_EQ(switches("abs(t - 1) + abs(x)"), nodes({"t - 1"}));
  EXPECT_EQ(switches("sqrt(2*t)"), nodes({"2*t"}));
  EXPECT_EQ(switches("sign(t^3)"), nodes({"t^3"}));
  EXPECT_EQ(switches("max(t, x)"), nodes({"x - t"}));
  EXPECT_EQ(switches("if(t < x, 1, 2)"), nodes({"t - x"}));
  EXPECT_EQ(switches("if(t < 1 and not (t^2 > x or x > 3), 1, 2)"), nodes({"t - 1", "x - t^2"}));
  EXPECT_EQ(switches("if(t, 1, 2)"), nodes({"t"}));
  EXPECT_EQ(switches("norm2(v)"), nodes({"norm2(v)"}));
  EXPECT_EQ(switches("sum(abs(v - 3))"), nodes({"(v - 3)[0]", "(v - 3)[1]"}));
  EXPECT_EQ(switches("floor(t)"), nodes({"sin(pi*t)"}));
  EXPECT_EQ(switches("if(x > 0, sin(t), exp(t))"), nodes({}));
  EXPECT_EQ(switches("norm2(v)^2 + t*abs(t) + abs(t)"), nodes({"t"}));
  const auto found = kinks(graph, parse(graph, "2 + abs(3*t)", names, 9), 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].span.text, 9);
  EXPECT_EQ(found[0].span.begin, 4);
  EXPECT_EQ(found[0].span.end, 12);
}

}  // namespace
}  // namespace chaosgrad
