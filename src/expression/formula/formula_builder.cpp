#include "expression/formula/formula_builder.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace chaosgrad::internal {
namespace {

constexpr std::size_t deepest_nesting = 500;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

void FormulaBuilder::number(Token token) {
  std::string digits = text(token);
  std::erase(digits, '_');
  double value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    throw FormulaError(digits + " is out of the range of numbers", span(token));
  }
  operands_.push_back({graph_.constant(value), token});
  previous_ = token;
}

void FormulaBuilder::prefix(Token token) {
  const FormulaOperator& found = operator_of(prefix_operators(), text(token));
  operators_.push_back({found.op, found.precedence, true, token});
  previous_ = token;
}

void FormulaBuilder::binary(Token token) {
  const FormulaOperator& found = operator_of(binary_operators(), text(token));
  const bool right_associative = found.precedence == Precedence::power;
  while (operators_.size() > frames_.back().operators) {
    const Precedence before = operators_.back().precedence;
    if (before < found.precedence || (before == found.precedence && right_associative)) break;
    if (before == Precedence::comparison && found.precedence == Precedence::comparison) {
      throw FormulaError(is_relation_ && frames_.size() == 1
                             ? "comparisons cannot be chained; write two constraints"
                             : "comparisons cannot be chained; write a < b and b < c",
                         span(token));
    }
    reduce();
  }
  operators_.push_back({found.op, found.precedence, false, token});
  previous_ = token;
}

void FormulaBuilder::open(Bracket bracket, Token token) {
  if (frames_.size() > deepest_nesting) {
    throw FormulaError(fmt::format("brackets are nested deeper than {} levels", deepest_nesting),
                       span(token));
  }
  frames_.push_back({bracket, token, operators_.size(), operands_.size()});
  previous_ = token;
}

void FormulaBuilder::comma(Token token) {
  reduce_all();
  previous_ = token;
}

void FormulaBuilder::close(Token token) {
  reduce_all();
  const Frame frame = frames_.back();
  frames_.pop_back();
  const bool indexing = frame.bracket == Bracket::index;
  const std::vector<Operand> inside(operands_.begin() + static_cast<std::ptrdiff_t>(frame.operands),
                                    operands_.end());
  operands_.resize(frame.operands);
  Token whole{frame.token.begin, token.end};
  if (indexing) whole.begin = operands_.back().token.begin;
  switch (frame.bracket) {
    case Bracket::call:
      operands_.push_back({called(frame, inside, span(whole)), whole});
      break;
    case Bracket::vector:
      operands_.push_back({vector_of(inside, span(whole)), whole});
      break;
    case Bracket::index:
      operands_.back() = {indexed(operands_.back(), inside, span(whole)), whole};
      break;
    default:
      operands_.push_back({inside.front().node, whole});
  }
  previous_ = token;
}

Node FormulaBuilder::finish() {
  reduce_all();
  return operands_.back().node;
}

Relation FormulaBuilder::finish_relation() {
  while (operators_.size() > 1) reduce();
  if (operators_.empty() || operators_[0].precedence != Precedence::comparison) {
    throw FormulaError("expected one comparison, as in formula <= formula (or >=, ==)",
                       span({0, static_cast<Index>(text_.size())}));
  }
  return {operands_[0].node, operands_[1].node, operators_[0].op, span(operators_[0].token)};
}

void FormulaBuilder::reduce_all() {
  while (operators_.size() > frames_.back().operators) reduce();
}

void FormulaBuilder::reduce() {
  const Operator top = operators_.back();
  operators_.pop_back();
  const Operand right = operands_.back();
  operands_.pop_back();
  if (top.is_prefix) {
    const Token whole{top.token.begin, right.token.end};
    const Node node = top.op == Op::add
                          ? right.node
                          : graph_.apply(top.op, std::span(&right.node, 1), span(whole));
    operands_.push_back({node, whole});
    return;
  }
  const Operand left = operands_.back();
  const Token whole{left.token.begin, right.token.end};
  operands_.back() = {infix(top.op, left, right, span(whole)), whole};
}

Token FormulaBuilder::found(Index at) const {
  const auto begin = static_cast<std::size_t>(at);
  std::size_t end = begin;
  if (begin == text_.size()) return {at, at};
  if (is_word(text_[begin])) {
    while (end < text_.size() && is_word(text_[end])) ++end;
  } else {
    do ++end;  // and the rest of a character of several bytes
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0) == 0x80);
  }
  return {at, static_cast<Index>(end)};
}

std::string FormulaBuilder::described(Token token) const {
  return token.begin == token.end ? "end of formula" : fmt::format("'{}'", text(token));
}

std::string FormulaBuilder::after_previous() const {
  return previous_.end == 0 ? "" : fmt::format(" after '{}'", text(previous_));
}

void FormulaBuilder::expected_operand(Index at) const {
  const Token next = found(at);
  if (previous_.end == 0 && next.begin == next.end) {
    throw FormulaError("the formula is empty", span(next));
  }
  std::string message = fmt::format("expected a number, a name or '('{}, found {}",
                                    after_previous(), described(next));
  if (text(previous_) == "*" && text(next) == "*") message += "; write ^ for a power";
  throw FormulaError(message, span(next));
}

void FormulaBuilder::expected_close(Index at) const {
  const Frame& frame = frames_.back();
  const bool round = frame.bracket == Bracket::group || frame.bracket == Bracket::call;
  const Token next = found(at);
  if (next.begin == next.end) {
    throw FormulaError(fmt::format("'{}' is never closed", round ? '(' : '['),
                       span({frame.token.end - 1, frame.token.end}));
  }
  const std::string_view list = frame.bracket == Bracket::group ? "" : ", ','";
  throw FormulaError(fmt::format("expected an operator{} or '{}'{}, found {}", list,
                                 round ? ')' : ']', after_previous(), described(next)),
                     span(next));
}

void FormulaBuilder::expected_end(Index at) const {
  const Token next = found(at);
  const std::string symbol = text(next);
  if (symbol == ")" || symbol == "]") {
    throw FormulaError(fmt::format("'{}' was never opened", symbol), span(next));
  }
  std::string message = fmt::format("expected an operator{}, found '{}'", after_previous(), symbol);
  if (symbol == "=") message += "; write == to compare";
  if (symbol == "(" || is_word(symbol[0])) message += "; write * for a product";
  throw FormulaError(message, span(next));
}

}  // namespace chaosgrad::internal
