// Domains of formula problems: outside of them value, gradient and Hessian are not a number, inside
// they are what they always were.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "chaosgrad/chaosgrad.h"
#include "support/random_formula.h"

namespace chaosgrad {
using namespace internal;
namespace {

// x (started at `start`), θ = t uniform on [−2, 2], noise v uniform on [−1, 1], w a vector of 2
// started at 1.
struct Probe {
  explicit Probe(const std::string& objective, double start = 1) {
    FormulaSpec spec;
    spec.parameters.push_back({.name = "t", .distribution = Uniform{-2, 2}});
    spec.noise.push_back({.name = "v",
                          .finite = {},
                          .distribution = "uniform",
                          .arguments = {{"lower", {"-1", 1}}, {"upper", {"1", 2}}}});
    spec.constants = {{"A", Matrix{{2, 1}, {1, 3}}}};
    spec.variables = {{"x", false, Vector::Constant(1, start)}, {"w", true, Vector::Ones(2)}};
    spec.objective = {objective + " + 0.01*(x^2 + dot(w, w))", 0};
    problem = std::make_unique<FormulaProblem>(spec);
  }

  struct Result {
    bool value, gradient, hessian;  // finite?
    bool all_nan;                   // if none is: every number is not one
  };
  [[nodiscard]] Result at(double x, double t = 0.5, double v = 0.2, double w0 = 1,
                          double w1 = 1) const {
    Matrix point(1, 3), f(1, 1), g(1, 3), h(1, 9);
    point << x, w0, w1;
    const Matrix theta = Matrix::Constant(1, 1, t), noise = Matrix::Constant(1, 1, (v + 1) / 2);
    problem->value(point, theta, noise, f);
    problem->gradient(point, theta, noise, g);
    problem->hessian(point, theta, noise, h);
    return {f.allFinite(), g.allFinite(), h.allFinite(),
            f.array().isNaN().all() && g.array().isNaN().all() && h.array().isNaN().all()};
  }
  [[nodiscard]] bool inside(double x, double t = 0.5, double v = 0.2, double w0 = 1,
                            double w1 = 1) const {
    const Result found = at(x, t, v, w0, w1);
    EXPECT_TRUE(found.all_nan || (found.value && found.gradient && found.hessian))
        << x << ' ' << t << ' ' << v << ' ' << w0 << ' ' << w1;
    return found.value;
  }
  [[nodiscard]] std::string explain(double x, double t = 0.5, double v = 0.2, double w0 = 1,
                                    double w1 = 1) const {
    Matrix point(1, 3);
    point << x, w0, w1;
    return problem->explain(point, Matrix::Constant(1, 1, t), Matrix::Constant(1, 1, (v + 1) / 2));
  }
  std::unique_ptr<FormulaProblem> problem;
};

TEST(FormulaDomain, LogarithmsRootsAndPowers) {
  const Probe log("-log(x)");
  EXPECT_TRUE(log.inside(1e-100));
  EXPECT_FALSE(log.inside(-1));
  EXPECT_FALSE(log.inside(0));
  const Probe root("sqrt(x + t)");
  EXPECT_TRUE(root.inside(1, -0.9));
  EXPECT_FALSE(root.inside(1, -1.1));
  const Probe fraction("-x^0.3 + x^1.5");
  EXPECT_TRUE(fraction.inside(0.1));
  EXPECT_FALSE(fraction.inside(-0.1));
  const Probe exponent("2^x + (x + 3)^x");
  EXPECT_TRUE(exponent.inside(-2.9));
  EXPECT_FALSE(exponent.inside(-3.1));
  const Probe arc("asin(x/2) + acos(x/3)");
  EXPECT_TRUE(arc.inside(-1.9));
  EXPECT_FALSE(arc.inside(2.1));
  const Probe quantile("normal_quantile(x/4)");
  EXPECT_TRUE(quantile.inside(3.9));
  EXPECT_FALSE(quantile.inside(4.1));
  EXPECT_FALSE(quantile.inside(-0.1));
}

// A pole divides the domain: the piece of the start counts, at each θ and v.
TEST(FormulaDomain, PolesKeepThePieceOfTheStart) {
  for (const double side : {1.0, -1.0}) {
    const Probe order("3*x + 4/x", side * 5);
    EXPECT_TRUE(order.inside(side * 0.01));
    EXPECT_FALSE(order.inside(-side));
    EXPECT_FALSE(order.inside(0));
    const Probe cube("x^(-3) + x^(-2)", side);
    EXPECT_TRUE(cube.inside(side * 3));
    EXPECT_FALSE(cube.inside(-side * 3));
    const Probe shifted("1/(x + t + v)", side * 0.3);
    for (const double t : {-1.5, -0.2, 1.0}) {
      for (const double v : {-0.9, 0.4}) {
        const double at_start = side * 0.3 + t + v;
        for (const double x : {-3.0, -1.0, 0.0, 0.7, 4.0})
          EXPECT_EQ(shifted.inside(x, t, v), (x + t + v) * at_start > 0) << x << t << v;
      }
    }
  }
  const Probe tangent("tan(x)", 3);
  EXPECT_TRUE(tangent.inside(1.6));
  EXPECT_TRUE(tangent.inside(4.7));
  EXPECT_FALSE(tangent.inside(1.5));
  EXPECT_FALSE(tangent.inside(4.8));
  EXPECT_FALSE(tangent.inside(3 + 2 * std::numbers::pi));
}

TEST(FormulaDomain, SolveStaysBetweenSingularMatrices) {
  const Probe shifted("sum(solve(A + x*[[0, 1], [1, 0]], w))", 0);  // det = 6 − (1 + x)²
  const double edge = std::sqrt(6.0) - 1;
  EXPECT_TRUE(shifted.inside(edge - 1e-6));
  EXPECT_FALSE(shifted.inside(edge + 1e-6));
  EXPECT_FALSE(shifted.inside(-edge - 2 - 1e-6));
  // Both eigenvalues change their sign, the determinant does not.
  const Probe stiffness("sum(solve([[x, 0], [0, x]], w))", 2);
  EXPECT_TRUE(stiffness.inside(0.1));
  EXPECT_FALSE(stiffness.inside(-0.1));
  const Probe scaled("sum(solve(x*A, w))", -2);
  EXPECT_TRUE(scaled.inside(-0.1));
  EXPECT_FALSE(scaled.inside(0.1));
  const Probe one_sided("sum(solve([[x, 1], [0, 2]], w))", 1);
  EXPECT_TRUE(one_sided.inside(0.01));
  EXPECT_FALSE(one_sided.inside(-0.01));
  EXPECT_NE(one_sided.explain(-0.01).find("solve with a matrix that is singular"),
            std::string::npos);
}

TEST(FormulaDomain, BranchesThatAreNotTakenDoNotCount) {
  const Probe guarded("if(x > 0, log(x), x)");
  EXPECT_TRUE(guarded.inside(-1));
  EXPECT_TRUE(guarded.inside(1));
  const Probe other("if(x < -1, log(x + t), x)");
  EXPECT_FALSE(other.inside(-1.5, 1));
  EXPECT_TRUE(other.inside(-1.5, 1.8));
  EXPECT_TRUE(other.inside(-0.5, 0));
  const Probe removable("if(x == 0, 1, sin(x)/x)", 2);
  EXPECT_TRUE(removable.inside(-2));
  const Probe compared("if(x > -5 and log(x + 3) > 0, x^2, 2*x)");
  EXPECT_TRUE(compared.inside(-4));
  const Probe component("log([x, t])[0]");  // log t is not used
  EXPECT_TRUE(component.inside(1, -1));
  EXPECT_FALSE(component.inside(-1, 1));
  const Probe parts("sum(if(w > 0.5, log(w - 0.4), 0))");
  EXPECT_TRUE(parts.inside(1, 0, 0, 0.2, 3));
  const Probe missed("sum(if(w > 0.5, log(w - 0.7), 0))");
  EXPECT_TRUE(missed.inside(1, 0, 0, 0.2, 3));
  EXPECT_FALSE(missed.inside(1, 0, 0, 0.6, 3));
}

TEST(FormulaDomain, VectorsNeedEveryComponent) {
  const Probe barrier("-sum(log(w)) + dot(w, w)");
  EXPECT_TRUE(barrier.inside(1, 0, 0, 0.1, 7));
  EXPECT_FALSE(barrier.inside(1, 0, 0, 7, -0.1));
  EXPECT_FALSE(barrier.inside(1, 0, 0, -0.1, 7));
  EXPECT_EQ(barrier.explain(1, 0, 0, 7, -0.25), "log of a negative number (w[1] = -0.25)");
}

// What always holds costs nothing: the same number of instructions as without the function's
// domain in sight, which is seen by no condition being listed.
TEST(FormulaDomain, WhatAlwaysHoldsIsLeftOut) {
  const auto conditions = [](const std::string& text) {
    Graph graph;
    const Scope names = {
        {"x", graph.input(0, 0)}, {"w", graph.input(0, 1, {3, 1})}, {"t", graph.input(1, 0)}};
    const Node node = parse(graph, text, names);
    const Vector start = Vector::Ones(4);
    return find_domain(graph, node, 0, start,
                       [](int slot, Index, Index) {
                         return slot == 1 ? Range{0, 2, true} : Range{};
                       })
        .conditions.size();
  };
  for (const char* text : {"log(1 + x^2)",
                           "log(exp(x) + exp(-x))",
                           "sqrt(x^2 + t)",
                           "1/(1 + exp(-x))",
                           "x/sqrt(1 + x^2)",
                           "log(sum(exp(w)))",
                           "log(t)*x",
                           "x/t",
                           "log(1 + norm2(w))",
                           "sqrt(1 - tanh(x)^2)",
                           "asin(sin(x))",
                           "log(t*softplus(x))",
                           "1/cosh(x)",
                           "x^3 + x^2",
                           "log(2 + cos(x))",
                           "(1 + abs(x))^(-0.5)",
                           "(2 + sin(x))^t",
                           "sum(log(0.1 + w^2))",
                           "if(x > t, log(x), x)",
                           "if(x <= 0, 0, log(x))",
                           "if(abs(x) > t, 1/x, 0)",
                           "1/max(x, t)",
                           "log(normcdf(x))",
                           "tan(atan(x))"})
    EXPECT_EQ(conditions(text), 0) << text;
  EXPECT_EQ(conditions("log(x) + 1/x + sqrt(x) + x^1.5 + 1/x^2 + x^t + 1/(x*x + x)"), 1);
  EXPECT_EQ(conditions("sum(log(w)) + w[0]/w[1] + sqrt(w[2])"), 1);
  EXPECT_EQ(conditions("log(x - t) + log(x + 1)"), 2);
  EXPECT_EQ(conditions("sqrt(x) + 1/x"), 1);  // without the border
  EXPECT_EQ(conditions("if(t > 1, log(x), 0) + sqrt(x)"), 2);
}

TEST(FormulaDomain, ReasonsNameFunctionValueAndVariables) {
  EXPECT_EQ(Probe("-log(x)").explain(-0.2), "log of a negative number (x = -0.2)");
  EXPECT_EQ(Probe("-log(x)").explain(0), "log of zero (x = 0)");
  EXPECT_EQ(Probe("-log(1 + t*x)").explain(3, -0.4, 0.2),
            "log of a negative number (1 + t*x = -0.2 with x = 3)");
  EXPECT_EQ(Probe("sqrt(2*x - v)").explain(0.125, 0, 0.5),
            "square root of a negative number (2*x - v = -0.25 with x = 0.125, v = 0.5)");
  EXPECT_EQ(Probe("1/(x - 3)").explain(4),
            "division by a number that has passed zero since the start (x - 3 = 1 with x = 4; it "
            "is -2 at the start)");
  EXPECT_EQ(Probe("1/x").explain(0), "division by zero (x = 0)");
  EXPECT_EQ(Probe("x^0.3").explain(-2), "negative number to the fractional power 0.3 (x = -2)");
  EXPECT_EQ(Probe("x^(-3)").explain(-2),
            "negative power of a number that has passed zero since the start (x = -2; it is 1 at "
            "the start)");
  EXPECT_EQ(Probe("sum(log(2*w - t))").explain(1, 1, 0, 1, 0.25),
            "log of a negative number (component 1 of 2*w - t = -0.5 with w[0] = 1, w[1] = 0.25)");
  EXPECT_EQ(Probe("exp(x)").explain(1000), "overflow");
  EXPECT_EQ(Probe("-log(x)").explain(1), "");
}

TEST(FormulaDomain, AStartOutsideOrOnTheBorderIsRefused) {
  const auto complaint = [](const std::string& objective, double start) -> std::string {
    try {
      Probe(objective, start).problem->validate();
    } catch (const FormulaError& error) {
      return error.what();
    }
    return "";
  };
  const auto says = [&](const std::string& objective, double start, const std::string& words) {
    const std::string text = complaint(objective, start);
    EXPECT_NE(text.find(words), std::string::npos) << objective << ": " << text;
    EXPECT_NE(text.find("x = "), std::string::npos) << text;
  };
  says("-log(x)", -5, "log of a negative number (x = -5)");
  says("-log(x)", 0, "log of zero");
  says("sqrt(x)^3", 0, "square root of zero, the border");
  says("x^1.5", 0, "zero to the fractional power 1.5");
  says("1/x", 0, "division by zero");
  EXPECT_EQ(complaint("-log(x)", 1e-9), "");  // awkward, but inside
  EXPECT_EQ(complaint("1/(1 - x)", 1 - 1e-9), "");
}

// The tree at one point, in plain numbers: what is needed of its parts, which are named by their
// text. The start decides on which side of a pole the domain is.
struct BruteForce {
  std::vector<double> here, start;
  struct Need {
    double here = 0, start = 0;        // the argument
    bool used = false, begun = false;  // whether its branch is taken here, and at the start
  };
  std::map<std::string, Need> needs = {};
  bool doubtful = false;  // something cancels by rules of the graph

