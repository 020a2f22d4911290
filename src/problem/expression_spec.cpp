// Expressions of C++ programs as formulas.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "chaosgrad/error.h"
#include "chaosgrad/expression.h"
#include "measure/distribution_table.h"

namespace chaosgrad {
using namespace internal;

// An operation with its arguments, or, without arguments, a leaf: a number or a name.
struct Expression::Node {
  std::string text;
  std::vector<std::shared_ptr<const Node>> arguments = {};

  Node(std::string name, std::vector<std::shared_ptr<const Node>> parts)
      : text(std::move(name)), arguments(std::move(parts)) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  // Chains of operations may be longer than the stack is deep: they are taken apart one by one.
  ~Node() {
    std::vector<std::shared_ptr<const Node>> left = std::move(arguments);
    while (!left.empty()) {
      const std::shared_ptr<const Node> one = std::move(left.back());
      left.pop_back();
      if (one.use_count() != 1) continue;
      auto& parts = const_cast<Node&>(*one).arguments;  // NOLINT: nobody else has it any more
      left.insert(left.end(), std::make_move_iterator(parts.begin()),
                  std::make_move_iterator(parts.end()));
      parts.clear();
    }
  }
};

namespace {

constexpr std::array<std::string_view, 10> infix = {"+",  "-", "*",  "/",  "<",
                                                    "<=", ">", ">=", "==", "^"};

bool is_infix(const Expression::Node& node) {
  return node.arguments.size() == 2 && std::ranges::find(infix, node.text) != infix.end();
}

// Formulas for nodes. Every operation gets a definition of its own, so that texts stay short and
// what is used twice is computed once.
class Writer {
 public:
  explicit Writer(FormulaSpec& spec) : spec_(spec) {
    for (const auto& [name, formula] : spec.definitions)
      if (name.starts_with(prefix)) ++next_;
  }

  // The name of a node, after the definitions that it needs.
  [[nodiscard]] std::string name_of(const std::shared_ptr<const Expression::Node>& root) {
    std::vector<const Expression::Node*> path = {root.get()};
    while (!path.empty()) {
      const Expression::Node& node = *path.back();
      const auto missing = std::ranges::find_if(node.arguments, [&](const auto& part) {
        return !part->arguments.empty() && !names_.contains(part.get());
      });
      if (missing != node.arguments.end()) {
        path.push_back(missing->get());
        continue;
      }
      if (!node.arguments.empty() && !names_.contains(&node)) {
        const std::string name = fmt::format("{}{}", prefix, next_++);
        spec_.definitions.emplace_back(name, FormulaText{formula(node)});
        names_.emplace(&node, name);
      }
      path.pop_back();
    }
    return reference(*root);
  }

  // The formula of a node whose arguments have names.
  [[nodiscard]] std::string formula(const Expression::Node& node) const {
    if (is_infix(node))
      return fmt::format("{} {} {}", reference(*node.arguments[0]), node.text,
                         reference(*node.arguments[1]));
    if (node.text == "negate") return fmt::format("-{}", reference(*node.arguments[0]));
    std::string list;
    for (const auto& part : node.arguments) list += (list.empty() ? "" : ", ") + reference(*part);
    return fmt::format("{}({})", node.text, list);
  }

