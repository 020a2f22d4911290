#include "expression/convexity/rules.h"

#include <algorithm>
#include <cmath>

namespace chaosgrad::internal {
namespace {

// One operation and what is known of its arguments.
class Rules {
 public:
  Rules(const GraphAccess::Data& data, Node node, std::span<const NodeFacts> facts,
        std::span<const Range> ranges)
      : data_(data),
        node_(node),
        arguments_(data.arguments_of(node)),
        facts_(facts),
        ranges_(ranges) {}

  Curvature own() const {
    switch (data_.op(node_)) {
      case Op::add:
        return sum_of(own(0), own(1));
      case Op::subtract:
        return sum_of(own(0), negated(own(1)));
      case Op::multiply:
      case Op::dot:
        return arguments_[0] == arguments_[1] ? composed(power_shape(2, range(0)), own(0))
                                              : times();
      case Op::product:
      case Op::outer:
        return times();
      case Op::divide:
        return quotient();
      case Op::power:
        return power();
      case Op::max:
        return larger(Op::max);
      case Op::min:
        return larger(Op::min);
      case Op::select:
        return own(0) == Curvature::constant ? sum_of(own(1), own(2)) : Curvature::unknown;
      case Op::sum:
      case Op::transpose:
      case Op::element:
        return own(0);
      case Op::stack:
        return joined([&](std::size_t i) { return own(i); });
      case Op::norm2:
        return composed(function_shape(Op::cosh, range(0)), own(0));  // in each component alike
      case Op::sqrt:
        if (facts(0).squares) return Curvature::convex;
        return composed(function_shape(Op::sqrt, range(0)), own(0));
      case Op::log:
        if (facts(0).log != Curvature::unknown) return facts(0).log;
        return composed(function_shape(Op::log, range(0)), own(0));
      case Op::huber:
        return own(1) == Curvature::constant && range(1).lower >= 0
                   ? composed(function_shape(Op::huber, range(0)), own(0))
                   : Curvature::unknown;
      case Op::solve:
        return own(0) == Curvature::constant && is_affine(own(1)) ? own(1) : Curvature::unknown;
      default:
        return arguments_.size() == 1 ? composed(function_shape(data_.op(node_), range(0)), own(0))
                                      : Curvature::unknown;
    }
  }

  Curvature log() const {
    const auto log = [&](std::size_t i) { return facts(i).log; };
    const auto if_convex = [](Curvature c) { return is_convex(c) ? c : Curvature::unknown; };
    switch (data_.op(node_)) {
      case Op::exp:
        return own(0);
      case Op::multiply:
        return sum_of(log(0), log(1));
      case Op::divide:
        return sum_of(log(0), negated(log(1)));
      case Op::sqrt:
      case Op::transpose:
      case Op::element:
        return log(0);
      case Op::power:
        return scaled(log(0), constant_range(arguments_[1]));
      case Op::stack:
        return joined(log);
      case Op::select:
        return own(0) == Curvature::constant ? sum_of(log(1), log(2)) : Curvature::unknown;
      // Sums of log-convex functions are log-convex, and so is the largest of them.
      case Op::add:
      case Op::max:
        return with_bend(if_convex(sum_of(log(0), log(1))));
      case Op::dot:
      case Op::product:
        return with_bend(if_convex(sum_of(log(0), log(1))));
      case Op::sum:
        return with_bend(if_convex(log(0)));
      case Op::cosh:
        return is_affine(own(0)) ? Curvature::convex : Curvature::unknown;
      case Op::logistic:
      case Op::normcdf:
        return is_concave(own(0)) ? Curvature::concave : Curvature::unknown;
      case Op::normal_pdf:
        return is_affine(own(0)) ? Curvature::concave : Curvature::unknown;
      default:
        return Curvature::unknown;
    }
  }

  bool squares() const {
    const auto is = [&](std::size_t i) { return facts(i).squares; };
    const auto factor = [&](std::size_t i) {
      return own(i) == Curvature::constant && range(i).lower >= 0;
    };
    switch (data_.op(node_)) {
      case Op::multiply:
      case Op::dot:
        if (arguments_[0] == arguments_[1]) return is_affine(own(0));
        return (factor(0) && is(1)) || (factor(1) && is(0));
      case Op::divide:
        return is(0) && factor(1);
      case Op::add:
        return is(0) && is(1);
      case Op::sum:
      case Op::element:
      case Op::transpose:
        return is(0);
      case Op::stack: {
        bool all = true;
        for (std::size_t i = 0; i < arguments_.size(); ++i) all = all && is(i);
        return all;
      }
      default:
        return false;
    }
  }

