#pragma once
// Sines and cosines in a formula that are functions of a trigonometric basis: whoever has evaluated
// the basis need not work them out again.
#include <span>
#include <vector>

#include "chaosgrad/formula.h"
#include "expression/expression.h"

namespace chaosgrad::internal {

// Appends those that the outputs are computed from to facts.known, and returns them with their
// columns in slot_known.
[[nodiscard]] std::vector<GivenNode> add_known_functions(Graph& graph,
                                                         std::span<const Node> outputs,
                                                         std::span<const ParameterSpec> parameters,
                                                         ProblemFacts& facts);

}  // namespace chaosgrad::internal
