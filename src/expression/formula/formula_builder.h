#pragma once
// Turns the tokens of a formula into nodes: operator precedence, names, calls, indexing, and the
// messages for what is wrong.
#include "expression/formula/functions.h"
#include "expression/graph/graph_data.h"

namespace chaosgrad::internal {

// A piece of the text being read.
struct Token {
  Index begin = 0, end = 0;
};

// A piece of the text and its meaning.
struct Operand {
  Node node;
  Token token;
};

class FormulaBuilder {
 public:
  FormulaBuilder(Graph& graph, std::string_view text, const Scope& names, int text_id,
                 bool is_relation = false)
      : graph_(graph),
        text_(text),
        names_(names),
        text_id_(text_id),
        is_relation_(is_relation),
        frames_(1) {}

  // The tokens, in order.
  void number(Token token);
  void name(Token token);
  void prefix(Token token);
  void binary(Token token);
  void open_group(Token token) { open(Bracket::group, token); }
  void open_call(Token token) { open(Bracket::call, token); }
  void open_vector(Token token) { open(Bracket::vector, token); }
  void open_index(Token token) { open(Bracket::index, token); }
  void comma(Token token);
  void close(Token token);
  Node finish();
  Relation finish_relation();  // of a text that is one comparison

  // What the grammar missed at byte `at`.
  [[noreturn]] void expected_operand(Index at) const;
  [[noreturn]] void expected_close(Index at) const;
  [[noreturn]] void expected_end(Index at) const;

 private:
  enum class Bracket { none, group, call, vector, index };
  struct Operator {
    Op op;
    Precedence precedence;
    bool is_prefix;
    Token token;
  };
  // An open bracket, and where its operators and operands start.
  struct Frame {
    Bracket bracket = Bracket::none;
    Token token;
    std::size_t operators = 0, operands = 0;
  };

  void open(Bracket bracket, Token token);
  void reduce_all();  // down to the open bracket
  void reduce();
  Node infix(Op op, const Operand& left, const Operand& right, SourceSpan span) const;
  Node called(const Frame& frame, std::span<const Operand> arguments, SourceSpan span) const;
  Node vector_of(std::span<const Operand> elements, SourceSpan span) const;
  Node indexed(const Operand& vector, std::span<const Operand> indices, SourceSpan span) const;
  Node identity(const Operand& size) const;
  Index constant_index(const Operand& index) const;
  [[noreturn]] void unknown_function(const std::string& name, Token token) const;

  std::string text(Token token) const {
    return std::string(text_.substr(static_cast<std::size_t>(token.begin),
                                    static_cast<std::size_t>(token.end - token.begin)));
  }
  SourceSpan span(Token token) const { return {text_id_, token.begin, token.end}; }
  Token found(Index at) const;               // the token that starts at byte `at`
  std::string described(Token token) const;  // "'abc'" or "end of formula"
  std::string after_previous() const;        // " after '*'", or nothing at the start

  Graph& graph_;
  std::string_view text_;
  const Scope& names_;
  int text_id_;
  bool is_relation_;
  Token previous_;
  std::vector<Operand> operands_;
  std::vector<Operator> operators_;
  std::vector<Frame> frames_;
};

// "; did you mean 'theta'?", or "; known names: …" if they are few, or nothing.
[[nodiscard]] std::string suggestion(std::string_view name, std::span<const std::string> candidates,
                                     std::string_view kind);

}  // namespace chaosgrad::internal
