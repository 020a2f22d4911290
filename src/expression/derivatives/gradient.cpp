#include <algorithm>

#include "expression/derivatives/reverse_sweep.h"

namespace chaosgrad::internal {
namespace {

// Switches the graph to building derivatives, and back.
class DerivativeMode {
 public:
  explicit DerivativeMode(GraphAccess::Data& data) : data_(data) { data_.in_derivative = true; }
  ~DerivativeMode() {
    data_.in_derivative = false;
    data_.derivative_span = {};
  }
  DerivativeMode(const DerivativeMode&) = delete;
  DerivativeMode& operator=(const DerivativeMode&) = delete;

 private:
  GraphAccess::Data& data_;
};

}  // namespace

ReverseSweep::ReverseSweep(Graph& graph, Node scalar, std::span<const Node> inputs)
    : graph_(graph), data_(GraphAccess::data(graph)), make_{graph, {}}, states_(id(scalar) + 1) {
  for (const Node input : inputs) {
    if (input.id <= scalar.id) states_[id(input)].wanted = true;
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const std::span<const Node> arguments = data_.arguments_of(node(i));
    states_[i].active = states_[i].wanted || std::ranges::any_of(arguments, [&](Node argument) {
                          return states_[id(argument)].active;
                        });
  }
  states_[id(scalar)].adjoint = make_(1);
  for (std::size_t i = states_.size(); i-- > 0;) {
    State& state = states_[i];
    if (!state.active || (state.adjoint.id < 0 && state.elements.empty())) continue;
    data_.derivative_span = data_.entry(node(i)).span;
    gather_elements(node(i), state);
    if (!state.wanted) hand_on(node(i));
  }
}

Node ReverseSweep::result(Node input) {
  const Shape shape = graph_.shape(input);
  const auto zeros = [&] { return graph_.constant(Matrix(Matrix::Zero(shape.rows, shape.cols))); };
  if (id(input) >= states_.size()) return zeros();
  const Node adjoint = states_[id(input)].adjoint;
  return adjoint.id < 0 ? zeros() : filled(adjoint, shape);
}

void ReverseSweep::hand_on(Node node) {
  const GraphAccess::Data::Entry entry = data_.entry(node);
  const std::vector<Node> arguments(data_.arguments_of(node).begin(),
                                    data_.arguments_of(node).end());
  if (arguments.empty()) return;
  adjoint_ = states_[id(node)].adjoint;
  masked_ = states_[id(node)].masked;
  current_shape_ = entry.shape;
  const Node a = arguments[0], b = arguments.size() > 1 ? arguments[1] : Node{};
  switch (entry.op) {
    case Op::select:
      contribute_branch(a, b, true);
      contribute_branch(a, arguments[2], false);
      break;
    case Op::element: {
      State& state = states_[id(a)];
      state.elements.resize(static_cast<std::size_t>(graph_.shape(a).size()));
      accumulate(state.elements[static_cast<std::size_t>(entry.detail)], adjoint_);
      state.masked = state.masked || masked_;
      break;
    }
    case Op::stack:
      current_shape_ = {};
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!active(arguments[i])) continue;
        const bool uniform = graph_.shape(adjoint_).is_scalar();
        contribute(arguments[i],
                   uniform ? adjoint_ : graph_.element(adjoint_, static_cast<Index>(i)));
      }
      break;
    case Op::normal_quantile:
    case Op::gamma_quantile:
    case Op::beta_quantile:
      hand_on_quantile(entry.op, node);
      break;
    default:
      if (!operation(entry.op).elementwise) return hand_on_whole(entry.op, node, a, b);
      if (arguments.size() == 2) return hand_on_arithmetic(entry.op, node, a, b);
      hand_on_function(entry.op, node, a);
  }
}

std::vector<Node> gradient(Graph& graph, Node scalar, std::span<const Node> inputs) {
  if (!graph.shape(scalar).is_scalar()) {
    throw FormulaError("only a number has a gradient, found " + in_words(graph.shape(scalar)),
                       graph.span(scalar));
  }
  const DerivativeMode mode(GraphAccess::data(graph));
  ReverseSweep sweep(graph, scalar, inputs);
  std::vector<Node> result;
  for (const Node input : inputs) result.push_back(sweep.result(input));
  return result;
}

}  // namespace chaosgrad::internal
