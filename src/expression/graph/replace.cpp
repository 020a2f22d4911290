#include "expression/graph/replace.h"

#include <algorithm>

namespace chaosgrad::internal {
namespace {

Node rebuilt(Graph& graph, Node node, const std::vector<Node>& arguments, const Vector& values) {
  GraphAccess::Data& data = GraphAccess::data(graph);
  const GraphAccess::Data::Entry entry = data.entry(node);
  if (entry.op == Op::input) {
    const Vector part = values.segment(entry.detail, entry.shape.size());
    return graph.constant(Matrix(part.reshaped(entry.shape.rows, entry.shape.cols)));
  }
  if (entry.op == Op::element) return graph.element(arguments[0], entry.detail, entry.span);
  if (entry.op == Op::stack) return stack_as(graph, arguments, entry.shape, entry.span);
  return graph.apply(entry.op, arguments, entry.span);
}

}  // namespace

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
    std::vector<Node> arguments;
    for (const Node argument : data.arguments_of(node)) arguments.push_back(now[id(argument)]);
    now[i] = rebuilt(graph, node, arguments, values);
  }
  data.in_derivative = false;
  std::vector<Node> result;
  for (const Node node : nodes) result.push_back(now[id(node)]);
  return result;
}

}  // namespace chaosgrad::internal
