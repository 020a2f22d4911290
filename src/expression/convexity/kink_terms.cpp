#include "expression/convexity/kink_terms.h"

#include <algorithm>
#include <array>

#include "expression/convexity/curvature.h"
#include "expression/graph/ranges.h"
#include "expression/graph/replace.h"

namespace chaosgrad::internal {
namespace {

// By node, whether it depends on x through a function with kinks.
std::vector<bool> kinks_below(const Graph& graph, Node last, int slot) {
  const GraphAccess::Data& data = GraphAccess::data(graph);
  std::vector<bool> kinked(static_cast<std::size_t>(last.id) + 1);
  for (std::size_t i = 0; i < kinked.size(); ++i) {
    const Node node{static_cast<std::int32_t>(i)};
    const Op op = data.op(node);
    const bool own = op == Op::abs || op == Op::max || op == Op::min || op == Op::norm2;
    kinked[i] = graph.depends_on(node, slot) &&
                (own || std::ranges::any_of(data.arguments_of(node), [&](Node argument) {
                   return kinked[static_cast<std::size_t>(argument.id)];
                 }));
  }
  return kinked;
}

// Splits a node that the objective contains with a weight: objective = … + Σ_i w_i node_i. Weights
// are numbers or have the shape of the node.
class KinkSplitter {
 public:
  KinkSplitter(Graph& graph, Node objective, int slot, const InputRange& range,
               const TakeKink& take)
      : graph_(graph),
        data_(GraphAccess::data(graph)),
        make_{graph, {}},
        slot_(slot),
        range_(range),
        take_(take),
        kinked_(kinks_below(graph, objective, slot)),
        curvatures_(find_curvatures(graph, std::array{objective}, slot, range)) {}

  // What is left of the node; the terms are collected.
  Node rest(Node node, Node weight) {
    if (!has_kinks(node)) return node;
    const GraphAccess::Data::Entry entry = data_.entry(node);
    const std::vector<Node> parts(data_.arguments_of(node).begin(), data_.arguments_of(node).end());
    const SourceSpan outer = make_.span;
    make_.span = entry.span;
    const Node result = rest_of(node, entry, parts, weight);
    make_.span = outer;
    return result;
  }

  std::vector<KinkTerm> take() { return std::move(terms_); }

 private:
  bool depends(Node node) const { return graph_.depends_on(node, slot_); }
  Shape shape(Node node) const { return graph_.shape(node); }
  bool is_scalar(Node node) const { return shape(node).is_scalar(); }
  Curvature curvature(Node node) const {
    if (!depends(node)) return Curvature::constant;
    const auto id = static_cast<std::size_t>(node.id);
    return id < curvatures_.size() ? curvatures_[id] : Curvature::unknown;
  }

  bool has_kinks(Node node) const {
    const auto id = static_cast<std::size_t>(node.id);
    return id < kinked_.size() && kinked_[id];
  }
  Range range(Node node) {
    if (ranges_.size() <= static_cast<std::size_t>(node.id))
      ranges_ = find_ranges(graph_, {static_cast<std::int32_t>(graph_.size()) - 1}, range_);
    return ranges_[static_cast<std::size_t>(node.id)];
  }

  // The weight of an argument that was broadcast to the shape of the node.
  Node narrowed(Node weight, Node node, Node argument) {
    if (is_scalar(node) || !is_scalar(argument)) return weight;
    if (!is_scalar(weight)) return make_(Op::sum, {weight});
    return make_(Op::multiply, {make_(static_cast<double>(shape(node).size())), weight});
  }
  Node zeros(Node like) {
    return graph_.constant(Matrix(Matrix::Zero(shape(like).rows, shape(like).cols)));
  }
  Node filled(Node weight, Node like) {
    if (shape(weight) == shape(like)) return weight;
    const Matrix ones = Matrix::Ones(shape(like).rows, shape(like).cols);
    return make_(Op::multiply, {weight, graph_.constant(ones)});
  }

