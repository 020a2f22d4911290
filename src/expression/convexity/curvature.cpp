#include "expression/convexity/curvature.h"

#include <algorithm>

#include "expression/convexity/rules.h"
#include "expression/graph/ranges.h"
#include "expression/graph/replace.h"
#include "numeric/decompositions.h"

namespace chaosgrad::internal {

bool is_affine(Curvature c) { return c == Curvature::constant || c == Curvature::affine; }
bool is_convex(Curvature c) { return is_affine(c) || c == Curvature::convex; }
bool is_concave(Curvature c) { return is_affine(c) || c == Curvature::concave; }

Curvature negated(Curvature c) {
  if (c == Curvature::convex) return Curvature::concave;
  return c == Curvature::concave ? Curvature::convex : c;
}

Curvature sum_of(Curvature a, Curvature b) {
  if (a == b) return a;
  if (is_affine(a) && is_affine(b)) return Curvature::affine;
  if (is_affine(a)) return b;
  return is_affine(b) ? a : Curvature::unknown;
}

namespace {

constexpr Index most_components = 300;  // of x, for Hessians

// f = ½ xᵀHx + gᵀx + f(0), as far as H, or all of it, is constant.
struct Quadratic {
  std::optional<Matrix> hessian;
  std::optional<Matrix> extended;  // [[H/2, g/2], [gᵀ/2, f(0)]]
};

class QuadraticForms {
 public:
  QuadraticForms(Graph& graph, int slot, std::vector<Node> inputs)
      : graph_(graph), slot_(slot), inputs_(std::move(inputs)) {
    for (const Node input : inputs_) size_ += graph.shape(input).size();
  }

  // By the eigenvalues of H.
  Curvature curvature(Node node) {
    const std::optional<Matrix> hessian = find(node).hessian;
    if (!hessian) return Curvature::unknown;
    return definite(*hessian)    ? Curvature::convex
           : definite(-*hessian) ? Curvature::concave
                                 : Curvature::unknown;
  }
  // Whether its root is a norm of an affine function, and so convex.
  bool has_convex_root(Node node) {
    const std::optional<Matrix> extended = find(node).extended;
    return extended && definite(*extended);
  }

 private:
  // Positive semidefinite, up to rounding.
  static bool definite(const Matrix& matrix) {
    const Vector values = symmetric_eigenvalues(matrix);
    return values.minCoeff() >= -1e-13 * values.cwiseAbs().maxCoeff();
  }

  // The components of nodes, if they are constant.
  std::optional<Vector> numbers(std::span<const Node> nodes) const {
    std::vector<double> all;
    for (const Node node : nodes) {
      const std::optional<Matrix> value = graph_.constant_value(node);
      if (!value || !value->allFinite()) return std::nullopt;
      all.insert(all.end(), value->data(), value->data() + value->size());
    }
    return Vector(Eigen::Map<const Vector>(all.data(), static_cast<Index>(all.size())));
  }

  Quadratic find(Node node) {
    if (size_ > most_components) return {};
    const std::vector<Node> slopes = gradient(graph_, node, inputs_);
    Matrix hessian(size_, size_);
    Index row = 0;
    for (const Node slope : slopes) {
      for (Index i = 0; i < graph_.shape(slope).size(); ++i, ++row) {
        const std::optional<Vector> entries =
            numbers(gradient(graph_, graph_.element(slope, i), inputs_));
        if (!entries) return {};
        hessian.row(row) = entries->transpose();
      }
    }
    Quadratic result{hessian, {}};
    std::vector<Node> parts = slopes;
    parts.push_back(node);
    Index columns = 0;  // of the slot, as far as they are used
    for (const auto& [slot, column] : dependence(graph_, node).inputs)
      columns = slot == slot_ ? std::max(columns, column + 1) : columns;
    for (const Node input : inputs_)
      columns = std::max(
          columns, GraphAccess::data(graph_).entry(input).detail + graph_.shape(input).size());
    const std::optional<Vector> at_zero =
        numbers(replace_inputs(graph_, parts, slot_, Vector::Zero(columns)));
    if (!at_zero) return result;
    Matrix extended(size_ + 1, size_ + 1);
    extended << hessian / 2, at_zero->head(size_) / 2, at_zero->head(size_).transpose() / 2,
        (*at_zero)(size_);
    result.extended = extended;
    return result;
  }

  Graph& graph_;
  int slot_;
  std::vector<Node> inputs_;
  Index size_ = 0;
};

}  // namespace

std::vector<Curvature> find_curvatures(Graph& graph, std::span<const Node> nodes, int slot,
                                       const InputRange& range) {
  const GraphAccess::Data& data = GraphAccess::data(graph);
  Node last;
  for (const Node node : nodes) last.id = std::max(last.id, node.id);
  const auto count = static_cast<std::size_t>(last.id + 1);
  const std::vector<Range> ranges = find_ranges(graph, last, range);
  std::vector<bool> needed(count);
  for (const Node node : nodes) needed[static_cast<std::size_t>(node.id)] = true;
  std::vector<Node> inputs;
  for (std::size_t i = count; i-- > 0;) {
    const Node node{static_cast<std::int32_t>(i)};
    if (!needed[i]) continue;
    if (data.op(node) == Op::input && data.entry(node).slot == slot) inputs.push_back(node);
    for (const Node argument : data.arguments_of(node))
      needed[static_cast<std::size_t>(argument.id)] = true;
  }
  QuadraticForms quadratics(graph, slot, inputs);
  std::vector<NodeFacts> facts(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Node node{static_cast<std::int32_t>(i)};
    if (!needed[i]) continue;
    facts[i] = combined_facts(data, node, slot, facts, ranges);
    const bool undecided = facts[i].own == Curvature::unknown && data.shape(node).is_scalar();
    if (undecided && facts[i].degree == 2) facts[i].own = quadratics.curvature(node);
    if (undecided && data.op(node) == Op::sqrt) {
      const Node inside = data.argument(node, 0);
      if (facts[static_cast<std::size_t>(inside.id)].degree == 2 &&
          quadratics.has_convex_root(inside))
        facts[i].own = Curvature::convex;
    }
  }
  std::vector<Curvature> result;
  for (const NodeFacts& found : facts) result.push_back(found.own);
  return result;
}

}  // namespace chaosgrad::internal
