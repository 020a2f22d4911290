#include "problem/formula/case_rows.h"

#include <array>

#include "expression/graph/replace.h"

namespace chaosgrad::internal {
namespace {

class CaseRows {
 public:
  CaseRows(FormulaData& data, const RowNodes& term, ConstraintFormulas& formulas)
      : data_(data), term_(term), formulas_(formulas), graph_(formulas.graph) {}

  Index add(Index first) {
    const bool argument_varies = data_.graph.depends_on(term_.value, slot_table);
    ConstraintFormulas::Rows rows{.what = term_.what, .value = {}, .least = {}, .most = {}};
    rows.what.first = first;
    if (!argument_varies) {  // one row with the mean of the weights
      rows.value = copied(term_.value);
      rows.least = mean_limit(term_.least);
      rows.most = mean_limit(term_.most);
      formulas_.rows.push_back(rows);
      return rows.what.count;
    }
    rows.what.count = count() * components();
    rows.least = limits(term_.least);
    rows.most = limits(term_.most);
    add_values(rows);
    if (!term_.what.norm) {
      formulas_.rows.push_back(rows);
      return rows.what.count;
    }
    for (Index k = 0; k < count(); ++k) formulas_.rows.push_back(one_case(rows, k));
    return rows.what.count;
  }

 private:
  Index count() const { return term_.case_weights.size(); }
  Index components() const { return data_.graph.shape(term_.value).size(); }

  Node copied(Node node) const { return copy_nodes(data_.graph, std::array{node}, graph_)[0]; }
  std::vector<Node> in_case(std::span<const Node> nodes, Index k) const {
    return copy_nodes(data_.graph, nodes, graph_,
                      [&](Graph& to, int slot, Index column, Shape shape) -> Node {
                        if (slot != slot_table) return {};
                        return to.constant(Matrix(term_.case_table.row(k)
                                                      .segment(column, shape.size())
                                                      .reshaped(shape.rows, shape.cols)));
                      });
  }

  // The values of a node that depends on the noise alone, a row per case.
  Matrix numbers(Node node) const {
    const Program program(data_.graph, std::array{node});
    Matrix values(count(), data_.graph.shape(node).size());
    Program::Workspace workspace;
    for (Index first = 0; first < count(); first += block_size) {
      const Index n = std::min(block_size, count() - first);
      const Block table = term_.case_table.middleRows(first, n);
      const std::array<Block, 4> inputs = {table, table, table, table};
      std::array<BlockOut, 1> outputs = {values.middleRows(first, n)};
      program.evaluate(inputs, outputs, workspace);
    }
    return values;
  }
  bool is_number(Node node) const {
    return !data_.graph.depends_on(node, slot_theta) && !data_.graph.depends_on(node, slot_x);
  }

  Node product(double factor, Node node) const {
    return graph_.apply(Op::multiply, std::array{graph_.constant(factor), node});
  }
  Node component(Node node, Index i) const {
    return graph_.shape(node).is_scalar() ? node : graph_.element(node, i);
  }

  // All components of a node in all cases, case by case, each times `factor(k)`.
  template <class Factor>
  Node in_all_cases(Node node, Factor factor) const {
    const Index size = components();
    if (is_number(node)) {
      const Matrix values = numbers(node);
      Matrix all(count() * size, 1);
      for (Index k = 0; k < count(); ++k) {
        for (Index i = 0; i < size; ++i)
          all(k * size + i) = factor(k) * values(k, values.cols() == 1 ? 0 : i);
      }
      return graph_.constant(all);
    }
    std::vector<Node> all;
    for (Index k = 0; k < count(); ++k) {
      const Node here = in_case(std::array{node}, k)[0];
      for (Index i = 0; i < size; ++i) all.push_back(product(factor(k), component(here, i)));
    }
    return graph_.apply(Op::stack, all);
  }

  Node limits(Node limit) const {
    return in_all_cases(limit, [&](Index k) { return term_.case_weights(k); });
  }
  Node mean_limit(Node limit) const {
    if (!data_.graph.depends_on(limit, slot_table)) return copied(limit);
    if (is_number(limit))
      return graph_.constant(Matrix(numbers(limit).transpose() * term_.case_weights));
    Node total;
    for (Index k = 0; k < count(); ++k) {
      const Node here = product(term_.case_weights(k), in_case(std::array{limit}, k)[0]);
      total = total.id < 0 ? here : graph_.apply(Op::add, std::array{total, here});
    }
    return total;
  }

