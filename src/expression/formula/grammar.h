#pragma once
// The grammar of formulas. It reads tokens and brackets; which operator binds tighter is the
// business of FormulaBuilder, so only brackets nest, and a chain of operators of any length needs
// no stack.
#include <tao/pegtl.hpp>

namespace chaosgrad::internal::grammar {

using namespace tao::pegtl;

struct blanks : star<space> {};
template <class Rule>
struct token : seq<Rule, blanks> {};
template <char... letters>
struct keyword : seq<string<letters...>, not_at<identifier_other>> {};

struct digits : seq<digit, star<sor<digit, seq<one<'_'>, at<digit>>>>> {
};  // digit (digit | _ before a digit)*
struct decimal : sor<seq<digits, opt<one<'.'>, opt<digits>>>, seq<one<'.'>, digits>> {};
struct exponent : seq<one<'e', 'E'>, opt<one<'+', '-'>>, plus<digit>> {};
struct number : seq<decimal, opt<exponent>> {};

struct and_word : keyword<'a', 'n', 'd'> {};
struct or_word : keyword<'o', 'r'> {};
struct not_word : keyword<'n', 'o', 't'> {};
struct word : seq<not_at<sor<and_word, or_word, not_word>>, identifier> {};
struct name : word {};

struct unicode_minus : string<'\xE2', '\x88', '\x92'> {};
struct prefix : sor<one<'+', '-'>, unicode_minus, seq<one<'!'>, not_at<one<'='>>>, not_word> {};
struct binary : sor<string<'<', '='>, string<'>', '='>, string<'=', '='>, string<'!', '='>,
                    string<'&', '&'>, string<'|', '|'>, one<'+', '-', '*', '/', '^', '<', '>'>,
                    unicode_minus, and_word, or_word> {};

struct open_group : one<'('> {};
struct open_call : seq<word, blanks, one<'('>> {};
struct open_vector : one<'['> {};
struct open_index : one<'['> {};
struct comma : one<','> {};
struct close_round : one<')'> {};
struct close_square : one<']'> {};

struct expression;
struct list : seq<expression, star<token<comma>, expression>> {};
struct group : seq<token<open_group>, expression, must<close_round>, blanks> {};
struct call : seq<token<open_call>, sor<at<close_round>, list>, must<close_round>, blanks> {};
struct vector : seq<token<open_vector>, sor<at<close_square>, list>, must<close_square>, blanks> {};
struct index : seq<token<open_index>, list, must<close_square>, blanks> {};
struct primary : sor<token<number>, group, vector, call, token<name>> {};
struct operand : seq<star<token<prefix>>, must<primary>, star<index>> {};
struct expression : seq<operand, star<token<binary>, operand>> {};
struct formula : seq<blanks, expression, must<eof>> {};

}  // namespace chaosgrad::internal::grammar