  Node rest_of(Node node, const GraphAccess::Data::Entry& entry, const std::vector<Node>& parts,
               Node weight) {
    switch (entry.op) {
      case Op::add:
      case Op::subtract: {
        const Node first = rest(parts[0], narrowed(weight, node, parts[0]));
        Node of_second = narrowed(weight, node, parts[1]);
        if (entry.op == Op::subtract) of_second = make_(Op::negate, {of_second});
        const Node second = rest(parts[1], of_second);
        if (first == parts[0] && second == parts[1]) return node;
        return filled_sum(entry.op, first, second, node);
      }
      case Op::negate:
        return rebuilt(node, entry.op, parts, 0, make_(Op::negate, {weight}));
      case Op::multiply:
      case Op::dot:
      case Op::divide:
      case Op::product:
        return rest_of_product(node, entry.op, parts, weight);
      case Op::sum:
        return rebuilt(node, entry.op, parts, 0, weight);
      case Op::stack:
        return rest_of_stack(node, entry, parts, weight);
      case Op::select:
        return rest_of_select(node, parts, weight);
      case Op::abs:
      case Op::norm2:
        return rest_of_size(node, entry.op, parts[0], weight);
      case Op::max:
      case Op::min:
        return rest_of_larger(node, entry.op, parts, weight);
      default:
        return node;
    }
  }

  // The operation with the rest of argument i in its place.
  Node rebuilt(Node node, Op op, std::vector<Node> parts, std::size_t i, Node weight) {
    const Node left = rest(parts[i], weight);
    if (left == parts[i]) return node;
    if (const auto value = graph_.constant_value(left); value && value->isZero(0))
      return zeros(node);  // every op here is linear in what is left
    parts[i] = left;
    return graph_.apply(op, parts, make_.span);
  }

  // Zeros are left out, but the shape stays.
  Node filled_sum(Op op, Node first, Node second, Node node) {
    return filled(make_(op, {first, second}), node);
  }

  Node rest_of_product(Node node, Op op, const std::vector<Node>& parts, Node weight) {
    const std::size_t varying = depends(parts[0]) ? 0 : 1;
    const Node factor = parts[1 - varying], inner = parts[varying];
    if (depends(factor) || (op == Op::divide && varying == 1)) return node;
    if (op == Op::product) {  // wᵀ(M v) = (Mᵀw)ᵀ v
      if (varying == 0 || shape(inner).cols != 1) return node;
      const Node turned = make_(Op::transpose, {factor});
      return rebuilt(node, op, parts, 1, make_(Op::product, {turned, filled(weight, node)}));
    }
    const Node scaled = make_(op == Op::divide ? Op::divide : Op::multiply, {weight, factor});
    return rebuilt(node, op, parts, varying,
                   op == Op::dot ? scaled : narrowed(filled_like(scaled, node), node, inner));
  }
  // A number stays one.
  Node filled_like(Node weight, Node node) {
    return is_scalar(weight) ? weight : filled(weight, node);
  }

  Node rest_of_stack(Node node, const GraphAccess::Data::Entry& entry, std::vector<Node> parts,
                     Node weight) {
    bool changed = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Node own =
          is_scalar(weight) ? weight : graph_.element(weight, static_cast<Index>(i), make_.span);
      const Node left = rest(parts[i], own);
      changed = changed || left != parts[i];
      parts[i] = left;
    }
    return changed ? stack_as(graph_, parts, entry.shape, make_.span) : node;
  }

  Node rest_of_select(Node node, std::vector<Node> parts, Node weight) {
    if (depends(parts[0])) return node;
    const std::vector<Node> before = parts;
    parts[1] =
        rest(parts[1], narrowed(make_(Op::select, {parts[0], weight, make_(0)}), node, parts[1]));
    parts[2] =
        rest(parts[2], narrowed(make_(Op::select, {parts[0], make_(0), weight}), node, parts[2]));
    return parts == before ? node : filled(graph_.apply(Op::select, parts, make_.span), node);
  }

  // Whether a weight that must not be negative may be so for all that is known.
  bool can_be_weight(Node weight) {
    const Range found = range(weight);
    return !(found.upper < 0 || (found.upper == 0 && found.lower < 0));
  }
  void add_term(KinkTerm::Kind kind, Node argument, Node weight, bool affine) {
    terms_.push_back({kind, argument, weight, make_.span, range(weight).lower >= 0, affine});
  }

