#include "expression/graph/operations.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <numeric>

#include "expression/kernels/kernels.h"
#include "numeric/decompositions.h"
#include "numeric/functions.h"

namespace chaosgrad::internal {

const Operation& operation(Op op) {
  static constexpr bool whole = false, elementwise = true, commutes = true;
  // In the order of Op.
  // clang-format off
  static constexpr Operation table[] = {
      {"constant", 0, whole}, {"input", 0, whole},
      {"+", 2, elementwise, commutes}, {"-", 2}, {"*", 2, elementwise, commutes}, {"/", 2},
      {"-", 1}, {"^", 2},
      {"<", 2}, {"<=", 2}, {">", 2}, {">=", 2},
      {"==", 2, elementwise, commutes}, {"!=", 2, elementwise, commutes},
      {"and", 2, elementwise, commutes}, {"or", 2, elementwise, commutes}, {"not", 1}, {"if", 3},
      {"sin", 1}, {"cos", 1}, {"tan", 1}, {"asin", 1}, {"acos", 1}, {"atan", 1},
      {"sinh", 1}, {"cosh", 1}, {"tanh", 1}, {"exp", 1}, {"log", 1}, {"sqrt", 1},
      {"abs", 1}, {"sign", 1}, {"min", 2, elementwise, commutes}, {"max", 2, elementwise, commutes},
      {"floor", 1}, {"ceil", 1}, {"erf", 1}, {"normcdf", 1}, {"normal_pdf", 1},
      {"logistic", 1}, {"softplus", 1},
      {"normal_quantile", 1}, {"gamma_quantile", 2}, {"beta_quantile", 3},
      {"sum", 1, whole}, {"dot", 2, whole, commutes}, {"norm2", 1, whole},
      {"*", 2, whole}, {"transpose", 1, whole}, {"outer", 2, whole},
      {"solve", 2, whole},
      {"element", 1, whole}, {"stack", -1, whole},
      {"*", 2},
      {"lowest", 1, whole}, {"same_piece", 2, whole}, {"huber", 2}};
  // clang-format on
  static_assert(std::size(table) == static_cast<std::size_t>(Op::huber) + 1);
  return table[static_cast<std::size_t>(op)];
}

bool is_comparison(Op op) { return op >= Op::less && op <= Op::not_equal; }
bool is_logical(Op op) {
  return op == Op::logical_and || op == Op::logical_or || op == Op::logical_not;
}

std::string in_words(Shape shape) {
  if (shape.is_scalar()) return "a number";
  if (shape.cols == 1) return fmt::format("a vector of {}", shape.rows);
  if (shape.rows == 1) return fmt::format("a row of {}", shape.cols);
  return fmt::format("a {} × {} matrix", shape.rows, shape.cols);
}

namespace {

bool is_vector(Shape shape) { return shape.cols == 1; }

std::string mismatch(Op op, Shape a, Shape b) {
  const std::string left = in_words(a), right = in_words(b);
  switch (op) {
    case Op::add:
      return fmt::format("cannot add {} and {}", left, right);
    case Op::subtract:
      return fmt::format("cannot subtract {} from {}", right, left);
    case Op::multiply:
    case Op::masked_multiply:
    case Op::product:
      return fmt::format("cannot multiply {} by {}", left, right);
    case Op::divide:
      return fmt::format("cannot divide {} by {}", left, right);
    default:
      return fmt::format("'{}' needs arguments of one shape, found {} and {}", operation(op).name,
                         left, right);
  }
}

Shape elementwise_shape(Op op, std::span<const Shape> arguments, SourceSpan span) {
  Shape result;
  for (const Shape& shape : arguments) {
    if (shape.is_scalar() || shape == result) continue;
    if (!result.is_scalar()) throw FormulaError(mismatch(op, result, shape), span);
    result = shape;
  }
  return result;
}

Shape product_shape(Shape a, Shape b, SourceSpan span) {
  if (a.cols == b.rows) return {a.rows, b.cols};
  throw FormulaError(
      fmt::format("{}: {} columns against {} rows", mismatch(Op::product, a, b), a.cols, b.rows),
      span);
}

Shape solve_shape(Shape a, Shape b, SourceSpan span) {
  if (a.rows != a.cols)
    throw FormulaError("solve needs a square matrix, found " + in_words(a), span);
  if (a.rows == b.rows) return b;
  throw FormulaError(
      fmt::format("solve: {} does not fit to {} on the right-hand side", in_words(a), in_words(b)),
      span);
}

Shape stack_shape(std::span<const Shape> arguments, SourceSpan span) {
  if (arguments.empty()) throw FormulaError("a vector needs at least one element", span);
  for (const Shape& shape : arguments) {
    if (!shape.is_scalar()) {
      throw FormulaError("the elements of a vector must be numbers, found " + in_words(shape),
                         span);
    }
  }
  return {static_cast<Index>(arguments.size()), 1};
}

}  // namespace

Shape result_shape(Op op, std::span<const Shape> arguments, SourceSpan span) {
  if (operation(op).elementwise) return elementwise_shape(op, arguments, span);
  const Shape a = arguments.empty() ? Shape{} : arguments[0];
  switch (op) {
    case Op::dot:
      if (a != arguments[1]) throw FormulaError(mismatch(op, a, arguments[1]), span);
      return {};
    case Op::product:
      return product_shape(a, arguments[1], span);
    case Op::transpose:
      return {a.cols, a.rows};
    case Op::outer:
      if (!is_vector(a) || !is_vector(arguments[1])) {
        throw FormulaError("outer needs two vectors", span);
      }
      return {a.rows, arguments[1].rows};
    case Op::solve:
      return solve_shape(a, arguments[1], span);
    case Op::stack:
      return stack_shape(arguments, span);
    default:
      return {};
  }
}

namespace {

Matrix elementwise_result(Op op, std::span<const Matrix* const> arguments, Shape shape) {
  double packs[4][simd::width];
  Call call;
  call.samples = simd::width;
  call.out.data = packs[3];
  View* const views[] = {&call.a, &call.b, &call.c};
  Kernel kernel = elementwise_kernel(op);
  Matrix result(shape.rows, shape.cols);
  for (Index j = 0; j < result.size(); ++j) {
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const Matrix& argument = *arguments[k];
      simd::store(packs[k], simd::broadcast(argument.data()[argument.size() == 1 ? 0 : j]));
      *views[k] = {packs[k], 0, 0};
    }
    if (op == Op::power && is_integer_power(packs[1][0])) {
      kernel = kernels::integer_power;
      call.half_power = static_cast<int>(2 * packs[1][0]);
    }
    kernel(call);
    result.data()[j] = packs[3][0];
  }
  return result;
}

}  // namespace

