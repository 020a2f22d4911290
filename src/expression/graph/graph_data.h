#pragma once
// What a graph is made of; for src/expression only.
#include <initializer_list>
#include <unordered_map>

#include "expression/expression.h"
#include "expression/graph/operations.h"

namespace chaosgrad::internal {

// Nodes are numbered in the order they are made, so arguments come before the nodes that use them,
// and a loop over the ids is a topological order: no algorithm here recurses on the depth of a
// formula.
struct Graph::Data {
  struct Entry {
    Op op = Op::constant;
    bool derivative = false;  // made by gradient()
    Shape shape;
    SourceSpan span;
    std::uint64_t slots = 0;  // bit s: depends on input slot s
    std::size_t first_argument = 0, argument_count = 0;
    Index detail = 0;  // constant: its number; input: first column; element: which one
    int slot = -1;
  };
  std::vector<Entry> entries;
  std::vector<Node> arguments;
  std::vector<Matrix> constants;
  std::unordered_multimap<std::uint64_t, std::int32_t> by_hash;

  // While derivatives are built: 0·x is 0 (the adjoint of an absent path), constants that are not
  // finite are no error, and nodes take the span of the operation that is being differentiated.
  bool in_derivative = false;
  SourceSpan derivative_span;

  [[nodiscard]] const Entry& entry(Node node) const {
    return entries[static_cast<std::size_t>(node.id)];
  }
  [[nodiscard]] std::span<const Node> arguments_of(Node node) const {
    const Entry& e = entry(node);
    return std::span(arguments).subspan(e.first_argument, e.argument_count);
  }
  [[nodiscard]] Node argument(Node node, std::size_t i) const { return arguments_of(node)[i]; }
  [[nodiscard]] Op op(Node node) const { return entry(node).op; }
  [[nodiscard]] Shape shape(Node node) const { return entry(node).shape; }

  // The value of a constant node, or null.
  [[nodiscard]] const Matrix* value(Node node) const;
  // The value of a constant number; NaN for anything else.
  [[nodiscard]] double number(Node node) const;

  // The node with these contents, old or new.
  Node intern(Entry entry, std::span<const Node> node_arguments);
  Node intern_constant(const Matrix& value);
};

struct GraphAccess {
  using Data = Graph::Data;
  static Data& data(Graph& graph) { return *graph.data_; }
  static const Data& data(const Graph& graph) { return *graph.data_; }
};

// Shorthand to build nodes: make(Op::add, {a, b}).
struct Make {
  Graph& graph;
  SourceSpan span;
  Node operator()(Op op, std::initializer_list<Node> arguments) const {
    return graph.apply(op, std::span(arguments.begin(), arguments.size()), span);
  }
  Node operator()(double value) const { return graph.constant(value); }
};

// stack(numbers…) as a matrix, column by column.
Node stack_as(Graph& graph, std::span<const Node> numbers, Shape shape, SourceSpan span);

// An equivalent of op(arguments…) that is cheaper or canonical, if there is one. The arguments are
// not all constant, and their shapes fit. Rewriting is exact in real arithmetic; the rounding may
// differ where scalar factors move out of vectors. 0·x is kept in formulas (x may be infinite), and
// dropped only while derivatives are built.
std::optional<Node> simplified(Graph& graph, Op op, std::span<const Node> arguments,
                               SourceSpan span);

}  // namespace chaosgrad::internal
