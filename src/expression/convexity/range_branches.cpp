// Functions with kinks that the ranges of their arguments take the kinks from.
#include "expression/convexity/kink_terms.h"
#include "expression/graph/ranges.h"
#include "expression/graph/replace.h"

namespace chaosgrad::internal {
namespace {

// abs, max or min of copied arguments, where the ranges of the originals tell which branch it takes.
std::optional<Node> branch_taken(Graph& graph, Op op, std::span<const Range> ranges,
                                 std::span<const Node> copies) {
  const bool first_above = ranges.size() > 1 && ranges[0].lower >= ranges[1].upper;
  const bool second_above = ranges.size() > 1 && ranges[1].lower >= ranges[0].upper;
  if (op == Op::abs && ranges[0].lower >= 0) return copies[0];
  if (op == Op::abs && ranges[0].upper <= 0) return graph.apply(Op::negate, copies);
  if ((op != Op::max && op != Op::min) || (!first_above && !second_above)) return std::nullopt;
  const std::size_t taken = (op == Op::max) == first_above ? 0 : 1;
  const Shape own = graph.shape(copies[taken]), other = graph.shape(copies[1 - taken]);
  if (own.is_scalar() && !other.is_scalar()) return std::nullopt;  // it would change its shape
  return copies[taken];
}

}  // namespace

Node resolved_by_range(Graph& graph, Node node, int slot, const InputRange& range) {
  const std::vector<Range> ranges = find_ranges(graph, node, range);
  const auto id = [](Node at) { return static_cast<std::size_t>(at.id); };
  std::vector<Node> copies(ranges.size());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    copies[i].id = static_cast<std::int32_t>(i);
    const GraphAccess::Data& data = GraphAccess::data(graph);
    const GraphAccess::Data::Entry entry = data.entry(copies[i]);
    if (!graph.depends_on(copies[i], slot) || entry.argument_count == 0) continue;
    const std::vector<Node> before(data.arguments_of(copies[i]).begin(),
                                   data.arguments_of(copies[i]).end());
    std::vector<Node> arguments;
    std::vector<Range> argument_ranges;
    for (const Node argument : before) {
      arguments.push_back(copies[id(argument)]);
      argument_ranges.push_back(ranges[id(argument)]);
    }
    if (const auto taken = branch_taken(graph, entry.op, argument_ranges, arguments))
      copies[i] = *taken;
    else if (arguments != before)
      copies[i] = rebuilt(graph, entry, arguments);
  }
  return copies[id(node)];
}

}  // namespace chaosgrad::internal
