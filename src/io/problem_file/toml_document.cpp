#include "io/problem_file/toml_document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "chaosgrad/error.h"

#include "expression/expression.h"

namespace chaosgrad::internal {
namespace {

std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

Place place_from(const toml::source_region& region, const std::string& name) {
  return {region.path ? *region.path : name, static_cast<Index>(region.begin.line),
          static_cast<Index>(region.begin.column)};
}

toml::table parse_toml(std::string_view text, const std::string& name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw PlacedError(place_from(error.source(), name), std::string(error.description()), text);
  }
}

// Moves `from` into `into`, table by table. (A copied node would forget its place.)
void merge(toml::table& into, toml::table&& from) {
  for (auto&& [key, value] : from) {
    toml::table* inner = into[key].as_table();
    if (inner && value.is_table()) {
      merge(*inner, std::move(*value.as_table()));
    } else {
      into.insert_or_assign(key, std::move(value));
    }
  }
}

}  // namespace

TomlDocument::TomlDocument(const ProblemSource& source)
    : name_(source.name), text_(source.text), root_(parse_toml(source.text, source.name)) {
  for (const std::string& assignment : source.overrides) apply_override(assignment);
}

void TomlDocument::apply_override(const std::string& assignment) {
  const std::string name = "--set " + assignment;
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw PlacedError({name, 0, 0}, "expected KEY=VALUE, such as solve.seed=7");
  }
  const std::string key = assignment.substr(0, equals), value = assignment.substr(equals + 1);
  std::string text = key + " = " + value;
  toml::table parsed;
  try {
    parsed = toml::parse(text, name);
  } catch (const toml::parse_error&) {
    // A bare word is a string; what is not even that is an error of the key.
    text = fmt::format("{} = '''{}'''", key, value);
    parsed = parse_toml(text, name);
  }
  override_texts_.emplace_back(name, text);
  merge(root_, std::move(parsed));
}

std::string_view TomlDocument::text_of(const std::string& file) const {
  if (file == name_) return text_;
  for (const auto& [name, text] : override_texts_) {
    if (name == file) return text;
  }
  return {};
}

Place TomlDocument::place(const toml::node& node) const { return place_from(node.source(), name_); }

void TomlDocument::fail(const Place& place, const std::string& message) const {
  throw PlacedError(place, message, text_of(place.file));
}

void TomlDocument::fail(const toml::node& node, const std::string& message) const {
  fail(place(node), message);
}

void TomlDocument::fail(const FormulaError& error) const {
  const SourceSpan span = error.span();
  if (span.text < 0) throw PlacedError({name_, 0, 0}, error.what());
  const toml::node& node = *formulas_[static_cast<std::size_t>(span.text)];
  const Place begin = place(node);
  const std::string_view text = text_of(begin.file);
  if (!node.is_string() || text.empty()) fail(begin, error.what());
  // The formula begins behind its quotes; a line break right behind triple quotes does not belong
  // to it.
  std::size_t offset = offset_of(text, begin);
  const std::string_view rest = text.substr(offset);
  const bool triple = rest.starts_with("\"\"\"") || rest.starts_with("'''");
  offset += triple ? 3 : 1;
  if (triple && text.substr(offset).starts_with("\n")) ++offset;
  const auto [found_begin, found_end] =
      std::pair(static_cast<std::size_t>(span.begin), static_cast<std::size_t>(span.end));
  const std::string formula = **node.as_string();
  std::string message = error.what();
  // The part that is wrong, unless it is all of the formula or the message quotes it already.
  if (found_end > found_begin && found_end <= formula.size() &&
      found_end - found_begin < formula.size()) {
    const std::string part = "'" + formula.substr(found_begin, found_end - found_begin) + "'";
    if (message.find(part) == std::string::npos) message += ", in " + part;
  }
  fail(place_of(text, offset + found_begin, begin.file), message);
}

void TomlDocument::fail(const InputError& error) const {
  // The field is a path into the document; as far as it exists, it leads to the place.
  const toml::node* node = nullptr;
  const toml::table* inner = &root_;
  std::string_view path = error.field();
  Place where{name_, 0, 0};
  while (inner && !path.empty()) {
    const std::string_view key = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), key.size() + 1));
    node = inner->get(key);
    if (!node) break;
    if (node->source().begin) where = place(*node);
    inner = node->as_table();
  }
  fail(where, fmt::format("{}: {}", error.field(), error.message()));
}

std::vector<TomlDocument::Entry> TomlDocument::entries(const toml::table& table) const {
  std::vector<Entry> result;
  for (const auto& [key, value] : table) {
    result.push_back({std::string(key.str()), &value, place_from(key.source(), name_)});
  }
  std::stable_sort(result.begin(), result.end(), [&](const Entry& a, const Entry& b) {
    const bool a_set = a.place.file != name_, b_set = b.place.file != name_;  // overrides come last
    return std::tuple(a_set, a.place.line, a.place.column) <
           std::tuple(b_set, b.place.line, b.place.column);
  });
  return result;
}

