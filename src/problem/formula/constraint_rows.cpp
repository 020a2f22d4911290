#include "problem/formula/constraint_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "expression/convexity/curvature.h"
#include "expression/graph/ranges.h"
#include "expression/graph/replace.h"
#include "problem/formula/case_rows.h"
#include "problem/formula/constraint_checks.h"
#include "problem/formula/formula_constraints.h"
#include "problem/formula/formula_domain.h"
#include "problem/formula/row_pieces.h"

namespace chaosgrad::internal {
namespace {

// The sign of a text that stands for no bound.
int infinite_sign(const std::string& text) {
  return text == "inf" || text == "+inf" ? 1 : text == "-inf" ? -1 : 0;
}

void require_independent(const Graph& graph, Node node, std::initializer_list<int> slots,
                         const std::string& message, SourceSpan span) {
  for (const int slot : slots) {
    if (graph.depends_on(node, slot)) throw FormulaError(message, span);
  }
}

class BoundReader {
 public:
  BoundReader(FormulaData& data, const Scope& names, const VariableSpec& variable, Index first)
      : data_(data), names_(names), variable_(variable), first_(first) {}

  void read(bool is_lower, std::vector<BoundNode>& bounds) const {
    const std::vector<FormulaText>& texts = is_lower ? variable_.lower : variable_.upper;
    const char* key = is_lower ? "lower" : "upper";
    const Index size = variable_.start.size(), count = static_cast<Index>(texts.size());
    if (count == 0) return;
    BoundNode bound{first_, size, {}};
    for (const FormulaText& text : texts) bound.spans.push_back(span_of(text));
    if (count == 1) {
      bound.value = number(texts[0], is_lower);
      const Index found = data_.graph.shape(bound.value).size();
      if (found != 1 && found != size) fail_size(key, found, span_of(texts[0]));
    } else {
      if (count != size) fail_size(key, count, span_of(texts[0]));
      std::vector<Node> parts;
      for (const FormulaText& text : texts) {
        parts.push_back(number(text, is_lower));
        if (!data_.graph.shape(parts.back()).is_scalar())
          throw FormulaError("expected a number for each component", span_of(text));
      }
      bound.value = data_.graph.apply(Op::stack, parts);
    }
    bounds.push_back(bound);
  }

 private:
  [[noreturn]] void fail_size(const char* key, Index found, SourceSpan span) const {
    throw FormulaError(fmt::format("'{}' has {} components, its {} bound has {}", variable_.name,
                                   variable_.start.size(), key, found),
                       span);
  }

  Node number(const FormulaText& text, bool is_lower) const {
    if (const int sign = infinite_sign(text.text)) {
      if ((sign > 0) == is_lower) {
        throw FormulaError(fmt::format("no number is {} {}", is_lower ? "above" : "below",
                                       sign > 0 ? "inf" : "-inf"),
                           span_of(text));
      }
      return data_.graph.constant(sign * infinity);
    }
    const Node node = parse(data_.graph, text.text, names_, text.id);
    require_independent(data_.graph, node, {slot_x},
                        "a bound may not depend on the variables: write a constraint in "
                        "[constraints] instead",
                        span_of(text));
    require_independent(data_.graph, node, {slot_noise, slot_table},
                        "a bound may depend on the parameters, not on the noise", span_of(text));
    return node;
  }

