#pragma once
// When a node matters: the value of an `if` does not depend on the branch that is not taken.
#include "expression/graph/graph_data.h"

namespace chaosgrad::internal {

// For every node up to `result`, when its components matter for it: a truth value for all of them,
// or one for each; empty: never. `always` stands for a condition that holds. What is only compared
// does not matter: a comparison with something undefined is false.
struct Uses {
  std::vector<std::vector<Node>> of;  // by node
  Node always;
};
[[nodiscard]] Uses find_uses(Graph& graph, Node result);

}  // namespace chaosgrad::internal
