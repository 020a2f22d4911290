#pragma once
// What values the nodes of a graph can take, from the ranges of its inputs.
#include "expression/graph/graph_data.h"

namespace chaosgrad::internal {

// The range of every node up to `last`. Where an argument lies outside of its function's domain
// nothing is said: the ranges hold on the domain. `refined(node, range)` may narrow the range of a
// node before others are derived from it.
using Refinement = std::function<Range(Node, Range)>;
[[nodiscard]] std::vector<Range> find_ranges(const Graph& graph, Node last, const InputRange& input,
                                             const Refinement& refined = {});

[[nodiscard]] Range intersection(const Range& a, const Range& b);

// What a truth value says about a node when it holds, given the ranges of the others.
[[nodiscard]] Range implied_range(const Graph& graph, Node truth, Node node,
                                  std::span<const Range> ranges);

}  // namespace chaosgrad::internal
