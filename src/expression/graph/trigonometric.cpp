#include <cmath>

#include "expression/graph/graph_data.h"

namespace chaosgrad::internal {

std::vector<Trigonometric> trigonometric_functions(const Graph& graph,
                                                   std::span<const Node> outputs, Node angle) {
  const GraphAccess::Data& data = GraphAccess::data(graph);
  const auto id = [](Node node) { return static_cast<std::size_t>(node.id); };
  std::vector<bool> needed(static_cast<std::size_t>(graph.size()), false);
  for (const Node output : outputs) needed[id(output)] = true;
  std::vector<Trigonometric> found;
  for (std::size_t i = needed.size(); i-- > 0;) {
    const Node node{static_cast<std::int32_t>(i)};
    if (!needed[i]) continue;
    for (const Node argument : data.arguments_of(node)) needed[id(argument)] = true;
    const Op op = data.op(node);
    if (op != Op::sin && op != Op::cos) continue;
    const Node argument = data.argument(node, 0);
    double factor = std::nan("");
    if (argument == angle)
      factor = 1;
    else if (data.op(argument) == Op::multiply && data.argument(argument, 1) == angle)
      factor = data.number(data.argument(argument, 0));  // not a number if it varies
    if (std::isfinite(factor)) found.push_back({node, op == Op::sin, factor});
  }
  return found;
}

}  // namespace chaosgrad::internal