  // |c| and |c|₂
  Node rest_of_size(Node node, Op op, Node argument, Node weight) {
    if (!is_affine(curvature(argument)) || !can_be_weight(weight)) return node;
    if (op == Op::norm2 && !is_scalar(weight)) return node;
    if (!take_(graph_, {node, argument, {}, weight})) return node;
    add_term(op == Op::abs ? KinkTerm::Kind::absolute : KinkTerm::Kind::norm, argument, weight,
             true);
    return zeros(node);
  }

  // w max(a, b) = w b + w max(a − b, 0), with b affine and a − b convex and smooth; or with a and b
  // exchanged. −w min(a, b) = w max(−a, −b).
  Node rest_of_larger(Node node, Op op, const std::vector<Node>& parts, Node weight) {
    const Node own = op == Op::max ? weight : make_(Op::negate, {weight});
    const auto bend = [&](Node part) {
      return op == Op::max ? curvature(part) : negated(curvature(part));
    };
    const auto can_be_rest = [&](std::size_t i) { return is_affine(bend(parts[i])); };
    const bool second = !depends(parts[1]) || (depends(parts[0]) && can_be_rest(1));
    const Node kept = parts[second ? 1 : 0], other = parts[second ? 0 : 1];
    if (!can_be_rest(second ? 1 : 0) || !is_convex(bend(other)) || !can_be_weight(own)) return node;
    const bool affine = is_affine(bend(other));
    if (has_kinks(other)) return rest_of_insensitive(node, op, kept, other, own, affine);
    if (!take_(graph_, {node, kept, other, own, affine})) return node;
    const Node difference =
        op == Op::max ? make_(Op::subtract, {other, kept}) : make_(Op::subtract, {kept, other});
    add_term(KinkTerm::Kind::hinge, difference, own, affine);
    return filled(kept, node);
  }

  // w max(|u| − r, 0) = w max(u − r, 0) + w max(−u − r, 0) for r ≥ 0, all numbers.
  Node rest_of_insensitive(Node node, Op op, Node kept, Node other, Node weight, bool affine) {
    if (op != Op::max || !is_scalar(node) || depends(kept)) return node;
    const TakeKink always = [](Graph&, const KinkCandidate&) { return true; };
    KinkSplitter inner(graph_, other, slot_, range_, always);
    const Node outside = inner.rest(other, make_(1));
    const std::vector<KinkTerm> found = inner.take();
    if (found.size() != 1 || found[0].kind != KinkTerm::Kind::absolute || depends(outside) ||
        !is_scalar(found[0].argument) || !found[0].sign_known)
      return node;
    const Node shift = make_(Op::subtract, {outside, kept});
    if (!(range(shift).upper <= 0) || !take_(graph_, {node, other, kept, weight, affine}))
      return node;
    const Node u = make_(Op::multiply, {found[0].weight, found[0].argument});
    add_term(KinkTerm::Kind::hinge, make_(Op::add, {u, shift}), weight, true);
    add_term(KinkTerm::Kind::hinge, make_(Op::subtract, {shift, u}), weight, true);
    return kept;
  }

  Graph& graph_;
  const GraphAccess::Data& data_;
  Make make_;
  int slot_;
  const InputRange& range_;
  const TakeKink& take_;
  std::vector<bool> kinked_;           // by node, of those there were at the beginning
  std::vector<Curvature> curvatures_;  // and this
  std::vector<Range> ranges_;
  std::vector<KinkTerm> terms_;
};

}  // namespace

SplitObjective split_kinks(Graph& graph, Node objective, int slot, const InputRange& range,
                           const TakeKink& take) {
  if (kinks_below(graph, objective, slot).back() == false) return {objective, {}};
  Graph trial;
  const Node copy = copy_nodes(graph, std::array{objective}, trial)[0];
  KinkSplitter on_trial(trial, copy, slot, range, take);
  static_cast<void>(on_trial.rest(copy, trial.constant(1)));
  if (on_trial.take().empty()) return {objective, {}};
  KinkSplitter splitter(graph, objective, slot, range, take);
  const Node smooth = splitter.rest(objective, graph.constant(1));
  return {smooth, splitter.take()};
}

}  // namespace chaosgrad::internal
