#include "expression/convexity/kink_terms.h"

#include <algorithm>
#include <array>

#include "expression/convexity/curvature.h"
#include "expression/convexity/kink_sums.h"
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

// The objective is linear in some of its nodes: objective = … + Σ_i w_i node_i, and their weights w
// (numbers, or of the shape of the node) are found from the last node to the first, as adjoints
// are. What is left of the nodes is then put together from the first to the last.
class KinkSplitter {
 public:
  KinkSplitter(Graph& graph, Node objective, int slot, const InputRange& range,
               const TakeKink& take)
      : graph_(graph),
        data_(GraphAccess::data(graph)),
        make_{graph, {}},
        objective_(objective),
        slot_(slot),
        range_(range),
        take_(take),
        kinked_(kinks_below(graph, objective, slot)),
        curvatures_(find_curvatures(graph, std::array{objective}, slot, range)),
        states_(kinked_.size()) {}

  SplitObjective split() {
    state(objective_).weight = make_(1);
    for (std::size_t i = states_.size(); i-- > 0;) visit({static_cast<std::int32_t>(i)});
    std::ranges::reverse(kinks_);  // as written
    add_up();
    for (const Node node : kinks_) {
      if (!state(node).added_up) take(node);
    }
    for (std::size_t i = 0; i < states_.size(); ++i) assemble({static_cast<std::int32_t>(i)});
    return {state(objective_).rest, std::move(terms_)};
  }

 private:
  struct State {
    Node weight;            // id −1: the objective is not linear in it, or it has no kinks
    bool opened = false;    // its arguments have the weight now
    bool added_up = false;  // with other kinks
    Node rest;              // what is left of it; set for all with a weight
  };

  State& state(Node node) { return states_[static_cast<std::size_t>(node.id)]; }
  bool has_kinks(Node node) const { return kinked_[static_cast<std::size_t>(node.id)]; }
  bool depends(Node node) const { return graph_.depends_on(node, slot_); }
  Shape shape(Node node) const { return graph_.shape(node); }
  bool is_scalar(Node node) const { return shape(node).is_scalar(); }
  Curvature curvature(Node node) const {
    return depends(node) ? curvatures_[static_cast<std::size_t>(node.id)] : Curvature::constant;
  }
  std::vector<Node> arguments_of(Node node) const {
    return {data_.arguments_of(node).begin(), data_.arguments_of(node).end()};
  }

  Range range(Node node) {
    if (ranges_.size() <= static_cast<std::size_t>(node.id))
      ranges_ = find_ranges(graph_, {static_cast<std::int32_t>(graph_.size()) - 1}, range_);
    return ranges_[static_cast<std::size_t>(node.id)];
  }
  Node zeros(Node like) {
    return graph_.constant(Matrix(Matrix::Zero(shape(like).rows, shape(like).cols)));
  }
  Node filled(Node weight, Node like) {
    if (shape(weight) == shape(like)) return weight;
    const Matrix ones = Matrix::Ones(shape(like).rows, shape(like).cols);
    return make_(Op::multiply, {weight, graph_.constant(ones)});
  }
  bool is_zero(Node node) const {
    const Matrix* value = data_.value(node);
    return value && value->isZero(0);
  }

  // Adds to the weight of an argument of `node`; one that was broadcast collects the sum.
  void hand_on(Node node, Node argument, Node weight) {
    if (!has_kinks(argument) || is_zero(weight)) return;
    if (!is_scalar(node) && is_scalar(argument)) {
      weight = is_scalar(weight)
                   ? make_(Op::multiply, {make_(static_cast<double>(shape(node).size())), weight})
                   : make_(Op::sum, {weight});
    }
    Node& total = state(argument).weight;
    total = total.id < 0 ? weight : make_(Op::add, {total, weight});
  }

  void visit(Node node) {
    const Node weight = state(node).weight;
    if (weight.id < 0) return;
    state(node).rest = node;
    make_.span = data_.entry(node).span;
    const std::vector<Node> parts = arguments_of(node);
    switch (data_.op(node)) {
      case Op::abs:
      case Op::norm2:
      case Op::max:
      case Op::min:
        return kinks_.push_back(node);
      default:
        state(node).opened = open(node, parts, weight);
    }
  }

