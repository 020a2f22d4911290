#pragma once
// F written once in C++, and differentiated for you: formulas by operators, and templated functions.
//
//   Expression x = named("x"), t = named("t");
//   FormulaProblem problem(minimize(0.5 * square(x - sin(t)),
//                                   {.parameters = {{"t", Normal{0, 1}}},
//                                    .variables = {{"x", false, Vector::Zero(1)}}}));
//
// or, of any f(x, theta, v) that is a template over its numbers,
//
//   FormulaProblem problem(traced(f, 2, {Normal{0, 1}, Uniform{0, 1}}));
//
// Both become formulas: gradients and Hessians of whole blocks of samples, kinks and domains as in
// problem files.
#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chaosgrad/formula.h"

namespace chaosgrad {

// A number that is a formula. A value: copies share what they are made of.
class Expression {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a formula
  Expression(double value = 0);

  struct Node;  // opaque
  [[nodiscard]] const std::shared_ptr<const Node>& node() const { return node_; }
  // An operation as formulas write it ("+", "sin", "if") on its arguments.
  [[nodiscard]] static Expression apply(std::string operation, std::vector<Expression> arguments);
  [[nodiscard]] static Expression leaf(std::string text);

  Expression& operator+=(const Expression& other);
  Expression& operator-=(const Expression& other);
  Expression& operator*=(const Expression& other);
  Expression& operator/=(const Expression& other);

 private:
  explicit Expression(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

// A variable, parameter, noise or constant by its name in the spec; a component of a vector.
[[nodiscard]] Expression named(const std::string& name);
[[nodiscard]] Expression named(const std::string& name, Index component);

[[nodiscard]] Expression operator+(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator-(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator*(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator/(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator-(const Expression& a);
[[nodiscard]] Expression operator+(const Expression& a);

// 1 or 0, for select(); and what constraints are made of. They are no bool: a program that branches
// on them does not compile, for its other branch would never be seen.
[[nodiscard]] Expression operator<(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator<=(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator>(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator>=(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator==(const Expression& a, const Expression& b);

// b where the condition holds, else c; with numbers too, so that templates may use it.
[[nodiscard]] Expression select(const Expression& condition, const Expression& b,
                                const Expression& c);
[[nodiscard]] inline double select(bool condition, double b, double c) { return condition ? b : c; }

[[nodiscard]] Expression sin(const Expression& a);
[[nodiscard]] Expression cos(const Expression& a);
[[nodiscard]] Expression tan(const Expression& a);
[[nodiscard]] Expression asin(const Expression& a);
[[nodiscard]] Expression acos(const Expression& a);
[[nodiscard]] Expression atan(const Expression& a);
[[nodiscard]] Expression sinh(const Expression& a);
[[nodiscard]] Expression cosh(const Expression& a);
[[nodiscard]] Expression tanh(const Expression& a);
[[nodiscard]] Expression exp(const Expression& a);
[[nodiscard]] Expression log(const Expression& a);
[[nodiscard]] Expression sqrt(const Expression& a);
[[nodiscard]] Expression abs(const Expression& a);
[[nodiscard]] Expression erf(const Expression& a);
[[nodiscard]] Expression normcdf(const Expression& a);
[[nodiscard]] Expression logistic(const Expression& a);
[[nodiscard]] Expression softplus(const Expression& a);
[[nodiscard]] Expression pow(const Expression& a, const Expression& b);
[[nodiscard]] Expression min(const Expression& a, const Expression& b);
[[nodiscard]] Expression max(const Expression& a, const Expression& b);
template <class T>
[[nodiscard]] T square(const T& a) {
  return a * a;
}

// The spec with this objective; parts that are used more than once become definitions of it.
[[nodiscard]] FormulaSpec minimize(const Expression& objective, FormulaSpec spec);
// With one more constraint, a comparison by <=, >= or ==. Throws InputError if it is none.
void constrain(FormulaSpec& spec, const std::string& name, const Expression& comparison);
// With one more quantity.
void observe(FormulaSpec& spec, const std::string& name, const Expression& quantity);

using Expressions = std::vector<Expression>;

// f(x, theta, v) → T for vectors of T, which is double or Expression.
template <class F>
concept TemplatedObjective = requires(const F& f, const Expressions& e) {
  { f(e, e, e) } -> std::convertible_to<Expression>;
};

// The spec of a problem with the variables x (a vector), the parameters theta0, theta1, … and the
// noise v0, v1, …, whose objective is still missing; and their vectors.
struct TracedInputs {
  FormulaSpec spec;
  Expressions x, theta, v;
};
[[nodiscard]] TracedInputs traced_inputs(Index dimension, std::vector<Distribution> parameters,
                                         std::vector<Distribution> noise);

// Calls f once, with formulas instead of numbers. The spec may be added to: a start, bounds,
// constraints. f must do the same operations whatever its inputs are; where it chooses, by select().
template <TemplatedObjective F>
[[nodiscard]] FormulaSpec traced(const F& f, Index dimension, std::vector<Distribution> parameters,
                                 std::vector<Distribution> noise = {}) {
  TracedInputs inputs = traced_inputs(dimension, std::move(parameters), std::move(noise));
  const Expression objective =
      f(std::as_const(inputs.x), std::as_const(inputs.theta), std::as_const(inputs.v));
  return minimize(objective, std::move(inputs.spec));
}

}  // namespace chaosgrad
