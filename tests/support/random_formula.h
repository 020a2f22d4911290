#pragma once
// Random formulas as trees of their own, with an evaluator that shares nothing with the library:
// any number type, recursion.
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <memory>
#include <string>

#include "support/expression_values.h"

namespace chaosgrad {
using namespace internal;

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                           boost::multiprecision::et_off>;

struct Tree {
  std::string kind;  // a function or operator, "variable" or "number"
  std::vector<std::unique_ptr<Tree>> parts;
  int variable = 0;
  double number = 0;
};

inline std::string written(const Tree& tree) {
  const auto part = [&](std::size_t i) { return written(*tree.parts[i]); };
  if (tree.kind == "variable") return std::string(1, "xyzt"[tree.variable]);
  if (tree.kind == "number") return std::to_string(tree.number);  // six decimals, as drawn
  if (tree.kind == "negative") return "(-" + part(0) + ")";
  if (std::string("+-*/^").find(tree.kind) != std::string::npos) {
    return "(" + part(0) + " " + tree.kind + " " + part(1) + ")";
  }
  if (tree.kind == "if")
    return "if(" + part(0) + " < " + part(1) + ", " + part(2) + ", " + part(3) + ")";
  std::string text = tree.kind + "(";
  for (std::size_t i = 0; i < tree.parts.size(); ++i) text += (i > 0 ? ", " : "") + part(i);
  return text + ")";
}

// The value, and in `largest` the largest magnitude on the way, in `nearest_kink` the smallest
// distance to a switch.
struct Trace {
  double largest = 0, nearest_kink = 1e300;
};

template <class T>
T evaluated(const Tree& tree, const std::vector<T>& variables, Trace& trace);

template <class T>
T function_value(const std::string& kind, const T& a, Trace& trace) {
  using boost::math::erf, boost::math::erfc;
  using std::abs, std::acos, std::asin, std::atan, std::cos, std::cosh, std::erf, std::erfc,
      std::exp;
  using std::floor, std::ceil, std::log, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  const auto kink = [&](const T& distance) {
    trace.nearest_kink = std::min(trace.nearest_kink, std::abs(static_cast<double>(distance)));
  };
  if (kind == "negative") return -a;
  if (kind == "sin") return sin(a);
  if (kind == "cos") return cos(a);
  if (kind == "tan") return tan(a);
  if (kind == "asin") return asin(a);
  if (kind == "acos") return acos(a);
  if (kind == "atan") return atan(a);
  if (kind == "sinh") return sinh(a);
  if (kind == "cosh") return cosh(a);
  if (kind == "tanh") return tanh(a);
  if (kind == "exp") return exp(a);
  if (kind == "log") return log(a);
  if (kind == "erf") return erf(a);
  if (kind == "normcdf") return erfc(-a / sqrt(T(2))) / 2;
  if (kind == "logistic") return 1 / (1 + exp(-a));
  if (kind == "softplus") return log(1 + exp(a));
  if (kind == "sqrt") return sqrt(a);
  kink(a);
  if (kind == "abs") return a < 0 ? T(-a) : a;
  if (kind == "sign") return a != a ? a : a < 0 ? T(-1) : T(1);
  const T below = floor(a), above = ceil(a);
  kink(a - below);
  kink(above - a);
  return kind == "floor" ? below : above;
}

template <class T>
T evaluated(const Tree& tree, const std::vector<T>& variables, Trace& trace) {
  using std::pow;
  if (tree.kind == "variable") return variables[static_cast<std::size_t>(tree.variable)];
  if (tree.kind == "number") return T(std::stod(std::to_string(tree.number)));
  std::vector<T> parts;
  for (const auto& part : tree.parts) parts.push_back(evaluated(*part, variables, trace));
  const auto kink = [&] {
    trace.nearest_kink =
        std::min(trace.nearest_kink, std::abs(static_cast<double>(T(parts[0] - parts[1]))));
  };
  T value;
  if (tree.kind == "+") {
    value = parts[0] + parts[1];
  } else if (tree.kind == "-") {
    value = parts[0] - parts[1];
  } else if (tree.kind == "*") {
    value = parts[0] * parts[1];
  } else if (tree.kind == "/") {
    value = parts[0] / parts[1];
  } else if (tree.kind == "^" || tree.kind == "pow") {
    value = pow(parts[0], parts[1]);
  } else if (tree.kind == "min" || tree.kind == "max") {
    kink();
    value = (parts[0] < parts[1]) == (tree.kind == "min") ? parts[0] : parts[1];
    for (const T& part : parts) {
      if (part != part) value = part;  // not a number
    }
  } else if (tree.kind == "if") {
    kink();
    value = parts[0] < parts[1] ? parts[2] : parts[3];
  } else {
    value = function_value(tree.kind, parts[0], trace);
  }
  trace.largest = std::max(trace.largest, std::abs(static_cast<double>(value)));
  return value;
}

// Draws formulas in x, y, z, t whose functions stay inside their domains: log(1 + a²), asin(0.9 sin
// a), a/(1.5 + b²), …; or, if asked for, also some that leave them: log(a), a/b, a^0.7, …
class FormulaGenerator {
 public:
  explicit FormulaGenerator(std::uint64_t seed, bool leaves_domains = false)
      : sequence_(seed), leaves_domains_(leaves_domains) {}