 private:
  static constexpr std::string_view prefix = "part_";
  [[nodiscard]] std::string reference(const Expression::Node& node) const {
    return node.arguments.empty() ? node.text : names_.at(&node);
  }
  FormulaSpec& spec_;
  std::unordered_map<const Expression::Node*, std::string> names_;
  std::size_t next_ = 0;
};

NoiseSpec noise_of(const std::string& name, const Distribution& distribution) {
  NoiseSpec noise{.name = name, .finite = {}, .distribution = {}, .arguments = {}};
  if (std::holds_alternative<Discrete>(distribution.parameters())) {
    noise.finite = distribution;
    return noise;
  }
  const DistributionEntry& entry = entry_of(distribution.parameters());
  noise.distribution = entry.name;
  for (const DistributionArgument& argument : entry.arguments) {
    if (argument.values)
      noise.arguments[std::string(argument.key)] = {
          fmt::format("{:.17g}", argument.values(distribution.parameters()).at(0))};
  }
  return noise;
}

}  // namespace

Expression::Expression(double value) {
  if (!std::isfinite(value))
    throw InputError("expression", fmt::format("expected a finite number, found {}", value));
  const std::string text =
      value < 0 ? fmt::format("({:.17g})", value) : fmt::format("{:.17g}", value);
  node_ = std::make_shared<const Node>(text, std::vector<std::shared_ptr<const Node>>{});
}

Expression Expression::leaf(std::string text) {
  return Expression(
      std::make_shared<const Node>(std::move(text), std::vector<std::shared_ptr<const Node>>{}));
}

Expression Expression::apply(std::string operation, std::vector<Expression> arguments) {
  std::vector<std::shared_ptr<const Node>> nodes;
  for (const Expression& argument : arguments) nodes.push_back(argument.node());
  return Expression(std::make_shared<const Node>(std::move(operation), std::move(nodes)));
}

Expression named(const std::string& name) { return Expression::leaf(name); }
Expression named(const std::string& name, Index component) {
  return Expression::leaf(fmt::format("{}[{}]", name, component));
}

// clang-format off
Expression operator+(const Expression& a, const Expression& b) { return Expression::apply("+", {a, b}); }
Expression operator-(const Expression& a, const Expression& b) { return Expression::apply("-", {a, b}); }
Expression operator*(const Expression& a, const Expression& b) { return Expression::apply("*", {a, b}); }
Expression operator/(const Expression& a, const Expression& b) { return Expression::apply("/", {a, b}); }
Expression operator<(const Expression& a, const Expression& b) { return Expression::apply("<", {a, b}); }
Expression operator<=(const Expression& a, const Expression& b) { return Expression::apply("<=", {a, b}); }
Expression operator>(const Expression& a, const Expression& b) { return Expression::apply(">", {a, b}); }
Expression operator>=(const Expression& a, const Expression& b) { return Expression::apply(">=", {a, b}); }
Expression operator==(const Expression& a, const Expression& b) { return Expression::apply("==", {a, b}); }
Expression operator-(const Expression& a) { return Expression::apply("negate", {a}); }
Expression operator+(const Expression& a) { return a; }
Expression pow(const Expression& a, const Expression& b) { return Expression::apply("^", {a, b}); }
Expression min(const Expression& a, const Expression& b) { return Expression::apply("min", {a, b}); }
Expression max(const Expression& a, const Expression& b) { return Expression::apply("max", {a, b}); }
Expression sin(const Expression& a) { return Expression::apply("sin", {a}); }
Expression cos(const Expression& a) { return Expression::apply("cos", {a}); }
Expression tan(const Expression& a) { return Expression::apply("tan", {a}); }
Expression asin(const Expression& a) { return Expression::apply("asin", {a}); }
Expression acos(const Expression& a) { return Expression::apply("acos", {a}); }
Expression atan(const Expression& a) { return Expression::apply("atan", {a}); }
Expression sinh(const Expression& a) { return Expression::apply("sinh", {a}); }
Expression cosh(const Expression& a) { return Expression::apply("cosh", {a}); }
Expression tanh(const Expression& a) { return Expression::apply("tanh", {a}); }
Expression exp(const Expression& a) { return Expression::apply("exp", {a}); }
Expression log(const Expression& a) { return Expression::apply("log", {a}); }
Expression sqrt(const Expression& a) { return Expression::apply("sqrt", {a}); }
Expression abs(const Expression& a) { return Expression::apply("abs", {a}); }
Expression erf(const Expression& a) { return Expression::apply("erf", {a}); }
Expression normcdf(const Expression& a) { return Expression::apply("normcdf", {a}); }
Expression logistic(const Expression& a) { return Expression::apply("logistic", {a}); }
Expression softplus(const Expression& a) { return Expression::apply("softplus", {a}); }
// clang-format on

Expression select(const Expression& condition, const Expression& b, const Expression& c) {
  return Expression::apply("if", {condition, b, c});
}

Expression& Expression::operator+=(const Expression& other) { return *this = *this + other; }
Expression& Expression::operator-=(const Expression& other) { return *this = *this - other; }
Expression& Expression::operator*=(const Expression& other) { return *this = *this * other; }
Expression& Expression::operator/=(const Expression& other) { return *this = *this / other; }

FormulaSpec minimize(const Expression& objective, FormulaSpec spec) {
  spec.objective = {Writer(spec).name_of(objective.node())};
  return spec;
}

void constrain(FormulaSpec& spec, const std::string& name, const Expression& comparison) {
  const Expression::Node& node = *comparison.node();
  if (node.text != "<=" && node.text != ">=" && node.text != "==")
    throw InputError("constraints." + name, "expected a comparison by <=, >= or ==");
  Writer writer(spec);
  for (const auto& side : node.arguments) (void)writer.name_of(side);
  spec.constraints.emplace_back(name, FormulaText{writer.formula(node)});
}

void observe(FormulaSpec& spec, const std::string& name, const Expression& quantity) {
  spec.quantities.emplace_back(name, FormulaText{Writer(spec).name_of(quantity.node())});
}

TracedInputs traced_inputs(Index dimension, std::vector<Distribution> parameters,
                           std::vector<Distribution> noise) {
  if (dimension < 1) throw InputError("variables", "at least one variable is needed, found none");
  TracedInputs inputs;
  inputs.spec.variables.push_back(
      {.name = "x", .is_vector = true, .start = Vector::Zero(dimension)});
  for (Index i = 0; i < dimension; ++i) inputs.x.push_back(named("x", i));
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const std::string name = fmt::format("theta{}", k);
    inputs.theta.push_back(named(name));
    inputs.spec.parameters.push_back({.name = name, .distribution = std::move(parameters[k])});
  }
  for (std::size_t j = 0; j < noise.size(); ++j) {
    const std::string name = fmt::format("v{}", j);
    inputs.v.push_back(named(name));
    inputs.spec.noise.push_back(noise_of(name, noise[j]));
  }
  return inputs;
}

}  // namespace chaosgrad
