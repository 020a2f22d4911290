#include "expression/graph/replace.h"

#include <algorithm>

namespace chaosgrad::internal {
Node rebuilt(Graph& graph, const GraphAccess::Data::Entry& entry,
             const std::vector<Node>& arguments) {
  if (entry.op == Op::element) return graph.element(arguments[0], entry.detail, entry.span);
  if (entry.op == Op::stack) return stack_as(graph, arguments, entry.shape, entry.span);
  return graph.apply(entry.op, arguments, entry.span);
}

std::vector<Node> replace_inputs(Graph& graph, std::span<const Node> nodes, int slot,
                                 const Vector& values) {
  GraphAccess::Data& data = GraphAccess::data(graph);
  const auto id = [](Node node) { return static_cast<std::size_t>(node.id); };
  std::vector<Node> now(static_cast<std::size_t>(graph.size()));
  std::vector<bool> needed(now.size());
  for (const Node node : nodes) needed[id(node)] = true;
  for (std::size_t i = needed.size(); i-- > 0;) {
    const Node node{static_cast<std::int32_t>(i)};
    if (!needed[i]) continue;
    now[i] = node;
    if (!graph.depends_on(node, slot)) continue;
    for (const Node argument : data.arguments_of(node)) needed[id(argument)] = true;
  }
  data.in_derivative = true;  // constants may be infinite
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const Node node{static_cast<std::int32_t>(i)};
    if (!needed[i] || !graph.depends_on(node, slot)) continue;
    const GraphAccess::Data::Entry entry = data.entry(node);
    if (entry.op == Op::input) {
      const Vector part = values.segment(entry.detail, entry.shape.size());
      now[i] = graph.constant(Matrix(part.reshaped(entry.shape.rows, entry.shape.cols)));
      continue;
    }
    std::vector<Node> arguments;
    for (const Node argument : data.arguments_of(node)) arguments.push_back(now[id(argument)]);
    now[i] = rebuilt(graph, entry, arguments);
  }
  data.in_derivative = false;
  std::vector<Node> result;
  for (const Node node : nodes) result.push_back(now[id(node)]);
  return result;
}

std::vector<Node> copy_nodes(const Graph& from, std::span<const Node> nodes, Graph& to,
                             const InputCopy& input) {
  const GraphAccess::Data& data = GraphAccess::data(from);
  const auto id = [](Node node) { return static_cast<std::size_t>(node.id); };
  std::size_t size = 0;
  for (const Node node : nodes) size = std::max(size, id(node) + 1);
  std::vector<Node> copies(size);
  std::vector<bool> needed(size);
  for (const Node node : nodes) needed[id(node)] = true;
  for (std::size_t i = size; i-- > 0;) {
    if (!needed[i]) continue;
    for (const Node argument : data.arguments_of({static_cast<std::int32_t>(i)}))
      needed[id(argument)] = true;
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (!needed[i]) continue;
    const Node node{static_cast<std::int32_t>(i)};
    const GraphAccess::Data::Entry& entry = data.entry(node);
    std::vector<Node> arguments;
    for (const Node argument : data.arguments_of(node)) arguments.push_back(copies[id(argument)]);
    if (entry.op == Op::constant) {
      copies[i] = to.constant(*data.value(node));
    } else if (entry.op == Op::input) {
      if (input) copies[i] = input(to, entry.slot, entry.detail, entry.shape);
      if (copies[i].id < 0) copies[i] = to.input(entry.slot, entry.detail, entry.shape);
    } else {
      copies[i] = rebuilt(to, entry, arguments);
    }
  }
  std::vector<Node> result;
  for (const Node node : nodes) result.push_back(copies[id(node)]);
  return result;
}

}  // namespace chaosgrad::internal
