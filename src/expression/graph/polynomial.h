#pragma once
// Formulas multiplied out, component by component.
#include <map>

#include "expression/graph/graph_data.h"

namespace chaosgrad::internal {

using Monomial = std::vector<Index>;           // variables, ascending, each as often as its power
using Terms = std::map<std::int32_t, double>;  // Σ factor · node
using Polynomial = std::map<Monomial, Terms>;  // coefficients are free of the variables
using Components = std::vector<Polynomial>;    // of a node, column by column

// In the inputs of one slot, which are named by their columns; or of every slot, and then also in
// what other functions make of them, named by their nodes, with coefficients that are numbers times
// the node 1. Empty if one of the nodes is no polynomial, or takes more terms on the way.
inline constexpr int every_slot = -1;
[[nodiscard]] std::optional<std::vector<Components>> as_polynomials(Graph& graph,
                                                                    std::span<const Node> nodes,
                                                                    int slot, Index most_terms);

}  // namespace chaosgrad::internal
