#pragma once
// Reverse mode: from the last node to the first, each node hands its adjoint ∂(scalar)/∂(node) on
// to its arguments.
#include "expression/graph/graph_data.h"

namespace chaosgrad::internal {

class ReverseSweep {
 public:
  ReverseSweep(Graph& graph, Node scalar, std::span<const Node> inputs);

  // ∂ scalar / ∂ input, in the shape of the input.
  Node result(Node input);

 private:
  struct State {
    Node adjoint;                // a scalar adjoint of a vector stands for equal components
    std::vector<Node> elements;  // adjoints of single components, summed into `adjoint` when the
                                 // node's turn comes
    bool active = false;         // depends on a wanted node
    bool wanted = false;
    bool masked = false;  // adjoint may be 0 where a branch is not taken: partial derivatives may
                          // be anything there
  };

  static std::size_t id(Node node) { return static_cast<std::size_t>(node.id); }
  static Node node(std::size_t i) { return {static_cast<std::int32_t>(i)}; }

  Node filled(Node adjoint, Shape shape) {
    if (graph_.shape(adjoint) == shape) return adjoint;
    const Node ones = graph_.constant(Matrix(Matrix::Ones(shape.rows, shape.cols)));
    return make_(Op::multiply, {adjoint, ones});
  }

  void accumulate(Node& total, Node value) {
    total = total.id < 0 ? value : make_(Op::add, {total, value});
  }

  void gather_elements(Node vector, State& state) {
    if (state.elements.empty()) return;
    for (Node& element : state.elements) {
      if (element.id < 0) element = make_(0);
    }
    accumulate(state.adjoint, stack_as(graph_, state.elements, graph_.shape(vector), {}));
    state.elements.clear();
  }

  void hand_on(Node node);
  void hand_on_arithmetic(Op op, Node node, Node a, Node b);
  void hand_on_function(Op op, Node node, Node a);
  void hand_on_whole(Op op, Node node, Node a, Node b);
  void hand_on_quantile(Op op, Node node);

  bool active(Node argument) const { return states_[id(argument)].active; }

  // The adjoint of the current node times a partial derivative.
  Node times(Node adjoint, Node partial) {
    return make_(masked_ ? Op::masked_multiply : Op::multiply, {adjoint, partial});
  }
  Node over(Node adjoint, Node divisor) {
    if (!masked_) return make_(Op::divide, {adjoint, divisor});
    return times(adjoint, make_(Op::divide, {make_(1), divisor}));
  }

  // Adds to the adjoint of an argument; a scalar argument that was broadcast collects the sum over
  // the components.
  void contribute(Node argument, Node value) {
    if (!active(argument)) return;
    const Shape from = graph_.shape(value), to = graph_.shape(argument);
    if (to.is_scalar() && !from.is_scalar()) {
      value = make_(Op::sum, {value});
    } else if (to.is_scalar() && !current_shape_.is_scalar()) {
      value = make_(Op::multiply, {make_(static_cast<double>(current_shape_.size())), value});
    }
    State& state = states_[id(argument)];
    accumulate(state.adjoint, value);
    state.masked = state.masked || masked_;
  }

  void contribute_product(Node argument, Node partial) {
    if (active(argument)) contribute(argument, times(adjoint_, partial));
  }

  // The part of the adjoint where the condition holds (or does not).
  void contribute_branch(Node condition, Node argument, bool holds) {
    if (!active(argument)) return;
    masked_ = true;
    contribute(argument, holds ? make_(Op::select, {condition, adjoint_, make_(0)})
                               : make_(Op::select, {condition, make_(0), adjoint_}));
  }

  Graph& graph_;
  GraphAccess::Data& data_;
  Make make_;
  std::vector<State> states_;
  // Of the node whose turn it is:
  Node adjoint_;
  Shape current_shape_;
  bool masked_ = false;
};

}  // namespace chaosgrad::internal
