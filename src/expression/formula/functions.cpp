#include "expression/formula/functions.h"

#include <algorithm>

#include "expression/graph/operations.h"

namespace chaosgrad::internal {
namespace {

constexpr int any_number = FormulaFunction::any_number;

constexpr FormulaFunction functions[] = {
    {Op::sin, "sine", {"sin(pi/6)", "1/2"}},
    {Op::cos, "cosine", {"cos(pi)", "-1"}},
    {Op::tan, "tangent", {"tan(pi/4)", "1"}},
    {Op::asin, "inverse of sin, from −π/2 to π/2; −1 ≤ a ≤ 1", {"asin(1)", "pi/2"}},
    {Op::acos, "inverse of cos, from 0 to π; −1 ≤ a ≤ 1", {"acos(0)", "pi/2"}},
    {Op::atan, "inverse of tan, from −π/2 to π/2", {"atan(1)", "pi/4"}},
    {Op::sinh, "hyperbolic sine", {"sinh(log(2))", "3/4"}},
    {Op::cosh, "hyperbolic cosine", {"cosh(log(2))", "5/4"}},
    {Op::tanh, "hyperbolic tangent", {"tanh(log(2))", "3/5"}},
    {Op::exp, "e to the power a", {"exp(log(5))", "5"}},
    {Op::log, "natural logarithm, a > 0", {"log(exp(3))", "3"}},
    {Op::log, "logarithm to base 2", {"log2(8)", "3"}, "log2"},
    {Op::log, "logarithm to base 10", {"log10(1000)", "3"}, "log10"},
    {Op::sqrt, "square root, a ≥ 0", {"sqrt(9)", "3"}},
    {Op::abs, "absolute value", {"abs(-2)", "2"}},
    {Op::sign, "−1, 0 or 1", {"sign(-2)", "-1"}},
    {Op::floor, "the largest whole number not above a", {"floor(-1.5)", "-2"}},
    {Op::ceil, "the smallest whole number not below a", {"ceil(-1.5)", "-1"}},
    {Op::erf, "error function, 2/√π ∫₀ᵃ exp(−t²) dt", {"erf(1/sqrt(2))", "2*normcdf(1) - 1"}},
    {Op::normcdf, "standard normal distribution function Φ", {"normcdf(0)", "1/2"}},
    {Op::logistic, "1/(1 + exp(−a))", {"logistic(log(3))", "3/4"}},
    {Op::softplus, "log(1 + exp(a))", {"softplus(0)", "log(2)"}},
    {Op::normal_quantile, "Φ⁻¹(a), 0 < a < 1", {"normal_quantile(normcdf(1))", "1"}},
    {Op::gamma_quantile,
     "quantile at level a of the gamma distribution with shape b and scale 1",
     {"gamma_quantile(1/2, 1)", "log(2)"}},
    {Op::beta_quantile,
     "quantile at level a of the beta distribution with alpha b and beta c on (0, 1)",
     {"beta_quantile(1/4, 2, 1)", "1/2"}},
    {Op::sum, "sum of all components", {"sum([1, 2, 3])", "6"}},
    {Op::abs, "sum of the absolute values of all components", {"norm1([3, -4])", "7"}, "norm1"},
    {Op::norm2, "Euclidean norm √(Σ aᵢ²)", {"norm2([3, 4])", "5"}},
    {Op::transpose, "transpose of a matrix", {"transpose([[1, 2], [3, 4]])", "[[1, 3], [2, 4]]"}},
    {Op::dot, "inner product Σ aᵢ bᵢ", {"dot([1, 2], [3, 4])", "11"}},
    {Op::outer, "the matrix a bᵀ", {"outer([1, 2], [3, 4])", "[[3, 4], [6, 8]]"}},
    {Op::solve,
     "the x with a x = b, for a square matrix a",
     {"solve([[2, 1], [1, 3]], [5, 10])", "[1, 3]"}},
    {Op::constant,
     "the identity matrix of a rows; a is known beforehand, at most 1000",
     {"identity(2)", "[[1, 0], [0, 1]]"},
     "identity",
     1},
    {Op::huber, "a²/2 where |a| ≤ b, else b (|a| − b/2)", {"huber(3, 1)", "5/2"}},
    {Op::power, "a to the power b, as a^b", {"pow(2, 10)", "1024"}, "pow"},
    {Op::select, "b where a is true, that is not 0; else c", {"if(2 < 3, 10, 20)", "10"}},
    {Op::min, "the smallest", {"min(3, 1, 2)", "1"}, "", any_number},
    {Op::max, "the largest", {"max(3, 1, 2)", "3"}, "", any_number}};

constexpr FormulaOperator binary[] = {
    {"+", Op::add, Precedence::sum, "sum", {"1 + 2", "3"}},
    {"-", Op::subtract, Precedence::sum, "difference", {"5 - 2 - 1", "2"}},
    {"\u2212", Op::subtract, Precedence::sum, "difference, the sign of print", {"5 \u2212 2", "3"}},
    {"*",
     Op::multiply,
     Precedence::product,
     "product; of a matrix and a vector or matrix, too; of two vectors: of each component",
     {"[[1, 2], [3, 4]]*[1, 1]", "[3, 7]"}},
    {"/",
     Op::divide,
     Precedence::product,
     "quotient; by a vector, too: of each component",
     {"6/[2, 3]", "[3, 2]"}},
    {"^", Op::power, Precedence::power, "power, from right to left", {"2^3^2", "512"}},
    {"<", Op::less, Precedence::comparison, "less: 1 if so, else 0", {"1 < 2", "1"}},
    {"<=", Op::less_equal, Precedence::comparison, "less or equal", {"2 <= 2", "1"}},
    {">", Op::greater, Precedence::comparison, "greater", {"1 > 2", "0"}},
    {">=", Op::greater_equal, Precedence::comparison, "greater or equal", {"2 >= 2", "1"}},
    {"==", Op::equal, Precedence::comparison, "equal", {"1 == 2", "0"}},
    {"!=", Op::not_equal, Precedence::comparison, "not equal", {"1 != 2", "1"}},
    {"and", Op::logical_and, Precedence::logical_and, "both", {"1 < 2 and 3 < 2", "0"}},
    {"&&", Op::logical_and, Precedence::logical_and, "the same as and", {"1 < 2 && 2 < 3", "1"}},
    {"or", Op::logical_or, Precedence::logical_or, "one of them, or both", {"1 < 2 or 3 < 2", "1"}},
    {"||", Op::logical_or, Precedence::logical_or, "the same as or", {"2 < 1 || 3 < 2", "0"}}};

// A plus before a formula means nothing: Op::add stands for that.
constexpr FormulaOperator prefix[] = {
    {"-", Op::negate, Precedence::sign, "minus; weaker than ^", {"-2^2", "0 - 4"}},
    {"\u2212", Op::negate, Precedence::sign, "minus, the sign of print", {"\u22122", "0 - 2"}},
    {"+", Op::add, Precedence::sign, "plus", {"+2", "2"}},
    {"not", Op::logical_not, Precedence::logical_not, "1 if false, else 0", {"not 1 < 2", "0"}},
    {"!", Op::logical_not, Precedence::logical_not, "the same as not", {"!(1 < 2)", "0"}}};

}  // namespace

std::string_view FormulaFunction::name() const {
  return own_name.empty() ? operation(op).name : own_name;
}

int FormulaFunction::least_arguments() const {
  return op == Op::constant ? most : operation(op).arguments;
}

int FormulaFunction::most_arguments() const { return most > 0 ? most : operation(op).arguments; }

std::string FormulaFunction::call() const {
  std::string text(name());
  for (int i = 0; i < least_arguments(); ++i)
    text += (i == 0 ? "(" : ", ") + std::string(1, static_cast<char>('a' + i));
  return text + (most_arguments() == any_number ? ", …)" : ")");
}

std::span<const FormulaFunction> formula_functions() { return functions; }

const FormulaFunction* find_function(std::string_view name) {
  const auto* found = std::ranges::find(functions, name, &FormulaFunction::name);
  return found == std::end(functions) ? nullptr : found;
}

std::span<const FormulaOperator> binary_operators() { return binary; }
std::span<const FormulaOperator> prefix_operators() { return prefix; }

const FormulaOperator& operator_of(std::span<const FormulaOperator> operators,
                                   std::string_view symbol) {
  return *std::ranges::find(operators, symbol, &FormulaOperator::symbol);
}

}  // namespace chaosgrad::internal