  int degree() const {
    const auto of = [&](std::size_t i) { return facts(i).degree; };
    const auto both = [&](auto combine) {
      return of(0) < 0 || of(1) < 0 ? -1 : combine(of(0), of(1));
    };
    switch (data_.op(node_)) {
      case Op::add:
      case Op::subtract:
        return both([](int a, int b) { return std::max(a, b); });
      case Op::multiply:
      case Op::dot:
      case Op::product:
      case Op::outer:
        return both([](int a, int b) { return a + b; });
      case Op::divide:
        return of(1) == 0 ? of(0) : -1;
      case Op::solve:
        return of(0) == 0 ? of(1) : -1;
      case Op::negate:
      case Op::sum:
      case Op::transpose:
      case Op::element:
        return of(0);
      case Op::stack: {
        int most = 0;
        for (std::size_t i = 0; i < arguments_.size(); ++i)
          most = most < 0 || of(i) < 0 ? -1 : std::max(most, of(i));
        return most;
      }
      default:
        return -1;
    }
  }

 private:
  const NodeFacts& facts(std::size_t i) const {
    return facts_[static_cast<std::size_t>(arguments_[i].id)];
  }
  const Range& range(std::size_t i) const {
    return ranges_[static_cast<std::size_t>(arguments_[i].id)];
  }
  Curvature own(std::size_t i) const { return facts(i).own; }

  template <class Of>
  Curvature joined(Of of) const {
    Curvature all = of(0);
    for (std::size_t i = 1; i < arguments_.size(); ++i) all = sum_of(all, of(i));
    return all;
  }

  // A sum of numbers with these logarithms is no longer log-affine.
  static Curvature with_bend(Curvature log) {
    return log == Curvature::affine ? Curvature::convex : log;
  }

  Range constant_range(Node node) const {
    const double value = data_.number(node);
    return std::isnan(value) ? Range{} : Range{value, value};
  }

  Curvature times() const {
    if (own(0) == Curvature::constant) return scaled(own(1), range(0));
    if (own(1) == Curvature::constant) return scaled(own(0), range(1));
    return Curvature::unknown;
  }

  Curvature quotient() const {
    if (own(1) == Curvature::constant) return scaled(own(0), range(1));
    if (facts(0).squares && range(1).lower >= 0 && is_concave(own(1))) return Curvature::convex;
    if (own(0) != Curvature::constant) return Curvature::unknown;
    return scaled(composed(power_shape(-1, range(1)), own(1)), range(0));
  }

  Curvature power() const {
    if (own(1) == Curvature::constant)
      return composed(power_shape(data_.number(arguments_[1]), range(0)), own(0));
    // a^x = exp(x log a)
    if (own(0) != Curvature::constant || !range(0).positive()) return Curvature::unknown;
    if (is_affine(own(1))) return Curvature::convex;
    const bool increases = range(0).lower >= 1, decreases = range(0).upper <= 1;
    const FunctionShape shape{Curvature::convex, increases   ? Monotone::increasing
                                                 : decreases ? Monotone::decreasing
                                                             : Monotone::neither};
    return composed(shape, own(1));
  }

  Curvature larger(Op op) const {
    const bool is_max = op == Op::max;
    if (range(0).lower >= range(1).upper) return is_max ? own(0) : own(1);
    if (range(1).lower >= range(0).upper) return is_max ? own(1) : own(0);
    const Curvature both = sum_of(own(0), own(1));
    const Curvature result = is_max ? Curvature::convex : Curvature::concave;
    return is_affine(both) || both == result ? result : Curvature::unknown;
  }

  const GraphAccess::Data& data_;
  Node node_;
  std::span<const Node> arguments_;
  std::span<const NodeFacts> facts_;
  std::span<const Range> ranges_;
};

}  // namespace

NodeFacts combined_facts(const GraphAccess::Data& data, Node node, int slot,
                         std::span<const NodeFacts> facts, std::span<const Range> ranges) {
  const GraphAccess::Data::Entry& entry = data.entry(node);
  const Range& range = ranges[static_cast<std::size_t>(node.id)];
  const bool not_negative = range.lower >= 0;
  if ((entry.slots >> slot & 1) == 0) {
    return {Curvature::constant, not_negative ? Curvature::constant : Curvature::unknown,
            not_negative, 0};
  }
  NodeFacts result;
  if (entry.op == Op::input) {
    result = {.own = Curvature::affine, .degree = 1};
  } else {
    const Rules rules(data, node, facts, ranges);
    result = {rules.own(), rules.log(), rules.squares(), rules.degree()};
  }
  if (result.squares) result.own = Curvature::convex;
  if (result.own == Curvature::unknown && is_convex(result.log)) result.own = Curvature::convex;
  if (result.log == Curvature::unknown && not_negative && is_concave(result.own))
    result.log = Curvature::concave;
  return result;
}

}  // namespace chaosgrad::internal
