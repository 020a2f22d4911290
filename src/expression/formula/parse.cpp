#include "expression/formula/formula_builder.h"
#include "expression/formula/grammar.h"

namespace chaosgrad::internal {
namespace {

template <class Rule>
struct Action : grammar::nothing<Rule> {};

// Hands each token to the builder.
template <auto member>
struct Hand {
  template <class Input>
  static void apply(const Input& in, FormulaBuilder& builder, const char* text) {
    (builder.*member)({in.begin() - text, in.end() - text});
  }
};
template <>
struct Action<grammar::number> : Hand<&FormulaBuilder::number> {};
template <>
struct Action<grammar::name> : Hand<&FormulaBuilder::name> {};
template <>
struct Action<grammar::prefix> : Hand<&FormulaBuilder::prefix> {};
template <>
struct Action<grammar::binary> : Hand<&FormulaBuilder::binary> {};
template <>
struct Action<grammar::open_group> : Hand<&FormulaBuilder::open_group> {};
template <>
struct Action<grammar::open_call> : Hand<&FormulaBuilder::open_call> {};
template <>
struct Action<grammar::open_vector> : Hand<&FormulaBuilder::open_vector> {};
template <>
struct Action<grammar::open_index> : Hand<&FormulaBuilder::open_index> {};
template <>
struct Action<grammar::comma> : Hand<&FormulaBuilder::comma> {};
template <>
struct Action<grammar::close_round> : Hand<&FormulaBuilder::close> {};
template <>
struct Action<grammar::close_square> : Hand<&FormulaBuilder::close> {};

// Where a rule was needed and does not match, the builder says so.
template <class Rule>
struct Control : grammar::normal<Rule> {
  template <class Input>
  [[noreturn]] static void raise(const Input& in, FormulaBuilder& builder, const char* text) {
    const Index at = in.current() - text;
    if constexpr (std::is_same_v<Rule, grammar::primary>) builder.expected_operand(at);
    if constexpr (std::is_same_v<Rule, grammar::eof>) builder.expected_end(at);
    builder.expected_close(at);
  }
};

}  // namespace

namespace {

void read_tokens(std::string_view text, FormulaBuilder& builder) {
  grammar::memory_input<grammar::tracking_mode::lazy> input(text.data(), text.data() + text.size(),
                                                            "formula");
  grammar::parse<grammar::formula, Action, Control>(input, builder, text.data());
}

}  // namespace

Node parse(Graph& graph, std::string_view text, const Scope& names, int text_id) {
  FormulaBuilder builder(graph, text, names, text_id);
  read_tokens(text, builder);
  return builder.finish();
}

Relation parse_relation(Graph& graph, std::string_view text, const Scope& names, int text_id) {
  FormulaBuilder builder(graph, text, names, text_id, true);
  read_tokens(text, builder);
  return builder.finish_relation();
}

}  // namespace chaosgrad::internal
