// The domain of a formula: what its functions need, less what always holds.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "expression/graph/ranges.h"
#include "expression/graph/replace.h"
#include "expression/graph/requirements.h"

namespace chaosgrad::internal {
namespace {

bool is_start_need(Need need) {
  return need == Need::start_sign || need == Need::start_branch || need == Need::start_piece;
}

class DomainFinder {
 public:
  DomainFinder(Graph& graph, Node scalar, int slot, const Vector& start, const InputRange& input)
      : graph_(graph),
        data_(GraphAccess::data(graph)),
        make_{graph, {}},
        slot_(slot),
        start_(start),
        input_(input),
        always_(graph.constant(1)),
        requirements_(find_requirements(graph, scalar, slot)) {}

  Domain find() {
    if (requirements_.empty()) return {};
    look_at_start();
    const Node last{static_cast<std::int32_t>(graph_.size()) - 1};
    ranges_ = find_ranges(graph_, last, input_);
    note_signs();
    ranges_ = find_ranges(graph_, last, input_,
                          [&](Node node, Range range) { return refined(node, range); });
    for (const Requirement& requirement : requirements_) {
      if (!holds(requirement)) add(requirement);
    }
    combine();
    return std::move(domain_);
  }

 private:
  static std::size_t id(Node node) { return static_cast<std::size_t>(node.id); }

  // Where a pole divides the domain, and where the exponent may be a negative whole number.
  void look_at_start() {
    std::vector<Node> nodes;
    for (const Requirement& one : requirements_) {
      if (!is_start_need(one.need) && one.need != Need::real_power) continue;
      nodes.push_back(one.argument);
      nodes.push_back(one.guard);
    }
    const std::vector<Node> replaced = replace_inputs(graph_, nodes, slot_, start_);
    for (std::size_t i = 0; Requirement & one : requirements_) {
      if (!is_start_need(one.need) && one.need != Need::real_power) continue;
      one.at_start = replaced[i++];
      one.guard_at_start = replaced[i++];
    }
  }

  // 1 or −1 where the argument is known to have that sign at the start, else 0.
  int start_sign(const Requirement& one) const {
    const Range& here = ranges_[id(one.argument)];
    const Range& start = ranges_[id(one.at_start)];
    if (here.lower >= 0 || start.positive()) return 1;
    return here.upper <= 0 || start.negative() ? -1 : 0;
  }

  void note_signs() {
    for (const Requirement& one : requirements_) {
      if (!refines(one)) continue;
      Range& range = refinements_[one.argument.id];
      const int sign = one.need == Need::positive     ? 1
                       : one.need == Need::start_sign ? start_sign(one)
                                                      : 0;
      if (sign > 0 || one.need == Need::not_negative) range.lower = 0;
      if (sign < 0) range.upper = 0;
      range.nonzero = range.nonzero || sign != 0;
    }
  }

  Range natural(Node node, const Range& range) {
    natural_[node.id] = range;
    return range;
  }
  // On the domain, and so for all that is computed from the node.
  Range refined(Node node, const Range& range) {
    const auto found = refinements_.find(node.id);
    if (found == refinements_.end()) return range;
    return intersection(natural(node, range), found->second);
  }

  // A requirement cannot be left out because of the refinement that it made itself.
  bool refines(const Requirement& one) const {
    return one.guard == always_ && (one.need == Need::positive || one.need == Need::not_negative ||
                                    one.need == Need::start_sign);
  }

  bool holds(const Requirement& one) const {
    const auto own = natural_.find(one.argument.id);
    Range range = refines(one) && own != natural_.end() ? own->second : ranges_[id(one.argument)];
    if (one.guard != always_)
      range = intersection(range, implied_range(graph_, one.guard, one.argument, ranges_));
    switch (one.need) {
      case Need::positive:
        return range.positive();
      case Need::not_negative:
        return range.lower >= 0;
      case Need::start_sign:
        return range.nonzero && (one.guard != always_ || range.positive() || range.negative());
      case Need::start_branch:
        return range.lower >= -std::numbers::pi / 2 && range.upper <= std::numbers::pi / 2;
      case Need::up_to_one:
        return range.lower >= -1 && range.upper <= 1;
      case Need::unit:
        return range.positive() && range.upper < 1;
      case Need::real_power:
        return range.positive() || (range.lower >= 0 && ranges_[id(one.exponent)].lower >= 0);
      case Need::start_piece:
        return false;
    }
    return false;
  }

