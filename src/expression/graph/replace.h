#pragma once
// Formulas at the start: some inputs replaced by numbers.
#include "expression/graph/graph_data.h"

namespace chaosgrad::internal {

// The nodes with the inputs of `slot` replaced by `values` (column i is values(i)). A constant that
// is not finite is no error here.
[[nodiscard]] std::vector<Node> replace_inputs(Graph& graph, std::span<const Node> nodes, int slot,
                                               const Vector& values);

}  // namespace chaosgrad::internal