  static double value(const Tree& tree, const std::vector<double>& at) {
    Trace trace;
    return evaluated(tree, at, trace);
  }

  // What does not depend on x and y says nothing about their domain.
  static bool varies(const Tree& tree) {
    if (tree.kind == "variable") return tree.variable < 2;
    return std::ranges::any_of(tree.parts, [](const auto& part) { return varies(*part); });
  }

  void need(const std::string& kind, const Tree& argument, bool used, bool begun,
            bool always = false) {
    if (!varies(argument) && (!always || std::isnan(value(argument, here)))) return;
    Need& one = needs[kind + written(argument)];
    one.here = value(argument, here);
    one.start = value(argument, start);
    one.used = one.used || used;
    one.begun = one.begun || begun;
  }

  void visit(const Tree& tree, bool used, bool begun) {
    const std::string& kind = tree.kind;
    const auto part = [&](std::size_t i) -> const Tree& { return *tree.parts[i]; };
    if (kind == "if") {
      const auto taken = [&](const std::vector<double>& at) {
        return value(part(0), at) < value(part(1), at);
      };
      visit(part(2), used && taken(here), begun && taken(start));
      visit(part(3), used && !taken(here), begun && !taken(start));
      return;
    }
    if (kind == "-" || kind == "/") doubtful = doubtful || written(part(0)) == written(part(1));
    if (kind == "^" && part(1).number == 0) return;
    for (const auto& one : tree.parts) visit(*one, used, begun);
    if (kind == "log") need("positive ", part(0), used, begun);
    if (kind == "sqrt") need("not negative ", part(0), used, begun);
    if (kind == "/") need("side ", part(1), used, begun);
    if (kind == "asin" || kind == "acos") need("one ", part(0), used, begun);
    if (kind == "tan") need("branch ", part(0), used, begun);
    if (kind != "^" && kind != "pow") return;
    const bool constant = part(1).kind == "number";
    const double exponent = value(part(1), here);
    const bool whole = exponent == std::floor(exponent);
    if (varies(part(1))) {
      need("positive ", part(0), used, begun, true);
    } else if (whole) {
      if (exponent < 0) need("side ", part(0), used, begun);
    } else {
      need(exponent > 0 && constant ? "not negative " : "positive ", part(0), used, begun);
    }
  }

