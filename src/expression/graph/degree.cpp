#include <algorithm>
#include <cmath>

#include "expression/graph/graph_data.h"

namespace chaosgrad::internal {
namespace {

using Degree = std::optional<int>;  // empty: not a polynomial

Degree sum(Degree a, Degree b) { return a && b ? Degree(*a + *b) : Degree(); }
Degree largest(Degree a, Degree b) { return a && b ? Degree(std::max(*a, *b)) : Degree(); }

// The degree of op(arguments…) from those of the arguments.
Degree combined(const GraphAccess::Data& data, Node node, std::span<const Degree> arguments) {
  const bool constant =
      std::ranges::all_of(arguments, [](Degree d) { return d.has_value() && *d == 0; });
  if (constant) return 0;
  switch (data.op(node)) {
    case Op::add:
    case Op::subtract:
      return largest(arguments[0], arguments[1]);
    case Op::multiply:
    case Op::dot:
    case Op::product:
    case Op::outer:
      return sum(arguments[0], arguments[1]);
    case Op::divide:
      return arguments[1] == 0 ? arguments[0] : Degree();
    case Op::solve:
      return arguments[0] == 0 ? arguments[1] : Degree();
    case Op::negate:
    case Op::sum:
    case Op::transpose:
    case Op::element:
      return arguments[0];
    case Op::stack: {
      Degree all = 0;
      for (const Degree part : arguments) all = largest(all, part);
      return all;
    }
    case Op::select:
      return arguments[0] == 0 ? largest(arguments[1], arguments[2]) : Degree();
    case Op::power: {
      const double exponent = data.number(data.argument(node, 1));
      const bool natural = exponent >= 0 && exponent <= 64 && exponent == std::floor(exponent);
      return natural && arguments[0] ? Degree(*arguments[0] * static_cast<int>(exponent))
                                     : Degree();
    }
    default:
      return {};
  }
}

// The same between the kinks of op(arguments…).
Degree between_kinks(const GraphAccess::Data& data, Node node, std::span<const Degree> arguments) {
  const Op op = data.op(node);
  if (is_comparison(op) || is_logical(op) || op == Op::sign) return 0;
  switch (op) {
    case Op::abs:
      return arguments[0];
    case Op::min:
    case Op::max:
      return largest(arguments[0], arguments[1]);
    case Op::select:
      return largest(arguments[1], arguments[2]);
    case Op::masked_multiply:
      return sum(arguments[0], arguments[1]);
    default:
      return combined(data, node, arguments);
  }
}

using Combine = Degree (*)(const GraphAccess::Data&, Node, std::span<const Degree>);

Degree degree_by(const Graph& graph, Node node, Node input, Node variable, Combine combine) {
  const GraphAccess::Data& data = GraphAccess::data(graph);
  std::vector<Degree> degrees;
  std::vector<Degree> arguments;
  for (std::int32_t id = 0; id <= node.id; ++id) {
    const Node here{id};
    arguments.clear();
    for (const Node argument : data.arguments_of(here))
      arguments.push_back(degrees[static_cast<std::size_t>(argument.id)]);
    degrees.push_back(here == variable ? Degree(1)
                      : here == input  ? Degree()
                                       : combine(data, here, arguments));
  }
  return degrees.back();
}

}  // namespace

std::optional<int> polynomial_degree(const Graph& graph, Node node, Node input, Node variable) {
  return degree_by(graph, node, input, variable, combined);
}

std::optional<int> piecewise_degree(const Graph& graph, Node node, Node input, Node variable) {
  return degree_by(graph, node, input, variable, between_kinks);
}

}  // namespace chaosgrad::internal
