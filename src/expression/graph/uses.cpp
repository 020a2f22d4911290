#include "expression/graph/uses.h"

#include <algorithm>

namespace chaosgrad::internal {
namespace {

class UseFinder {
 public:
  explicit UseFinder(Graph& graph)
      : graph_(graph), data_(GraphAccess::data(graph)), make_{graph, {}} {
    uses_.always = graph.constant(1);
  }

  Uses find(Node result) {
    uses_.of.resize(static_cast<std::size_t>(result.id) + 1);
    uses_.of.back() = {uses_.always};
    for (std::int32_t id = result.id; id >= 0; --id) {
      if (!uses_.of[static_cast<std::size_t>(id)].empty()) hand_on({id});
    }
    return std::move(uses_);
  }

 private:
  // Components of an element-wise operation need those of its arguments; other operations need
  // their arguments as soon as one of their components is needed.
  void hand_on(Node node) {
    const Op op = data_.op(node);
    const std::vector<Node> when = uses_.of[static_cast<std::size_t>(node.id)];
    const std::vector<Node> arguments(data_.arguments_of(node).begin(),
                                      data_.arguments_of(node).end());
    if (arguments.empty() || is_comparison(op) || is_logical(op)) return;
    if (op == Op::select) {
      add(arguments[1], under(when, arguments[0], true));
      add(arguments[2], under(when, arguments[0], false));
    } else if (op == Op::element) {
      std::vector<Node> one(static_cast<std::size_t>(data_.shape(arguments[0]).size()));
      one[static_cast<std::size_t>(data_.entry(node).detail)] = when[0];
      add(arguments[0], one);
    } else if (op == Op::stack) {
      for (std::size_t i = 0; i < arguments.size(); ++i)
        add(arguments[i], {when.size() == 1 ? when[0] : when[i]});
    } else {
      for (const Node argument : arguments)
        add(argument, operation(op).elementwise ? when : std::vector<Node>{any(when)});
    }
  }

  // `when`, and the condition of a branch.
  std::vector<Node> under(const std::vector<Node>& when, Node condition, bool holds) {
    const auto components = static_cast<std::size_t>(graph_.shape(condition).size());
    std::vector<Node> both(std::max(when.size(), components));
    for (std::size_t i = 0; i < both.size(); ++i) {
      const Node user = when.size() == 1 ? when[0] : when[i];
      if (user.id < 0) continue;
      const Node truth =
          components == 1 ? condition : graph_.element(condition, static_cast<Index>(i));
      const Node branch = holds ? truth : make_(Op::logical_not, {truth});
      both[i] = user == uses_.always ? branch : make_(Op::logical_and, {user, branch});
    }
    return both;
  }

  Node either(Node a, Node b) {
    if (a.id < 0 || a == b || b == uses_.always) return b;
    if (b.id < 0 || a == uses_.always) return a;
    return make_(Op::logical_or, {a, b});
  }
  Node any(const std::vector<Node>& when) {
    Node all;
    for (const Node one : when) all = either(all, one);
    return all;
  }

  void add(Node argument, std::vector<Node> when) {
    const auto components = static_cast<std::size_t>(graph_.shape(argument).size());
    if (when.size() > 1 && components == 1) when = {any(when)};  // a number used for all of them
    if (std::ranges::all_of(when, [&](Node one) { return one == when[0]; })) when.resize(1);
    if (when[0].id < 0 && when.size() == 1) return;
    std::vector<Node>& known = uses_.of[static_cast<std::size_t>(argument.id)];
    if (known.empty()) {
      known = std::move(when);
      return;
    }
    if (known.size() < when.size()) known.resize(when.size(), known[0]);
    for (std::size_t i = 0; i < known.size(); ++i)
      known[i] = either(known[i], when.size() == 1 ? when[0] : when[i]);
    if (std::ranges::all_of(known, [&](Node one) { return one == known[0]; })) known.resize(1);
  }

  Graph& graph_;
  const GraphAccess::Data& data_;
  Make make_;
  Uses uses_;
};

}  // namespace

Uses find_uses(Graph& graph, Node result) { return UseFinder(graph).find(result); }

Dependence dependence(const Graph& graph, Node node) {
  const GraphAccess::Data& data = GraphAccess::data(graph);
  Dependence found;
  std::vector<bool> reached(static_cast<std::size_t>(node.id) + 1);
  reached.back() = true;
  const auto add = [&](Node input, Index first, Index count) {
    for (Index i = first; i < first + count; ++i)
      found.inputs.emplace_back(data.entry(input).slot, data.entry(input).detail + i);
  };
  for (std::int32_t id = node.id; id >= 0; --id) {
    if (!reached[static_cast<std::size_t>(id)]) continue;
    found.nodes.push_back(id);
    const GraphAccess::Data::Entry& entry = data.entry({id});
    if (entry.op == Op::input) add({id}, 0, entry.shape.size());
    if (entry.op == Op::element && data.op(data.argument({id}, 0)) == Op::input) {
      add(data.argument({id}, 0), entry.detail, 1);
      continue;
    }
    for (const Node argument : data.arguments_of({id}))
      reached[static_cast<std::size_t>(argument.id)] = true;
  }
  std::ranges::sort(found.inputs);
  found.inputs.erase(std::unique(found.inputs.begin(), found.inputs.end()), found.inputs.end());
  std::ranges::reverse(found.nodes);
  return found;
}

}  // namespace chaosgrad::internal