Matrix constant_result(Op op, std::span<const Matrix* const> arguments, Shape shape) {
  const Matrix& a = *arguments[0];
  const double* end = a.data() + a.size();
  const auto number = [](double value) { return Matrix::Constant(1, 1, value); };
  switch (op) {
    case Op::sum:
      return number(std::accumulate(a.data(), end, 0.0));
    case Op::dot:
      return number(std::inner_product(a.data(), end, arguments[1]->data(), 0.0));
    case Op::norm2:
      return number(std::sqrt(std::inner_product(a.data(), end, a.data(), 0.0)));
    case Op::product:
      return a.lazyProduct(*arguments[1]);
    case Op::transpose:
      return a.transpose();
    case Op::outer:
      return a.lazyProduct(arguments[1]->transpose());
    case Op::solve:
      return solve_square(a, *arguments[1]);
    case Op::lowest:
      return number(*std::min_element(a.data(), end));
    default:
      return elementwise_result(op, arguments, shape);
  }
}

std::string written(Op op, std::span<const double> arguments) {
  const std::string name(operation(op).name);
  const bool infix = arguments.size() == 2 && !std::isalpha(static_cast<unsigned char>(name[0]));
  std::string text = infix ? "" : name + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) text += infix ? name : ", ";
    const std::string value = fmt::format("{:g}", arguments[i]);
    text += infix && std::signbit(arguments[i]) ? "(" + value + ")" : value;
  }
  return infix ? text : text + ")";
}

std::string why_not_finite(Op op, std::span<const double> arguments) {
  const double a = arguments.empty() ? 0 : arguments[0];
  const double b = arguments.size() < 2 ? 0 : arguments[1];
  switch (op) {
    case Op::log:
      if (a < 0) return fmt::format("log of a negative number ({:g})", a);
      return "log of zero";
    case Op::sqrt:
      return fmt::format("square root of a negative number ({:g})", a);
    case Op::divide:
      if (b == 0) return "division by zero";
      break;
    case Op::power:
      if (a < 0 && b != std::floor(b)) {
        return fmt::format("negative number ({:g}) to a fractional power ({:g})", a, b);
      }
      if (a == 0) return fmt::format("zero to a negative power ({:g})", b);
      break;
    case Op::asin:
    case Op::acos:
      return fmt::format("{} of a number outside [-1, 1] ({:g})", operation(op).name, a);
    case Op::normal_quantile:
    case Op::gamma_quantile:
    case Op::beta_quantile:
      if (!(a > 0 && a < 1)) return fmt::format("quantile at a level outside (0, 1) ({:g})", a);
      if (op != Op::normal_quantile) return "quantile with a shape that is not positive";
      break;
    case Op::solve:
      return "solve with a singular matrix";
    default:
      break;
  }
  return "overflow";
}

}  // namespace chaosgrad::internal