  // w, with the sign that makes it positive at the start; |w| where the start takes another branch.
  Node signed_like_start(const Requirement& one) {
    const int sign = start_sign(one);
    const Node w = one.argument;
    const double guarded = data_.number(one.guard_at_start);  // not a number if that varies
    if (guarded == 0) return make_(Op::abs, {w});
    if (sign != 0 && !std::isnan(guarded)) return sign > 0 ? w : make_(Op::negate, {w});
    Node factor = make_(Op::sign, {one.at_start});
    if (std::isnan(guarded))
      factor = make_(Op::select, {one.guard_at_start, factor, make_(Op::sign, {w})});
    return make_(Op::multiply, {factor, w});
  }

  Node margin(const Requirement& one) {
    const Node w = one.argument;
    switch (one.need) {
      case Need::start_sign:
        return signed_like_start(one);
      case Need::start_branch: {
        const auto branch = [&](Node angle) {
          const Node turns = make_(Op::multiply, {make_(std::numbers::inv_pi), angle});
          return make_(Op::floor, {make_(Op::add, {turns, make_(0.5)})});
        };
        return make_(Op::equal, {branch(w), branch(one.at_start)});
      }
      case Need::start_piece:
        return make_(Op::same_piece, {w, one.at_start});
      case Need::up_to_one:
        return make_(Op::subtract, {make_(1), make_(Op::abs, {w})});
      case Need::unit:
        return make_(Op::min, {w, make_(Op::subtract, {make_(1), w})});
      case Need::real_power: {
        // A whole exponent takes any basis, or any but 0 on the start's side if it is negative.
        const Node whole = make_(Op::equal, {one.exponent, make_(Op::floor, {one.exponent})});
        const Node natural = make_(Op::less_equal, {make_(0), one.exponent});
        const Node pole = make_(Op::select, {natural, make_(1), signed_like_start(one)});
        return make_(Op::select, {whole, pole, w});
      }
      default:
        return w;
    }
  }

  bool is_strict(const Requirement& one) const {
    if (one.need == Need::real_power) return !(ranges_[id(one.exponent)].lower >= 0);
    return one.need != Need::not_negative && one.need != Need::up_to_one;
  }

  void add(const Requirement& one) {
    DomainCondition condition{one.op,       one.span,    one.argument,  {},
                              one.exponent, margin(one), is_strict(one)};
    if (is_start_need(one.need)) condition.at_start = one.at_start;
    if (one.guard != always_)
      condition.margin = make_(Op::select, {one.guard, condition.margin, make_(1)});
    const auto same =
        std::ranges::find(domain_.conditions, condition.margin, &DomainCondition::margin);
    if (same == domain_.conditions.end())
      domain_.conditions.push_back(condition);
    else if (condition.strict && !same->strict)
      *same = condition;  // the same without the border
  }

  void combine() {
    Node strict, weak;
    for (const DomainCondition& condition : domain_.conditions) {
      Node margin = condition.margin;
      if (!graph_.shape(margin).is_scalar()) margin = make_(Op::lowest, {margin});
      Node& all = condition.strict ? strict : weak;
      all = all.id < 0 ? margin : make_(Op::min, {all, margin});
    }
    const Node above = strict.id < 0 ? strict : make_(Op::less, {make_(0), strict});
    const Node not_below = weak.id < 0 ? weak : make_(Op::less_equal, {make_(0), weak});
    domain_.inside = above.id < 0       ? not_below
                     : not_below.id < 0 ? above
                                        : make_(Op::logical_and, {above, not_below});
  }

  Graph& graph_;
  const GraphAccess::Data& data_;
  Make make_;
  int slot_;
  const Vector& start_;
  const InputRange& input_;
  Node always_;
  std::vector<Requirement> requirements_;
  std::vector<Range> ranges_;                  // by node
  std::map<std::int32_t, Range> refinements_;  // of arguments, from the requirements
  std::map<std::int32_t, Range> natural_;      // of the same, without their own requirement
  Domain domain_;
};

}  // namespace

Domain find_domain(Graph& graph, Node scalar, int slot, const Vector& start,
                   const InputRange& range) {
  return DomainFinder(graph, scalar, slot, start, range).find();
}

}  // namespace chaosgrad::internal
