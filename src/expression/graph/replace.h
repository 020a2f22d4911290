#pragma once
// Formulas with some inputs replaced: by numbers (at the start), or in a graph of their own.
#include "expression/graph/graph_data.h"

namespace chaosgrad::internal {

// The operation of an entry, not an input or a constant, of other arguments.
[[nodiscard]] Node rebuilt(Graph& graph, const GraphAccess::Data::Entry& entry,
                           const std::vector<Node>& arguments);

// The nodes with the inputs of `slot` replaced by `values` (column i is values(i)). A constant that
// is not finite is no error here.
[[nodiscard]] std::vector<Node> replace_inputs(Graph& graph, std::span<const Node> nodes, int slot,
                                               const Vector& values);

// The nodes of one graph in another one. `input` says what stands for an input there; a node of id
// −1: the same input.
using InputCopy = std::function<Node(Graph& to, int slot, Index column, Shape shape)>;
[[nodiscard]] std::vector<Node> copy_nodes(const Graph& from, std::span<const Node> nodes,
                                           Graph& to, const InputCopy& input = {});

}  // namespace chaosgrad::internal