  // Hands the weight on; false if the node is not linear in what has kinks.
  bool open(Node node, const std::vector<Node>& parts, Node weight) {
    const Op op = data_.op(node);
    switch (op) {
      case Op::add:
        for (const Node part : parts) hand_on(node, part, weight);
        return true;
      case Op::sum:
        hand_on(parts[0], parts[0], weight);
        return true;
      case Op::subtract:
        hand_on(node, parts[0], weight);
        hand_on(node, parts[1], make_(Op::negate, {weight}));
        return true;
      case Op::negate:
        hand_on(node, parts[0], make_(Op::negate, {weight}));
        return true;
      case Op::multiply:
      case Op::dot:
      case Op::divide:
      case Op::product:
        return open_product(node, op, parts, weight);
      case Op::stack:
        for (std::size_t i = 0; i < parts.size(); ++i)
          hand_on(parts[i], parts[i], is_scalar(weight) ? weight : component(weight, i));
        return true;
      case Op::element: {
        Matrix unit = Matrix::Zero(shape(parts[0]).rows, shape(parts[0]).cols);
        unit.data()[data_.entry(node).detail] = 1;
        hand_on(node, parts[0], make_(Op::multiply, {weight, graph_.constant(unit)}));
        return true;
      }
      case Op::select:
        if (depends(parts[0])) return false;
        hand_on(node, parts[1], make_(Op::select, {parts[0], weight, make_(0)}));
        hand_on(node, parts[2], make_(Op::select, {parts[0], make_(0), weight}));
        return true;
      default:
        return false;
    }
  }
  Node component(Node weight, std::size_t i) {
    return graph_.element(weight, static_cast<Index>(i), make_.span);
  }

  bool open_product(Node node, Op op, const std::vector<Node>& parts, Node weight) {
    const std::size_t varying = depends(parts[0]) ? 0 : 1;
    const Node factor = parts[1 - varying], inner = parts[varying];
    if (depends(factor) || (op == Op::divide && varying == 1)) return false;
    if (op == Op::product) {  // wᵀ(M v) = (Mᵀw)ᵀ v
      if (varying == 0 || shape(inner).cols != 1) return false;
      const Node turned = make_(Op::transpose, {factor});
      hand_on(inner, inner, make_(Op::product, {turned, filled(weight, node)}));
      return true;
    }
    const Node scaled = make_(op == Op::divide ? Op::divide : Op::multiply, {weight, factor});
    op == Op::dot ? hand_on(inner, inner, scaled) : hand_on(node, inner, scaled);
    return true;
  }

  // Whether a weight that must not be negative may be so for all that is known.
  bool can_be_weight(Node weight) {
    const Range found = range(weight);
    return !(found.upper < 0 || (found.upper == 0 && found.lower < 0));
  }
  void add_term(KinkTerm::Kind kind, Node argument, Node weight, bool affine) {
    const Matrix* value = data_.value(weight);
    if (value && (value->array() == 0).any()) {  // some components are not used
      std::vector<Node> arguments, weights;
      for (Index i = 0; i < value->size(); ++i) {
        if (value->data()[i] == 0) continue;
        arguments.push_back(graph_.element(argument, i, make_.span));
        weights.push_back(graph_.element(weight, i, make_.span));
      }
      argument = graph_.apply(Op::stack, arguments, make_.span);
      weight = graph_.apply(Op::stack, weights, make_.span);
    }
    terms_.push_back({kind, argument, weight, make_.span, range(weight).lower >= 0, affine});
  }

  // Kinks at the same x become one term where a weight may be negative by itself.
  void add_up() {
    std::vector<AffineKink> affine;
    for (const Node node : kinks_) {
      if (has_affine_arguments(node))
        affine.push_back(affine_kink(graph_, node, slot_, state(node).weight));
    }
    for (AffineKink& kink : affine) kink.sign_known = range(kink.weight).lower >= 0;
    const KinkSums sums = add_up_kinks(graph_, affine, [&](const AffineKink& kink, Node weight) {
      return can_be_weight(weight) &&
             take_(graph_, {kink.function, kink.argument, make_(0), weight, true});
    });
    for (std::size_t k = 0; k < affine.size(); ++k) {
      if (sums.rests[k].id < 0) continue;
      state(affine[k].function).added_up = true;
      state(affine[k].function).rest = sums.rests[k];
    }
    for (const KinkSums::Term& term : sums.terms) {
      make_.span = data_.entry(affine[term.kink].function).span;
      add_term(KinkTerm::Kind::hinge, term.argument, term.weight, true);
    }
  }

  bool has_affine_arguments(Node node) const {
    return data_.op(node) != Op::norm2 &&
           std::ranges::all_of(data_.arguments_of(node), [&](Node part) {
             return !has_kinks(part) && is_affine(curvature(part));
           });
  }

  void take(Node node) {
    const std::vector<Node> parts = arguments_of(node);
    const Node weight = state(node).weight;
    make_.span = data_.entry(node).span;
    parts.size() == 1 ? take_size(node, parts[0], weight) : take_larger(node, parts, weight);
  }