  std::unique_ptr<Tree> draw(int depth) {
    if (depth == 0 || sequence_.uniform() < 0.05) return leaf();
    if (leaves_domains_ && sequence_.uniform() < 0.35) return limited(depth);
    switch (sequence_.below(13)) {
      case 0:
      case 1:
        return make("+", draw(depth - 1), draw(depth - 1));
      case 2:
        return make("-", draw(depth - 1), draw(depth - 1));
      case 3:
      case 4:
        return make("*", draw(depth - 1), draw(depth - 1));
      case 5:
        return make("/", draw(depth - 1), positive(1.5, depth - 1));
      case 6:
        return power(depth);
      case 7:
        return make(pick({"min", "max"}), draw(depth - 1), draw(depth - 1));
      case 8: {
        auto tree = make("if", draw(depth - 1), draw(depth - 1));
        tree->parts.push_back(draw(depth - 1));
        tree->parts.push_back(draw(depth - 1));
        return tree;
      }
      default:
        return function(depth);
    }
  }

 private:
  std::unique_ptr<Tree> make(const std::string& kind, std::unique_ptr<Tree> a,
                             std::unique_ptr<Tree> b = nullptr) {
    auto tree = std::make_unique<Tree>();
    tree->kind = kind;
    tree->parts.push_back(std::move(a));
    if (b) tree->parts.push_back(std::move(b));
    return tree;
  }
  std::unique_ptr<Tree> number(double value) {
    auto tree = std::make_unique<Tree>();
    tree->kind = "number";
    tree->number = value;
    return tree;
  }
  std::unique_ptr<Tree> leaf() {
    if (sequence_.uniform() < 0.25) return number(sequence_.between(0.2, 3));
    auto tree = std::make_unique<Tree>();
    tree->kind = "variable";
    tree->variable = sequence_.below(4);
    return tree;
  }
  std::string pick(std::initializer_list<const char*> choices) {
    return choices.begin()[sequence_.below(static_cast<int>(choices.size()))];
  }
  // offset + a²
  std::unique_ptr<Tree> positive(double offset, int depth) {
    return make("+", number(offset), make("^", draw(depth), number(2)));
  }
  // a function between −1 and 1
  std::unique_ptr<Tree> bounded(int depth) {
    return make(pick({"sin", "cos", "tanh"}), draw(depth));
  }

  std::unique_ptr<Tree> power(int depth) {
    switch (sequence_.below(4)) {
      case 0:
        return make("^", draw(depth - 1), number(sequence_.below(6)));
      case 1:
        return make("^", positive(0.5, depth - 1), number(sequence_.below(13) / 2.0 - 3));
      case 2:
        return make("^", positive(0.5, depth - 1), number(sequence_.between(-2, 3)));
      default:
        return make("pow", positive(0.5, depth - 1), bounded(depth - 1));
    }
  }
  std::unique_ptr<Tree> limited(int depth) {
    switch (sequence_.below(7)) {
      case 0:
        return make("log", draw(depth - 1));
      case 1:
        return make("sqrt", draw(depth - 1));
      case 2:
        return make("/", draw(depth - 1), draw(depth - 1));
      case 3:
        return make("^", draw(depth - 1), number(sequence_.below(16) / 4.0 - 2));
      case 4:
        return make("pow", draw(depth - 1), draw(depth - 1));
      case 5:
        return make(pick({"asin", "acos"}), draw(depth - 1));
      default:
        return make("tan", draw(depth - 1));
    }
  }
  std::unique_ptr<Tree> function(int depth) {
    const std::string kind =
        pick({"negative", "sin",   "cos",  "tan", "asin",    "acos",     "atan",
              "sinh",     "cosh",  "tanh", "exp", "log",     "sqrt",     "abs",
              "sign",     "floor", "ceil", "erf", "normcdf", "logistic", "softplus"});
    if (kind == "log" || kind == "sqrt") return make(kind, positive(0.3, depth - 1));
    if (kind == "asin" || kind == "acos" || kind == "tan") {
      return make(kind, make("*", number(0.9), bounded(depth - 1)));
    }
    return make(kind, draw(depth - 1));
  }

  Sequence sequence_;
  bool leaves_domains_;
};

}  // namespace chaosgrad
