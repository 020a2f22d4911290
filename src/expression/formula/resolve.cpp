// What names, operators, calls, vectors and indices mean.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "expression/formula/formula_builder.h"

namespace chaosgrad::internal {
namespace {

bool is_column(Shape shape) { return shape.cols == 1 && shape.rows > 1; }

}  // namespace

void FormulaBuilder::name(Token token) {
  const std::string word = text(token);
  Node node;
  if (const auto known = names_.find(word); known != names_.end()) {
    node = known->second;
  } else if (word == "pi") {
    node = graph_.constant(std::numbers::pi);
  } else if (find_function(word)) {
    throw FormulaError(fmt::format("'{}' is a function: write {}(…)", word, word), span(token));
  } else {
    std::vector<std::string> candidates;
    for (const auto& [candidate, meaning] : names_) candidates.push_back(candidate);
    if (!names_.contains("pi")) candidates.emplace_back("pi");
    throw FormulaError("unknown name '" + word + "'" + suggestion(word, candidates, "names"),
                       span(token));
  }
  operands_.push_back({node, token});
  previous_ = token;
}

Node FormulaBuilder::infix(Op op, const Operand& left, const Operand& right,
                           SourceSpan where) const {
  const Shape a = graph_.shape(left.node), b = graph_.shape(right.node);
  // Of two vectors, the products of their components.
  const bool vectors = is_column(a) && is_column(b);
  if (op == Op::multiply && !a.is_scalar() && !b.is_scalar() && !vectors) op = Op::product;
  if (op == Op::divide && !b.is_scalar() && !is_column(b)) {
    throw FormulaError("cannot divide by " + in_words(b), where);
  }
  if (op == Op::power && !b.is_scalar()) {
    throw FormulaError("an exponent must be a number, found " + in_words(b), where);
  }
  if (op == Op::power && a.rows > 1 && a.cols > 1) {
    throw FormulaError("cannot raise " + in_words(a) + " to a power", where);
  }
  return graph_.apply(op, std::initializer_list<Node>{left.node, right.node}, where);
}

Node FormulaBuilder::called(const Frame& frame, std::span<const Operand> arguments,
                            SourceSpan where) const {
  std::string word = text(frame.token);
  word.resize(std::min(word.find_first_of(" \t\r\n\v\f("), word.size()));
  const Token word_token{frame.token.begin, frame.token.begin + static_cast<Index>(word.size())};
  const FormulaFunction* function = find_function(word);
  if (!function) unknown_function(word, word_token);
  const int count = static_cast<int>(arguments.size());
  const int least = function->least_arguments(), most = function->most_arguments();
  if (count < least || count > most) {
    throw FormulaError(fmt::format("{} needs {}{} argument{}, found {}", word,
                                   most == FormulaFunction::any_number ? "at least " : "", least,
                                   least == 1 ? "" : "s", count),
                       where);
  }
  if (function->op == Op::constant) return identity(arguments[0]);
  if (function->op == Op::power) return infix(Op::power, arguments[0], arguments[1], where);
  if (most == FormulaFunction::any_number) {
    Node node = arguments[0].node;
    for (const Operand& next : arguments.subspan(1)) {
      node = graph_.apply(function->op, std::initializer_list<Node>{node, next.node}, where);
    }
    return node;
  }
  std::vector<Node> nodes;
  for (const Operand& argument : arguments) nodes.push_back(argument.node);
  const Node node = graph_.apply(function->op, nodes, where);
  if (word == "norm1") return graph_.apply(Op::sum, std::span(&node, 1), where);
  if (word != "log2" && word != "log10") return node;
  const double base = word == "log2" ? std::numbers::ln2 : std::numbers::ln10;
  return graph_.apply(Op::divide, std::initializer_list<Node>{node, graph_.constant(base)}, where);
}

void FormulaBuilder::unknown_function(const std::string& word, Token token) const {
  if (names_.contains(word) || word == "pi") {
    throw FormulaError(
        fmt::format("'{}' is not a function; write {}*(…) for a product", word, word), span(token));
  }
  std::vector<std::string> candidates;
  for (const FormulaFunction& function : formula_functions())
    candidates.emplace_back(function.name());
  throw FormulaError("unknown function '" + word + "'" + suggestion(word, candidates, "functions"),
                     span(token));
}

// Numbers make a vector; vectors of one length are the rows of a matrix.
Node FormulaBuilder::vector_of(std::span<const Operand> elements, SourceSpan where) const {
  std::vector<Node> nodes;
  for (const Operand& element : elements) nodes.push_back(element.node);
  const auto shape = [&](std::size_t i) { return graph_.shape(nodes[i]); };
  if (nodes.empty() || !is_column(shape(0))) return graph_.apply(Op::stack, nodes, where);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (shape(i) == shape(0)) continue;
    throw FormulaError(fmt::format("the rows of a matrix must be of one length, found {} and {}",
                                   in_words(shape(0)), in_words(shape(i))),
                       span(elements[i].token));
  }
  std::vector<Node> entries;
  for (Index column = 0; column < shape(0).rows; ++column) {
    for (const Node row : nodes) entries.push_back(graph_.element(row, column, where));
  }
  return stack_as(graph_, entries, {static_cast<Index>(nodes.size()), shape(0).rows}, where);
}

Node FormulaBuilder::indexed(const Operand& vector, std::span<const Operand> indices,
                             SourceSpan where) const {
  const Shape shape = graph_.shape(vector.node);
  const bool matrix = shape.rows > 1 && shape.cols > 1;
  const std::size_t needed = matrix ? 2 : 1;
  if (indices.size() != needed) {
    throw FormulaError(fmt::format("{} takes {}, found {}", in_words(shape),
                                   matrix ? "two indices" : "one index", indices.size()),
                       where);
  }
  const Index first = constant_index(indices[0]);
  if (!matrix) return graph_.element(vector.node, first, where);
  const Index second = constant_index(indices[1]);
  if (first >= shape.rows || second >= shape.cols) {
    throw FormulaError(fmt::format("index {}, {} is out of range: {} has the rows 0 to {} and the "
                                   "columns 0 to {}",
                                   first, second, in_words(shape), shape.rows - 1, shape.cols - 1),
                       where);
  }
  return graph_.element(vector.node, first + second * shape.rows, where);
}

Node FormulaBuilder::identity(const Operand& size) const {
  const double value = GraphAccess::data(graph_).number(size.node);
  if (!(value >= 1 && value <= 1000) || value != std::floor(value)) {
    throw FormulaError(
        "identity needs a whole number from 1 to 1000 that is known beforehand, "
        "found '" +
            text(size.token) + "'",
        span(size.token));
  }
  const auto n = static_cast<Index>(value);
  return graph_.constant(Matrix::Identity(n, n));
}

Index FormulaBuilder::constant_index(const Operand& index) const {
  const double value = GraphAccess::data(graph_).number(index.node);
  if (!(value >= 0) || value != std::floor(value) || value > 1e9) {
    throw FormulaError("an index must be a whole number, 0 or more and known beforehand, found '" +
                           text(index.token) + "'",
                       span(index.token));
  }
  return static_cast<Index>(value);
}

}  // namespace chaosgrad::internal