  // c = J x + c(0). Where J is the same for all θ, it is a matrix of numbers.
  void add_values(ConstraintFormulas::Rows& rows) const {
    const Index size = components();
    std::vector<Node> slopes;  // by component, then variable
    bool constant = true;
    for (Index i = 0; i < size; ++i) {
      const Node part = size == 1 ? term_.value : data_.graph.element(term_.value, i);
      for (const Node slope : gradient(data_.graph, part, data_.variables)) {
        slopes.push_back(slope);
        constant = constant && is_number(slope);
      }
    }
    if (!constant) return add_varying(slopes, rows);
    Matrix all(rows.what.count, data_.dimension);
    for (std::size_t s = 0; s < slopes.size(); ++s) {
      const Index i = static_cast<Index>(s / data_.variables.size());
      const std::size_t variable = s % data_.variables.size();
      const Matrix values = numbers(slopes[s]);
      for (Index k = 0; k < count(); ++k)
        all.row(k * size + i).segment(first_column(variable), values.cols()) = values.row(k);
    }
    const std::vector<Node> at_zero =
        replace_inputs(data_.graph, std::array{term_.value}, slot_x, Vector::Zero(data_.dimension));
    rows.value = in_all_cases(at_zero[0], [](Index) { return 1.0; });
    for (std::size_t v = 0; v < formulas_.variables.size(); ++v) {
      const Index width = data_.variable_widths[v];
      const Node matrix = graph_.constant(Matrix(all.middleCols(first_column(v), width)));
      const Node term = graph_.apply(Op::product, std::array{matrix, formulas_.variables[v]});
      rows.value = graph_.apply(Op::add, std::array{term, rows.value});
    }
    rows.constant_slopes = all;
  }

  Index first_column(std::size_t variable) const {
    Index first = 0;
    for (std::size_t v = 0; v < variable; ++v) first += data_.variable_widths[v];
    return first;
  }

  void add_varying(const std::vector<Node>& slopes, ConstraintFormulas::Rows& rows) const {
    std::vector<Node> nodes = slopes, values;
    nodes.push_back(term_.value);
    const std::size_t variables = data_.variables.size();
    for (Index k = 0; k < count(); ++k) {
      const std::vector<Node> here = in_case(nodes, k);
      for (Index i = 0; i < components(); ++i) {
        values.push_back(component(here.back(), i));
        const auto begin =
            here.begin() + static_cast<std::ptrdiff_t>(i) * static_cast<std::ptrdiff_t>(variables);
        rows.slopes.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(variables));
      }
    }
    rows.value = graph_.apply(Op::stack, values);
  }

  // A norm for each case.
  ConstraintFormulas::Rows one_case(const ConstraintFormulas::Rows& all, Index k) const {
    const Index size = components();
    ConstraintFormulas::Rows rows{.what = all.what, .value = {}, .least = {}, .most = {}};
    rows.what.first += k * size;
    rows.what.count = size;
    const auto part = [&](Node node) {
      std::vector<Node> parts;
      for (Index i = 0; i < size; ++i) parts.push_back(graph_.element(node, k * size + i));
      return graph_.apply(Op::stack, parts);
    };
    rows.value = part(all.value);
    rows.least = part(all.least);
    rows.most = part(all.most);
    if (all.constant_slopes) rows.constant_slopes = all.constant_slopes->middleRows(k * size, size);
    for (Index i = 0; !all.slopes.empty() && i < size; ++i)
      rows.slopes.push_back(all.slopes[static_cast<std::size_t>(k * size + i)]);
    return rows;
  }

  FormulaData& data_;
  const RowNodes& term_;
  ConstraintFormulas& formulas_;
  Graph& graph_;
};

}  // namespace

Index add_case_rows(FormulaData& data, const RowNodes& term, Index first,
                    ConstraintFormulas& formulas) {
  return CaseRows(data, term, formulas).add(first);
}

}  // namespace chaosgrad::internal