  // Whether all hold; `close`: one nearly does, or nearly does not.
  bool defined(bool& close) const {
    bool all = true;
    for (const auto& [name, one] : needs) {
      if (!one.used) continue;
      const auto margin = [&]() -> double {
        if (name.starts_with("one ")) return 1 - std::abs(one.here);
        if (name.starts_with("branch ")) {
          const double pi = std::numbers::pi;
          const double turns = one.here / pi + 0.5, begin = one.start / pi + 0.5;
          const double edge = std::min(turns - std::floor(turns), std::ceil(turns) - turns);
          return std::floor(turns) == std::floor(begin) ? edge : -edge;
        }
        if (!name.starts_with("side ")) return one.here;
        if (!one.begun) return std::abs(one.here);
        return one.start > 0 ? one.here : one.start < 0 ? -one.here : std::nan("");
      }();
      const double size = std::max({1.0, std::abs(one.here)});
      close = close || std::abs(margin) < 1e-7 * size || std::abs(one.start) < 1e-7;
      all = all && margin > 0;
    }
    return all;
  }
};

TEST(FormulaDomain, RandomFormulasAreDefinedWhereBruteForceSaysSo) {
  FormulaGenerator generator(77, true);
  Sequence numbers(78);
  int inside = 0, outside = 0, formulas = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const std::unique_ptr<Tree> tree = generator.draw(4);
    const std::string text = written(*tree);
    FormulaSpec spec;
    spec.parameters.push_back({.name = "z", .distribution = Uniform{-2, 2}});
    spec.noise.push_back({.name = "t",
                          .finite = {},
                          .distribution = "uniform",
                          .arguments = {{"lower", {"-1", 1}}, {"upper", {"1", 2}}}});
    const std::vector<double> begin = {numbers.between(-2, 2), numbers.between(-2, 2)};
    spec.variables = {{"x", false, Vector::Constant(1, begin[0])},
                      {"y", false, Vector::Constant(1, begin[1])}};
    spec.objective = {text + " + (x^2 + y^2)/7", 0};
    std::optional<FormulaProblem> problem;
    try {
      problem.emplace(spec);
    } catch (const FormulaError&) {
      continue;  // a constant part is not a real number
    }
    ++formulas;
    for (int sample = 0; sample < 20; ++sample) {
      const double z = numbers.between(-2, 2), t = numbers.between(-1, 1);
      BruteForce brute{{numbers.between(-3, 3), numbers.between(-3, 3), z, t},
                       {begin[0], begin[1], z, t}};
      BruteForce at_start{brute.start, brute.start};
      at_start.visit(*tree, true, true);
      brute.visit(*tree, true, true);
      bool close = false;
      const bool starts = at_start.defined(close), expected = brute.defined(close);
      Trace trace;
      const double value = evaluated(*tree, brute.here, trace);
      if (!starts || close || brute.doubtful || trace.nearest_kink < 1e-6 ||
          !(trace.largest < 1e30))
        continue;
      Matrix x(1, 2), f(1, 1), g(1, 2), h(1, 4);
      x << brute.here[0], brute.here[1];
      const Matrix theta = Matrix::Constant(1, 1, z), noise = Matrix::Constant(1, 1, (t + 1) / 2);
      problem->value(x, theta, noise, f);
      problem->gradient(x, theta, noise, g);
      problem->hessian(x, theta, noise, h);
      const bool known = expected && std::isfinite(value);
      EXPECT_EQ(std::isfinite(f(0, 0)), known) << text << " at " << x << ' ' << z << ' ' << t;
      if (!expected) {
        EXPECT_TRUE(g.array().isNaN().all() && h.array().isNaN().all()) << text;
        EXPECT_NE(problem->explain(x, theta, noise), "") << text;
      } else if (known) {
        EXPECT_TRUE(g.allFinite()) << text << " at " << x << ' ' << z << ' ' << t;
        const double whole = value + (x(0, 0) * x(0, 0) + x(0, 1) * x(0, 1)) / 7;
        EXPECT_NEAR(f(0, 0), whole, 1e-9 * (1 + trace.largest)) << text;
      }
      ++(expected ? inside : outside);
    }
  }
  EXPECT_GT(formulas, 500);
  EXPECT_GT(inside, 1000);
  EXPECT_GT(outside, 1000);
}

}  // namespace
}  // namespace chaosgrad
