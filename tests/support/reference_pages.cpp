// Prints docs/file.md or docs/formulas.md from the tables that the program reads:
//   reference_pages file | formulas | examples
// `examples` prints the examples of the sections as one problem file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "expression/formula/functions.h"
#include "io/describe.h"
#include "io/problem_file/file_table.h"
#include "measure/distribution_table.h"
#include "problem/coded/builtin.h"
#include "solution/statistics/statistic_table.h"
#include "solve/common/option_table.h"
#include "solve/common/statuses.h"

namespace {

using namespace chaosgrad;
using namespace chaosgrad::internal;

constexpr std::size_t columns = 100;

constexpr const char* origin =
    "This page is written by `scripts/write-reference` from the tables that the program reads; "
    "`tests/io/reference_test.py` fails when they differ.";

// Characters, not bytes.
std::size_t width(const std::string& text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  return count;
}

// The first space from `begin` on that is not inside backquotes.
std::size_t end_of_word(const std::string& text, std::size_t begin) {
  bool code = false;
  std::size_t end = begin;
  for (; end < text.size() && (code || text[end] != ' '); ++end) {
    if (text[end] == '`') code = !code;
  }
  return end;
}

// Words in lines of at most `columns` characters; lines but the first begin with `indent`. Code in
// backquotes is one word.
std::string wrapped(const std::string& text, const std::string& indent) {
  std::string result, line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = end_of_word(text, begin);
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && line != indent && width(line) + 1 + width(word) > columns) {
      result += line + "\n";
      line = indent;
    }
    line += (line.empty() || line == indent ? "" : " ") + word;
    begin = end + 1;
  }
  return result + line + "\n";
}

std::string paragraph(const std::string& text) { return wrapped(text, "") + "\n"; }
std::string item(const std::string& text) { return wrapped("- " + text, "  "); }
std::string heading(int level, const std::string& text) {
  return std::string(static_cast<std::size_t>(level), '#') + " " + text + "\n\n";
}
std::string code_block(std::string_view text) { return fmt::format("```toml\n{}\n```\n\n", text); }
std::string code(std::string_view text) { return fmt::format("`{}`", text); }

std::string rule_text(const DistributionArgument& argument) {
  const std::string_view words = in_words(argument.rule);
  std::string text = code(argument.key);
  if (argument.fallback) text += fmt::format(" = {}", *argument.fallback);
  if (!words.empty()) text += fmt::format(" ({})", words);
  return text;
}

std::string distributions() {
  std::string text = heading(3, "Distributions");
  text += paragraph(
      "`distribution` is one of these. Arguments with a value here may be left out; so may the "
      "weights of `discrete`.");
  for (const DistributionEntry& entry : distribution_table()) {
    std::vector<std::string> arguments;
    for (const DistributionArgument& argument : entry.arguments)
      arguments.push_back(rule_text(argument));
    text += item(fmt::format("{} with {}: {}.", code(entry.name), fmt::join(arguments, ", "),
                             entry.meaning));
  }
  return text + "\n";
}

std::string bases() {
  std::string text = heading(3, "Bases");
  for (const BasisChoice& choice : basis_choices()) {
    const std::string needs =
        choice.logarithmic ? fmt::format(" ({} only)", names_with_logarithm()) : "";
    text += item(fmt::format("`\"{}\"`: {}{}.", choice.name, choice.meaning, needs));
  }
  return text + "\n";
}

std::string builtin_problems() {
  std::string text = heading(3, "Built-in problems");
  text += paragraph(
      "They bring the sections marked above themselves. More in [problems.md](problems.md).");
  for (const Builtin& builtin : builtins()) {
    std::vector<std::string> options;
    for (const BuiltinOption& option : builtin.options)
      options.push_back(
          fmt::format("`{} = {}` ({})", option.name, option.otherwise, option.meaning));
    text += item(fmt::format("{}: {}. Options: {}.", code(builtin.name), builtin.summary,
                             fmt::join(options, ", ")));
  }
  return text + "\n";
}

std::string methods_text(const MethodSet& set) {
  std::vector<std::string_view> names;
  for (const MethodEntry& entry : method_table()) {
    if (set.contains(entry.method)) names.push_back(entry.name);
  }
  return names.size() == method_table().size() ? "all" : fmt::format("{}", fmt::join(names, ", "));
}

