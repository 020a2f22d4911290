#include "problem/formula/objective_kinks.h"

#include <algorithm>
#include <array>
#include <set>

#include "expression/convexity/kink_terms.h"
#include "problem/formula/formula_domain.h"
#include "problem/formula/sample_point.h"

namespace chaosgrad::internal {
namespace {

// The table columns that nodes depend on, of noise on finitely many values and of data.
struct TableUse {
  std::set<Index> finite;
  bool rows = false;
};
TableUse table_use(const FormulaData& data, const Graph& graph, std::span<const Node> nodes) {
  TableUse use;
  for (const Node node : nodes) {
    if (node.id < 0) continue;
    for (const auto& [slot, column] : dependence(graph, node).inputs) {
      if (slot != slot_table) continue;
      if (column < static_cast<Index>(data.finite.size()))
        use.finite.insert(column);
      else
        use.rows = true;
    }
  }
  return use;
}

double case_count(const FormulaData& data, const TableUse& use) {
  double count = use.rows ? static_cast<double>(data.rows.rows()) : 1;
  for (const Index j : use.finite) {
    const auto& law = std::get<Discrete>(data.finite[static_cast<std::size_t>(j)].parameters());
    count *= static_cast<double>(law.values.size());
  }
  return count;
}

// All combinations of the values in use, with their probabilities.
void add_cases(const FormulaData& data, const TableUse& use, RowNodes& row) {
  Matrix table = Matrix::Zero(1, data.table_columns());
  Vector weights = Vector::Ones(1);
  const auto multiply = [&](Index first, const Matrix& values, const Vector& chances) {
    const Index old = table.rows(), count = values.rows();
    Matrix next(old * count, table.cols());
    Vector next_weights(old * count);
    for (Index k = 0; k < count; ++k) {
      next.middleRows(k * old, old) = table;
      next.block(k * old, first, old, values.cols()).rowwise() = values.row(k);
      next_weights.segment(k * old, old) = chances(k) * weights;
    }
    table = next;
    weights = next_weights;
  };
  for (const Index j : use.finite) {
    const auto& law = std::get<Discrete>(data.finite[static_cast<std::size_t>(j)].parameters());
    const auto count = static_cast<Index>(law.values.size());
    multiply(j, Eigen::Map<const Vector>(law.values.data(), count),
             Eigen::Map<const Vector>(law.weights.data(), count));
  }
  if (use.rows) {
    const Index count = data.rows.rows();
    multiply(static_cast<Index>(data.finite.size()), data.rows,
             Vector::Constant(count, 1.0 / static_cast<double>(count)));
  }
  row.case_table = table;
  row.case_weights = weights;
}

// Whether a function of x that is no plain |affine| gets to its kink at all: |(x, 1)|₂ does not.
bool reaches_kink(const FormulaData& data, Graph& graph, const KinkCandidate& at) {
  const Node switching =
      at.other.id < 0 ? at.function : graph.apply(Op::subtract, std::array{at.argument, at.other});
  for (Index i = 0; i < graph.shape(switching).size(); ++i) {
    const Node part = graph.element(switching, i);
    std::vector<Node> outputs = {part};
    std::vector<Node> variables;
    for (Index column = 0; const Index width : data.variable_widths) {
      variables.push_back(graph.input(slot_x, column, {width, 1}));
      column += width;
    }
    for (const Node slope : gradient(graph, part, variables)) outputs.push_back(slope);
    const Program program(graph, outputs);
    Program::Workspace workspace;
    Matrix normal;
    for (Index sample = 0; sample < 32; ++sample) {
      Point point = sample_point(data, sample);
      scatter(data, sample, point);
      if (walk_to_kink(data, program, point, normal, workspace)) return true;
    }
  }
  return false;
}

bool should_take(const FormulaData& data, Graph& graph, const KinkCandidate& at) {
  const std::array nodes = {at.argument, at.other, at.weight};
  const auto any_depends = [&](int slot) {
    return std::ranges::any_of(
        nodes, [&](Node node) { return node.id >= 0 && graph.depends_on(node, slot); });
  };
  if (any_depends(slot_noise)) return false;  // the noise smooths it
  if (any_depends(slot_table)) {
    const double rows = static_cast<double>(graph.shape(at.argument).size()) *
                        case_count(data, table_use(data, graph, nodes));
    if (rows > static_cast<double>(most_case_rows)) return false;
    if (at.affine) return true;
  }
  const bool is_norm = at.other.id < 0 && !graph.shape(at.argument).is_scalar() &&
                       graph.shape(at.function).is_scalar();
  return (at.affine && !is_norm) || reaches_kink(data, graph, at);
}

RowNodes as_rows(FormulaData& data, const KinkTerm& term, const FormulaSpec& spec) {
  Graph& graph = data.graph;
  RowNodes row;
  row.what.kind = Constraint::Kind::kink;
  row.what.name = text_at(spec, term.span);
  if (row.what.name.empty()) row.what.name = "objective";
  row.what.count = graph.shape(term.argument).size();
  row.what.norm = term.kind == KinkTerm::Kind::norm;
  row.what.is_list = row.what.count > 1;
  row.value = term.argument;
  row.most = term.weight;
  row.least = term.kind == KinkTerm::Kind::hinge ? graph.constant(0)
                                                 : graph.apply(Op::negate, std::array{term.weight});
  row.span = term.span;
  row.is_convex = true;
  row.check_weight = !term.sign_known;
  const TableUse use = table_use(data, graph, std::array{term.argument, term.weight});
  if (use.rows || !use.finite.empty()) add_cases(data, use, row);
  return row;
}

}  // namespace

bool is_smoothed(const FormulaData& data, const Graph& graph, Node node) {
  if (graph.depends_on(node, slot_noise)) return true;
  const double cases = case_count(data, table_use(data, graph, std::array{node}));
  return cases > static_cast<double>(most_case_rows);
}

void split_objective(FormulaData& data, const FormulaSpec& spec) {
  const InputRange range = [&](int slot, Index column, Index count) {
    return input_range(data, slot, column, count);
  };
  if (!data.lower.empty() || !data.upper.empty())
    data.objective = resolved_by_range(data.graph, data.objective, slot_x, range);
  const SplitObjective split = split_kinks(
      data.graph, data.objective, slot_x, range,
      [&](Graph& graph, const KinkCandidate& at) { return should_take(data, graph, at); });
  data.objective = split.smooth;
  for (const KinkTerm& term : split.terms) data.row_nodes.push_back(as_rows(data, term, spec));
}

}  // namespace chaosgrad::internal
