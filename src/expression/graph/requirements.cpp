#include "expression/graph/requirements.h"

#include <cmath>

#include "expression/graph/uses.h"

namespace chaosgrad::internal {
namespace {

class RequirementFinder {
 public:
  RequirementFinder(Graph& graph, int slot)
      : graph_(graph), data_(GraphAccess::data(graph)), make_{graph, {}}, slot_(slot) {}

  std::vector<Requirement> find(Node scalar) {
    const Uses uses = find_uses(graph_, scalar);
    always_ = uses.always;
    for (std::int32_t id = 0; id <= scalar.id; ++id) {
      const std::vector<Node>& when = uses.of[static_cast<std::size_t>(id)];
      if (!when.empty() && graph_.depends_on({id}, slot_)) collect({id}, when);
    }
    return std::move(requirements_);
  }

 private:
  void collect(Node node, const std::vector<Node>& when) {
    const Op op = data_.op(node);
    const auto need = [&](std::size_t i, Need what) {
      require(node, data_.argument(node, i), when, what);
    };
    switch (op) {
      case Op::log:
        return need(0, Need::positive);
      case Op::sqrt:
        return need(0, Need::not_negative);
      case Op::divide:
        return need(1, Need::start_sign);
      case Op::tan:
        return need(0, Need::start_branch);
      case Op::asin:
      case Op::acos:
        return need(0, Need::up_to_one);
      case Op::normal_quantile:
        return need(0, Need::unit);
      case Op::gamma_quantile:
      case Op::beta_quantile:
        need(0, Need::unit);
        for (std::size_t i = 1; i < data_.arguments_of(node).size(); ++i) need(i, Need::positive);
        return;
      case Op::solve:
        return require_regular(node, data_.argument(node, 0), when);
      case Op::power:
        return collect_power(node, when);
      default:
        return;
    }
  }

  void collect_power(Node node, const std::vector<Node>& when) {
    const Node base = data_.argument(node, 0), exponent = data_.argument(node, 1);
    const double number = data_.number(exponent);
    if (graph_.depends_on(exponent, slot_)) return require(node, base, when, Need::positive, true);
    if (std::isnan(number)) return require(node, base, when, Need::real_power);
    const bool whole = number == std::floor(number);
    if (whole && number >= 0) return;
    require(node, base, when,
            whole ? Need::start_sign : (number > 0 ? Need::not_negative : Need::positive));
  }

  // det(s·A) = 0 where s = 0 or det A = 0, and likewise of products.
  void require_regular(Node node, Node matrix, const std::vector<Node>& when) {
    const Op op = data_.op(matrix);
    const std::vector<Node> arguments(data_.arguments_of(matrix).begin(),
                                      data_.arguments_of(matrix).end());
    const auto is_square = [&](Node part) {
      return graph_.shape(part).rows == graph_.shape(part).cols;
    };
    const bool scaled = op == Op::multiply && (graph_.shape(arguments[0]).is_scalar() ||
                                               graph_.shape(arguments[1]).is_scalar());
    if (op == Op::negate || op == Op::transpose) {
      require_regular(node, arguments[0], when);
    } else if (scaled || (op == Op::product && is_square(arguments[0]))) {
      for (const Node part : arguments) require_regular(node, part, when);
    } else {
      require(node, matrix, when,
              graph_.shape(matrix).is_scalar() ? Need::start_sign : Need::start_piece);
    }
  }

  // One requirement, or one for each component where their guards differ. An argument that does not
  // depend on the slot limits nothing, unless it is `always` needed.
  void require(Node node, Node argument, const std::vector<Node>& when, Need need,
               bool always = false) {
    const auto add = [&](Node part, Node exponent, Node guard) {
      if (guard.id < 0 || (!always && !graph_.depends_on(part, slot_))) return;
      requirements_.push_back(
          {data_.op(node), graph_.span(node), need, part, guard, exponent, {}, {}});
    };
    const Node exponent = data_.op(node) == Op::power ? data_.argument(node, 1) : Node{};
    const bool splits = !graph_.shape(argument).is_scalar() && need != Need::start_piece;
    if (when.size() == 1 || !splits) return add(argument, exponent, any(when));
    for (std::size_t i = 0; i < when.size(); ++i) {
      const auto component = static_cast<Index>(i);
      const bool varies = exponent.id >= 0 && !graph_.shape(exponent).is_scalar();
      add(graph_.element(argument, component),
          varies ? graph_.element(exponent, component) : exponent, when[i]);
    }
  }

  Node any(const std::vector<Node>& when) {
    Node all;
    for (const Node one : when) {
      if (one.id < 0 || all == always_ || all == one) continue;
      all = all.id < 0 || one == always_ ? one : make_(Op::logical_or, {all, one});
    }
    return all;
  }

  Graph& graph_;
  const GraphAccess::Data& data_;
  Make make_;
  int slot_;
  Node always_;
  std::vector<Requirement> requirements_;
};

}  // namespace

std::vector<Requirement> find_requirements(Graph& graph, Node scalar, int slot) {
  return RequirementFinder(graph, slot).find(scalar);
}

}  // namespace chaosgrad::internal
