#include <algorithm>
#include <numeric>
#include <set>

#include "expression/graph/graph_data.h"

namespace chaosgrad::internal {
namespace {

using Labels = std::set<Index>;

// The labels that each node depends on.
std::vector<Labels> labels_of(const GraphAccess::Data& data, std::size_t count,
                              const InputLabel& label) {
  std::vector<Labels> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Node node{static_cast<std::int32_t>(i)};
    const GraphAccess::Data::Entry& entry = data.entry(node);
    const auto add = [&](int slot, Index column) {
      const Index found = label(slot, column);
      if (found >= 0) all[i].insert(found);
    };
    if (entry.op == Op::input) {
      for (Index j = 0; j < entry.shape.size(); ++j) add(entry.slot, entry.detail + j);
      continue;
    }
    if (entry.op == Op::element && data.op(data.argument(node, 0)) == Op::input) {
      const GraphAccess::Data::Entry& input = data.entry(data.argument(node, 0));
      add(input.slot, input.detail + entry.detail);
      continue;
    }
    for (const Node argument : data.arguments_of(node)) {
      const Labels& more = all[static_cast<std::size_t>(argument.id)];
      all[i].insert(more.begin(), more.end());
    }
  }
  return all;
}

class Coupling {
 public:
  Coupling(const GraphAccess::Data& data, std::vector<Labels> labels)
      : data_(data), labels_(std::move(labels)), linear_(labels_.size()) {}

  void add(Node node) { linear_[static_cast<std::size_t>(node.id)] = true; }

  // From the nodes down to their inputs, as long as nodes are linear in what they are made of.
  std::vector<std::vector<Index>> sets() {
    for (std::size_t i = linear_.size(); i-- > 0;) {
      if (linear_[i] && !labels_[i].empty()) visit({static_cast<std::int32_t>(i)});
    }
    std::vector<std::vector<Index>> result;
    for (const Labels& set : sets_) result.emplace_back(set.begin(), set.end());
    return result;
  }

 private:
  [[nodiscard]] const Labels& of(Node node) const {
    return labels_[static_cast<std::size_t>(node.id)];
  }

  void visit(Node node) {
    const std::span<const Node> arguments = data_.arguments_of(node);
    if (is_linear(data_.op(node), arguments)) {
      for (const Node argument : arguments) add(argument);
    } else {
      unite(of(node));
    }
  }

  // In all arguments that depend on something that counts.
  [[nodiscard]] bool is_linear(Op op, std::span<const Node> arguments) const {
    const auto constant = [&](std::size_t i) { return of(arguments[i]).empty(); };
    switch (op) {
      case Op::add:
      case Op::subtract:
      case Op::negate:
      case Op::sum:
      case Op::stack:
      case Op::transpose:
        return true;
      case Op::element:
        return data_.op(arguments[0]) != Op::input;
      case Op::multiply:
      case Op::dot:
      case Op::product:
      case Op::outer:
      case Op::masked_multiply:
        return constant(0) || constant(1);
      case Op::divide:
        return constant(1);
      case Op::solve:
      case Op::select:
        return constant(0);
      default:
        return false;
    }
  }

  void unite(const Labels& labels) {
    Labels whole = labels;
    std::vector<Labels> others;
    for (const Labels& set : sets_) {
      const bool meets = std::ranges::any_of(set, [&](Index one) { return whole.contains(one); });
      if (meets) {
        whole.insert(set.begin(), set.end());
      } else {
        others.push_back(set);
      }
    }
    others.push_back(std::move(whole));
    sets_ = std::move(others);
  }

  const GraphAccess::Data& data_;
  std::vector<Labels> labels_;
  std::vector<bool> linear_;
  std::vector<Labels> sets_;
};

}  // namespace

std::vector<std::vector<Index>> coupled_inputs(const Graph& graph, std::span<const Node> nodes,
                                               const InputLabel& label) {
  const GraphAccess::Data& data = GraphAccess::data(graph);
  std::size_t count = 0;
  for (const Node node : nodes) count = std::max(count, static_cast<std::size_t>(node.id) + 1);
  Coupling coupling(data, labels_of(data, count, label));
  for (const Node node : nodes) coupling.add(node);
  std::vector<std::vector<Index>> sets = coupling.sets();
  std::ranges::sort(sets);
  return sets;
}

}  // namespace chaosgrad::internal
