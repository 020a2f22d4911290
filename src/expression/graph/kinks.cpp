#include <algorithm>
#include <numbers>

#include "expression/graph/graph_data.h"

namespace chaosgrad::internal {
namespace {

// Where each node reachable from one node switches.
class KinkFinder {
 public:
  KinkFinder(Graph& graph, int slot, KinkOrder order)
      : graph_(graph),
        data_(GraphAccess::data(graph)),
        make_{graph, {}},
        slot_(slot),
        order_(order) {}

  void visit(Node node) {
    const Op op = data_.op(node);
    const std::vector<Node> arguments(data_.arguments_of(node).begin(),
                                      data_.arguments_of(node).end());
    make_.span = data_.entry(node).span;
    if (is_comparison(op) || op == Op::min || op == Op::max) {
      add(make_(Op::subtract, {arguments[0], arguments[1]}));
    } else if (op == Op::select) {
      condition(arguments[0]);
    } else if (is_logical(op)) {
      for (const Node argument : arguments) condition(argument);
    } else if (op == Op::abs || op == Op::sign || op == Op::sqrt) {
      add(arguments[0], op == Op::sqrt);
    } else if (op == Op::floor || op == Op::ceil) {
      add(make_(Op::sin, {make_(Op::multiply, {make_(std::numbers::pi), arguments[0]})}), false,
          true);
    } else if (op == Op::huber && order_ == KinkOrder::any) {
      add(make_(Op::subtract, {arguments[0], arguments[1]}));
      add(make_(Op::add, {arguments[0], arguments[1]}));
    } else if (op == Op::norm2) {
      add(node, true);
    }
  }

  std::vector<Kink> take() { return std::move(found_); }

 private:
  // A number used as a truth value switches at 0; comparisons are visited themselves.
  void condition(Node node) {
    if (!is_comparison(data_.op(node)) && !is_logical(data_.op(node))) add(node);
  }

  void add(Node switching, bool is_tip = false, bool is_many = false) {
    for (Index i = 0; i < graph_.shape(switching).size(); ++i) {
      const Node part = graph_.element(switching, i, make_.span);
      const bool known = std::ranges::find(found_, part, &Kink::switching) != found_.end();
      if (graph_.depends_on(part, slot_) && !known)
        found_.push_back({part, make_.span, is_tip, is_many});
    }
  }

  Graph& graph_;
  const GraphAccess::Data& data_;
  Make make_;
  int slot_;
  KinkOrder order_;
  std::vector<Kink> found_;
};

}  // namespace

std::vector<Kink> kinks(Graph& graph, Node node, int slot, KinkOrder order) {
  const GraphAccess::Data& data = GraphAccess::data(graph);
  std::vector<bool> reached(static_cast<std::size_t>(node.id) + 1);
  reached.back() = true;
  for (std::size_t i = reached.size(); i-- > 0;) {
    if (!reached[i]) continue;
    for (const Node argument : data.arguments_of({static_cast<std::int32_t>(i)})) {
      reached[static_cast<std::size_t>(argument.id)] = true;
    }
  }
  KinkFinder finder(graph, slot, order);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (reached[i]) finder.visit({static_cast<std::int32_t>(i)});
  }
  return finder.take();
}

}  // namespace chaosgrad::internal