  // |c| and |c|₂
  void take_size(Node node, Node argument, Node weight) {
    const bool is_norm = data_.op(node) == Op::norm2;
    if (!is_affine(curvature(argument)) || !can_be_weight(weight)) return;
    if (!take_(graph_, {node, argument, {}, weight})) return;
    add_term(is_norm ? KinkTerm::Kind::norm : KinkTerm::Kind::absolute, argument, weight, true);
    state(node).rest = zeros(node);
  }

  // w max(a, b) = w b + w max(a − b, 0), with b affine and a − b convex and smooth; or with a and b
  // exchanged. −w min(a, b) = w max(−a, −b).
  void take_larger(Node node, const std::vector<Node>& parts, Node weight) {
    const bool is_max = data_.op(node) == Op::max;
    const Node own = is_max ? weight : make_(Op::negate, {weight});
    const auto bend = [&](Node part) {
      return is_max ? curvature(part) : negated(curvature(part));
    };
    const bool second = !depends(parts[1]) || (depends(parts[0]) && is_affine(bend(parts[1])));
    const Node kept = parts[second ? 1 : 0], other = parts[second ? 0 : 1];
    if (!is_affine(bend(kept)) || !is_convex(bend(other)) || !can_be_weight(own)) return;
    const bool affine = is_affine(bend(other));
    if (has_kinks(other)) return is_max ? take_insensitive(node, kept, other, own) : void();
    if (!take_(graph_, {node, kept, other, own, affine})) return;
    const Node difference =
        is_max ? make_(Op::subtract, {other, kept}) : make_(Op::subtract, {kept, other});
    add_term(KinkTerm::Kind::hinge, difference, own, affine);
    state(node).rest = filled(kept, node);
  }

  // w max(|u| − r, 0) = w max(u − r, 0) + w max(−u − r, 0) for r ≥ 0, all numbers.
  void take_insensitive(Node node, Node kept, Node other, Node weight) {
    if (!is_scalar(node) || depends(kept)) return;
    const SplitObjective inner =
        KinkSplitter(graph_, other, slot_, range_, [](Graph&, const KinkCandidate&) {
          return true;
        }).split();
    const std::vector<KinkTerm>& found = inner.terms;
    if (found.size() != 1 || found[0].kind != KinkTerm::Kind::absolute || depends(inner.smooth) ||
        !is_scalar(found[0].argument) || !found[0].sign_known)
      return;
    const Node shift = make_(Op::subtract, {inner.smooth, kept});
    if (!(range(shift).upper <= 0) || !take_(graph_, {node, other, kept, weight, true})) return;
    const Node u = make_(Op::multiply, {found[0].weight, found[0].argument});
    add_term(KinkTerm::Kind::hinge, make_(Op::subtract, {shift, u}), weight, true);
    add_term(KinkTerm::Kind::hinge, make_(Op::add, {u, shift}), weight, true);
    state(node).rest = kept;
  }

  // The operation on what is left of its arguments.
  void assemble(Node node) {
    if (!state(node).opened) return;
    const GraphAccess::Data::Entry entry = data_.entry(node);
    const std::vector<Node> parts = arguments_of(node);
    std::vector<Node> left = parts;
    for (Node& part : left) {
      if (has_kinks(part) && state(part).rest.id >= 0) part = state(part).rest;
    }
    if (left == parts) return;
    make_.span = entry.span;
    const bool is_product = entry.op == Op::multiply || entry.op == Op::dot ||
                            entry.op == Op::divide || entry.op == Op::product;
    // 0·x is kept in formulas; here nothing is left of it.
    state(node).rest = is_product && (is_zero(left[0]) || is_zero(left[1]))
                           ? zeros(node)
                           : filled(rebuilt(graph_, entry, left), node);
  }

  Graph& graph_;
  const GraphAccess::Data& data_;
  Make make_;
  Node objective_;
  int slot_;
  const InputRange& range_;
  const TakeKink take_;
  std::vector<bool> kinked_;           // by node, of those there were at the beginning
  std::vector<Curvature> curvatures_;  // and these
  std::vector<State> states_;
  std::vector<Range> ranges_;
  std::vector<Node> kinks_;  // functions with a weight
  std::vector<KinkTerm> terms_;
};

}  // namespace

SplitObjective split_kinks(Graph& graph, Node objective, int slot, const InputRange& range,
                           const TakeKink& take) {
  if (!kinks_below(graph, objective, slot).back()) return {objective, {}};
  Graph trial;
  const Node copy = copy_nodes(graph, std::array{objective}, trial)[0];
  if (KinkSplitter(trial, copy, slot, range, take).split().smooth == copy) return {objective, {}};
  return KinkSplitter(graph, objective, slot, range, take).split();
}

}  // namespace chaosgrad::internal