  FormulaData& data_;
  const Scope& names_;
  const VariableSpec& variable_;
  Index first_;
};

// How low or high a bound gets over all θ, a number per component; the start is moved to where all
// of them leave it, as far as that is known.
void find_widest_bounds(FormulaData& data) {
  data.least_x = Vector::Constant(data.dimension, -infinity);
  data.most_x = Vector::Constant(data.dimension, infinity);
  Vector least = data.least_x, most = data.most_x;
  Node last;
  for (const auto* bounds : {&data.lower, &data.upper}) {
    for (const BoundNode& bound : *bounds) last.id = std::max(last.id, bound.value.id);
  }
  if (last.id < 0) return;
  const std::vector<Range> ranges = find_ranges(
      data.graph, last,
      [&](int slot, Index column, Index count) { return input_range(data, slot, column, count); });
  const auto note = [&](const BoundNode& bound, Vector& low, Vector& high) {
    const Range& range = ranges[static_cast<std::size_t>(bound.value.id)];
    const auto value = data.graph.constant_value(bound.value);
    for (Index i = 0; i < bound.count; ++i) {
      const double constant = value ? value->data()[value->size() == 1 ? 0 : i] : 0;
      low(bound.first + i) = value ? constant : range.lower;
      high(bound.first + i) = value ? constant : range.upper;
    }
  };
  for (const BoundNode& bound : data.lower) note(bound, data.least_x, least);
  for (const BoundNode& bound : data.upper) note(bound, most, data.most_x);
  Vector& start = data.facts.start;
  for (Index j = 0; j < data.dimension; ++j) {
    if (std::isfinite(least(j)) && least(j) <= most(j)) start(j) = std::max(start(j), least(j));
    if (std::isfinite(most(j)) && least(j) <= most(j)) start(j) = std::min(start(j), most(j));
  }
}

RowNodes read_constraint(FormulaData& data, const std::string& name, const FormulaText& text,
                         const Scope& names) {
  Graph& graph = data.graph;
  const Relation relation = parse_relation(graph, text.text, names, text.id);
  if (relation.op == Op::less || relation.op == Op::greater) {
    throw FormulaError(
        fmt::format("constraints hold with their limits: write {}= instead of {}",
                    relation.op == Op::less ? "<" : ">", relation.op == Op::less ? "<" : ">"),
        relation.sign);
  }
  if (relation.op == Op::not_equal) {
    throw FormulaError("expected <=, >= or ==, found !=", relation.sign);
  }
  const bool above = relation.op == Op::greater_equal, equal = relation.op == Op::equal;
  RowNodes row;
  row.span = span_of(text);
  row.value = graph.apply(
      Op::subtract,
      above ? std::array{relation.right, relation.left} : std::array{relation.left, relation.right},
      row.span);
  require_independent(graph, row.value, {slot_noise, slot_table},
                      "a constraint holds for the variables and parameters; it may not depend on "
                      "the noise",
                      row.span);
  if (!graph.depends_on(row.value, slot_x))
    throw FormulaError("'" + name + "' does not depend on the variables", row.span);
  if (!equal) row.value = smooth_pieces(data, row.value, name, row.span);
  row.least = graph.constant(equal ? -infinity : 0);
  row.most = graph.constant(infinity);
  const Shape shape = graph.shape(row.value);
  row.what.name = name;
  row.what.kind = equal ? Constraint::Kind::equality : Constraint::Kind::inequality;
  row.what.count = shape.size();
  row.what.is_list = !shape.is_scalar();
  return row;
}

// The names of the bounds, in the order of the variables: "w.lower", "w.upper".
std::vector<Constraint> named_bounds(const FormulaSpec& spec) {
  std::vector<Constraint> list;
  Index first = 0;
  for (const VariableSpec& variable : spec.variables) {
    const auto add = [&](const char* key, Constraint::Kind kind, bool given) {
      if (!given) return;
      list.push_back({.name = variable.name + "." + key,
                      .kind = kind,
                      .first = first,
                      .count = variable.start.size(),
                      .is_list = variable.is_vector});
    };
    add("lower", Constraint::Kind::lower, !variable.lower.empty());
    add("upper", Constraint::Kind::upper, !variable.upper.empty());
    first += variable.start.size();
  }
  return list;
}

}  // namespace

void add_bounds(FormulaData& data, const FormulaSpec& spec, const Scope& names) {
  Index first = 0;
  for (const VariableSpec& variable : spec.variables) {
    const BoundReader reader(data, names, variable, first);
    reader.read(true, data.lower);
    reader.read(false, data.upper);
    first += variable.start.size();
  }
  find_widest_bounds(data);
}

void add_constraints(FormulaData& data, const FormulaSpec& spec, const Scope& names) {
  if (spec.constraints.empty()) return;
  std::vector<Node> nodes;
  for (const auto& [name, text] : spec.constraints) {
    data.row_nodes.push_back(read_constraint(data, name, text, names));
    nodes.push_back(data.row_nodes.back().value);
  }
  const std::vector<Curvature> curvatures = find_curvatures(
      data.graph, nodes, slot_x,
      [&](int slot, Index column, Index count) { return input_range(data, slot, column, count); });
  for (RowNodes& row : data.row_nodes)
    row.is_convex = is_convex(curvatures[static_cast<std::size_t>(row.value.id)]);
}

void compile_constraints(FormulaData& data, const FormulaSpec& spec) {
  if (data.lower.empty() && data.upper.empty() && data.row_nodes.empty()) return;
  ConstraintFormulas formulas;
  const auto copied = [&](Node node) {
    return copy_nodes(data.graph, std::array{node}, formulas.graph)[0];
  };
  for (const Node variable : data.variables) formulas.variables.push_back(copied(variable));
  for (const BoundNode& bound : data.lower)
    formulas.lower.push_back({bound.first, bound.count, copied(bound.value)});
  for (const BoundNode& bound : data.upper)
    formulas.upper.push_back({bound.first, bound.count, copied(bound.value)});
  formulas.bounds = named_bounds(spec);
  Index first = 0;
  for (RowNodes& row : data.row_nodes) {
    row.what.first = first;
    if (row.case_weights.size() > 0) {
      first += add_case_rows(data, row, first, formulas);
      continue;
    }
    first += row.what.count;
    formulas.rows.push_back({row.what, copied(row.value), copied(row.least), copied(row.most)});
  }
  auto constraints = std::make_shared<const FormulaConstraints>(std::move(formulas));
  for (RowNodes& row : data.row_nodes) {
    const auto found = std::ranges::find_if(constraints->list(), [&](const Constraint& one) {
      return one.name == row.what.name && one.kind == row.what.kind && one.first == row.what.first;
    });
    row.what.affine = found->affine;
  }
  data.facts.constraints = std::move(constraints);
  check_equalities(data);
}

}  // namespace chaosgrad::internal