void TomlDocument::require_keys(const toml::table& table, std::string_view section,
                                const std::vector<std::string>& allowed) const {
  for (const Entry& entry : entries(table)) {
    if (std::find(allowed.begin(), allowed.end(), entry.key) != allowed.end()) continue;
    const auto near = nearest_name(entry.key, allowed);
    fail(entry.place,
         fmt::format("unknown key '{}' in {}; {}", entry.key, section,
                     near ? fmt::format("did you mean '{}'?", *near)
                          : fmt::format("expected one of: {}", fmt::join(allowed, ", "))));
  }
}

const toml::table& TomlDocument::table(const toml::node& node, std::string_view what) const {
  if (const toml::table* value = node.as_table()) return *value;
  fail(node, fmt::format("{}: expected a table {{ … }}, found {}", what, type_name(node)));
}

const toml::table* TomlDocument::section(std::string_view name) const {
  const toml::node* node = root_.get(name);
  return node ? &table(*node, name) : nullptr;
}

std::string TomlDocument::string(const toml::node& node, std::string_view what) const {
  if (const auto* value = node.as_string()) return value->get();
  fail(node, fmt::format("{}: expected a string, found {}", what, type_name(node)));
}

bool TomlDocument::boolean(const toml::node& node, std::string_view what) const {
  if (const auto* value = node.as_boolean()) return value->get();
  fail(node, fmt::format("{}: expected true or false, found {}", what, type_name(node)));
}

Index TomlDocument::integer(const toml::node& node, std::string_view what) const {
  if (const auto* value = node.as_integer()) return static_cast<Index>(value->get());
  if (const auto* value = node.as_floating_point();
      value && value->get() == std::floor(value->get()) && std::abs(value->get()) < 9e15) {
    return static_cast<Index>(value->get());  // 1e6
  }
  fail(node, fmt::format("{}: expected a whole number, found {}", what, type_name(node)));
}

double TomlDocument::number(const toml::node& node, std::string_view what) const {
  const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
  if (value && std::isfinite(*value)) return *value;
  fail(node, fmt::format("{}: expected a number, found {}", what,
                         value ? "one that is not finite" : type_name(node)));
}

const toml::array& TomlDocument::array(const toml::node& node, std::string_view what) const {
  if (const toml::array* value = node.as_array()) return *value;
  fail(node, fmt::format("{}: expected an array [ … ], found {}", what, type_name(node)));
}

std::vector<double> TomlDocument::numbers(const toml::node& node, std::string_view what) const {
  std::vector<double> result;
  for (const toml::node& element : array(node, what)) result.push_back(number(element, what));
  return result;
}

std::vector<std::string> TomlDocument::strings(const toml::node& node,
                                               std::string_view what) const {
  std::vector<std::string> result;
  for (const toml::node& element : array(node, what)) result.push_back(string(element, what));
  return result;
}

Matrix TomlDocument::matrix(const toml::node& node, std::string_view what) const {
  if (node.is_number()) return Matrix::Constant(1, 1, number(node, what));
  const toml::array& outer = array(node, what);
  if (outer.empty()) fail(node, fmt::format("{}: expected numbers, found an empty array", what));
  if (!outer[0].is_array()) {
    const std::vector<double> column = numbers(node, what);
    return Eigen::Map<const Vector>(column.data(), static_cast<Index>(column.size()));
  }
  Matrix result;
  for (std::size_t i = 0; i < outer.size(); ++i) {
    const std::vector<double> row = numbers(outer[i], what);
    if (i == 0) result.resize(static_cast<Index>(outer.size()), static_cast<Index>(row.size()));
    if (row.empty() || static_cast<Index>(row.size()) != result.cols()) {
      fail(outer[i], fmt::format("{}: expected a row of {} numbers, found {}", what, result.cols(),
                                 row.size()));
    }
    result.row(static_cast<Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXd>(row.data(), result.cols());
  }
  return result;
}

std::size_t TomlDocument::choice(const toml::node& node, std::string_view what,
                                 const std::vector<std::string>& choices) const {
  const std::string value = string(node, what);
  const auto found = std::find(choices.begin(), choices.end(), value);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  const auto near = nearest_name(value, choices);
  fail(node, fmt::format("{}: expected one of {}, found '{}'{}", what, fmt::join(choices, ", "),
                         value, near ? fmt::format("; did you mean '{}'?", *near) : ""));
}

FormulaText TomlDocument::formula(const toml::node& node, std::string_view what) {
  const int id = static_cast<int>(formulas_.size());
  formulas_.push_back(&node);
  if (const auto* text = node.as_string()) return {text->get(), id};
  if (const auto* integer_value = node.as_integer())
    return {fmt::format("{}", integer_value->get()), id};
  if (node.is_number()) return {fmt::format("{}", number(node, what)), id};
  fail(node, fmt::format("{}: expected a number or a formula, found {}", what, type_name(node)));
}

FormulaText TomlDocument::bound(const toml::node& node, std::string_view what) {
  const auto* value = node.as_floating_point();
  if (!value || !std::isinf(value->get())) return formula(node, what);
  formulas_.push_back(&node);
  return {value->get() > 0 ? "inf" : "-inf", static_cast<int>(formulas_.size()) - 1};
}

}  // namespace chaosgrad::internal