std::string default_text(const OptionEntry& entry) {
  if (entry.defaults.empty()) {
    const auto defaults = nlohmann::json::parse(describe(Options{}));
    return code(defaults[std::string(entry.key)].dump());
  }
  std::vector<std::string> parts;
  for (const MethodDefault& value : entry.defaults) {
    const std::string users = methods_text(value.methods);
    const bool is_formula =
        std::holds_alternative<std::optional<Schedule> Options::*>(entry.member);
    const std::string shown = is_formula ? code(value.value) : std::string(value.value);
    const bool everyone = users.empty() || users == methods_text(entry.users);
    parts.push_back(everyone ? shown : fmt::format("{} for {}", shown, users));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

struct TypeText {
  std::string operator()(double Options::*) const { return "number"; }
  std::string operator()(std::optional<double> Options::*) const { return "number"; }
  std::string operator()(bool Options::*) const { return "true or false"; }
  std::string operator()(std::optional<Schedule> Options::*) const { return "formula"; }
  std::string operator()(const ChoiceMember&) const { return "word"; }
  std::string operator()(const IndexSetMember&) const { return "word or list"; }
  std::string operator()(const IndexWeightsMember&) const { return "list of numbers"; }
  template <class Number>
  requires std::is_integral_v<Number> std::string operator()(Number Options::*) const {
    return "whole number";
  }
};

std::string choices_text(const OptionEntry& entry) {
  const std::vector<OptionChoice>* choices = nullptr;
  if (const auto* member = std::get_if<ChoiceMember>(&entry.member)) choices = &member->choices;
  if (const auto* member = std::get_if<IndexSetMember>(&entry.member)) choices = &member->choices;
  if (!choices || entry.key == "method") return "";
  std::vector<std::string> parts;
  for (const OptionChoice& choice : *choices) {
    parts.push_back(choice.meaning.empty()
                        ? fmt::format("`\"{}\"`", choice.name)
                        : fmt::format("`\"{}\"` ({})", choice.name, choice.meaning));
  }
  return fmt::format(": {}", fmt::join(parts, ", "));
}

std::string options() {
  std::string text = paragraph(
      "Formulas may use `k` (iteration, from 1), `m` (basis size), `M` (samples), `Q` (sup Σ ψ²), "
      "`mu`, `L` (curvature), `V`, `VG` (noise). An option that the method does not use is noted "
      "in the result.");
  for (const OptionEntry& entry : option_table()) {
    const std::string_view range = in_words(entry.range);
    text += item(fmt::format("{} ({}, default {}{}{}; used by {}): {}{}.", code(entry.key),
                             std::visit(TypeText{}, entry.member), default_text(entry),
                             range.empty() ? "" : ", ", range, methods_text(entry.users),
                             entry.meaning, choices_text(entry)));
  }
  text += "\n";
  text += heading(3, "Methods");
  for (const MethodEntry& entry : method_table())
    text +=
        item(fmt::format("`\"{}\"`: {}. It ends {}.", entry.name, entry.summary, entry.promise));
  text += "\n";
  text += heading(3, "How a run ends");
  text += paragraph(
      "The `status` of a result, the exit code of the program, and what the expansion is then.");
  const auto exit_code = [](Outcome outcome) {
    return outcome == Outcome::done ? 0 : outcome == Outcome::stopped ? 1 : 3;
  };
  for (const StatusEntry& entry : status_table()) {
    text += item(fmt::format("{} ({}): {}. The expansion is {}.", code(entry.name),
                             exit_code(entry.outcome), entry.meaning, entry.fields));
  }
  return text + "\n";
}

std::string statistics_text() {
  std::string text = heading(2, "Statistics");
  text += paragraph(
      "What `chaosgrad stats` gives for every component of the variables and every quantity, each "
      "with an error bar. The names are those of `--json`.");
  for (const StatisticEntry& entry : statistic_table()) {
    const std::string name =
        entry.group.empty() ? code(entry.key) : fmt::format("`{}.{}`", entry.group, entry.key);
    text += item(fmt::format("{}: {}.", name, entry.meaning));
  }
  return text;
}

std::string section_text(const FileSection& section) {
  std::string text;
  text +=
      heading(2, section.name.empty()                     ? "At the top"
                 : section.name == "objective (built-in)" ? "`[objective]` with a built-in problem"
                 : section.name == "objective (model)"    ? "`[objective]` with a model"
                                                          : fmt::format("`[{}]`", section.name));
  text += paragraph(std::string(section.meaning) +
                    (section.replaced_by_builtin ? " (A built-in problem brings its own.)" : ""));
  text += code_block(section.example);
  if (!section.entries.empty()) {
    text +=
        paragraph(fmt::format("`NAME` = {}{}", section.entries, section.keys.empty() ? "." : ":"));
  }
  for (const FileKey& key : section.keys) {
    const std::string fallback =
        key.fallback == "required" ? "required" : fmt::format("default {}", key.fallback);
    text += item(fmt::format("{} ({}, {}): {}.", code(key.key), key.type, fallback, key.meaning));
  }
  if (!section.keys.empty()) text += "\n";
  return text;
}

std::string file_page() {
  std::string text = heading(1, "The problem file");
  text += paragraph(
      "A problem is a TOML file with the sections below. Every key is here, with its type, its "
      "default and its meaning; formulas are explained in [formulas.md](formulas.md). A key that "
      "is not known is an error, told with its place.");
  text += paragraph(origin);
  for (const FileSection& section : file_table()) {
    text += section_text(section);
    if (section.name == "parameters") text += distributions() + bases();
    if (section.name == "objective (built-in)") text += builtin_problems();
    if (section.name == "solve") text += options();
  }
  return text + statistics_text();
}

std::string example_text(const FormulaExample& example) {
  return fmt::format("`{}` = `{}`", example.formula, example.value);
}

std::string formulas_page() {
  std::string text = heading(1, "Formulas");
  text += paragraph(
      "Formulas are texts such as `\"mu/2*(x - s)^2 + v*x\"`. They are made of numbers (`1`, "
      "`2.5e-3`, `10_000`), names (of parameters, noise, constants, definitions and variables; "
      "`pi`), the operators and functions below, and parentheses. `[a, b, c]` is a vector, a "
      "vector of vectors the rows of a matrix; `x[0]` is the first component of a vector, `A[0, "
      "1]` an entry of a matrix. Functions of numbers and comparisons work on each component.");
  text += paragraph(origin);
  text += heading(2, "Operators");
  text += paragraph("From those that bind strongest to the weakest; in front of one operand:");
  for (int level = static_cast<int>(Precedence::power); level >= 0; --level) {
    for (const FormulaOperator& entry : prefix_operators()) {
      if (static_cast<int>(entry.precedence) == level)
        text += item(fmt::format("`{} a`: {}. {}", entry.symbol, entry.meaning,
                                 example_text(entry.example)));
    }
  }
  text += "\n";
  text += paragraph("Between two:");
  for (int level = static_cast<int>(Precedence::power); level >= 0; --level) {
    for (const FormulaOperator& entry : binary_operators()) {
      if (static_cast<int>(entry.precedence) == level)
        text += item(fmt::format("`a {} b`: {}. {}", entry.symbol, entry.meaning,
                                 example_text(entry.example)));
    }
  }
  text += "\n";
  text += heading(2, "Functions");
  for (const FormulaFunction& function : formula_functions()) {
    text += item(fmt::format("{}: {}. {}", code(function.call()), function.meaning,
                             example_text(function.example)));
  }
  text += heading(2, "Domains");
  text += paragraph(
      "An objective has a domain in x: `log(w)` needs w > 0, `sqrt(w)` w ≥ 0, a power with an "
      "exponent that is not a whole number a basis ≥ 0 (> 0 if the exponent is negative or depends "
      "on x), `asin` and `acos` a number in [-1, 1], quantiles a level in (0, 1). A division by w, "
      "a negative power of w, `tan` and `solve` have poles, which divide the domain: it is the "
      "piece of the start, so that `4/w` started at w = 5 is not defined at w = -1. Outside of the "
      "domain value and gradient are not a number, and steps are shortened to stay inside.");
  text += paragraph(
      "The start must lie inside for every parameter and every noise, and not on the border. The "
      "branch of an `if` that is not taken need not be defined: `if(x == 0, 1, sin(x)/x)` has no "
      "pole. What is compared may be undefined, too; the comparison is false then.");
  return text;
}

std::string examples() {
  std::string text;
  for (const FileSection& section : file_table()) {
    if (section.name.find('(') == std::string_view::npos)  // the objective is a formula here
      text += std::string(section.example) + "\n";
  }
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string page = count == 2 ? arguments[1] : "";
  if (page == "file") {
    fmt::print("{}", file_page());
  } else if (page == "formulas") {
    fmt::print("{}", formulas_page());
  } else if (page == "examples") {
    fmt::print("{}", examples());
  } else {
    fmt::print(stderr, "expected one of: file, formulas, examples\n");
    return 2;
  }
  return 0;
}
