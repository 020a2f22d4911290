#include "expression/graph/polynomial.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace chaosgrad::internal {
namespace {

struct TooManyTerms {};

class PolynomialExpansion {
 public:
  PolynomialExpansion(Graph& graph, int slot, Index most_terms)
      : graph_(graph), data_(GraphAccess::data(graph)), slot_(slot), most_terms_(most_terms) {}

  // Empty if one of the nodes is no polynomial.
  std::optional<std::vector<Components>> expand(std::span<const Node> nodes) {
    one_ = graph_.constant(1);
    const std::vector<bool> needed = needed_for(nodes);
    known_.resize(needed.size());
    for (std::size_t i = 0; i < needed.size(); ++i) {
      if (!needed[i]) continue;
      const Node node{static_cast<std::int32_t>(i)};
      std::optional<Components> made = components_of(node);
      if (!made && slot_ == every_slot) made = as_variables(node);
      if (!made) return {};
      known_[i] = std::move(*made);
    }
    std::vector<Components> result;
    for (const Node node : nodes) result.push_back(get(node));
    return result;
  }

 private:
  static std::size_t id(Node node) { return static_cast<std::size_t>(node.id); }
  [[nodiscard]] bool varies(Node node) const {
    return slot_ == every_slot ? data_.entry(node).slots != 0 : graph_.depends_on(node, slot_);
  }

  [[nodiscard]] std::vector<bool> needed_for(std::span<const Node> nodes) const {
    std::vector<bool> needed(id(std::ranges::max(nodes, {}, &Node::id)) + 1);
    for (const Node node : nodes) needed[id(node)] = varies(node);
    for (std::size_t i = needed.size(); i-- > 0;) {
      if (!needed[i]) continue;
      for (const Node argument : sources({static_cast<std::int32_t>(i)}))
        needed[id(argument)] = varies(argument);
    }
    return needed;
  }

  // What is no polynomial as variables of others.
  Components as_variables(Node node) {
    Components result;
    for (Index i = 0; i < graph_.shape(node).size(); ++i)
      result.push_back(Polynomial{{Monomial{graph_.element(node, i).id}, Terms{{one_.id, 1.0}}}});
    return result;
  }

  // |v|₂² is a polynomial, |v|₂ is none.
  [[nodiscard]] bool is_squared_norm(Node node) const {
    return data_.op(node) == Op::power && data_.op(data_.argument(node, 0)) == Op::norm2 &&
           data_.number(data_.argument(node, 1)) == 2;
  }
  [[nodiscard]] std::span<const Node> sources(Node node) const {
    return data_.arguments_of(is_squared_norm(node) ? data_.argument(node, 0) : node);
  }

  Components get(Node node) {
    if (varies(node)) return known_[id(node)];
    Components constant;
    for (Index i = 0; i < graph_.shape(node).size(); ++i) {
      const Node part = graph_.shape(node).is_scalar() ? node : graph_.element(node, i);
      const double number = data_.number(part);
      Terms terms;
      if (std::isnan(number)) {
        terms[part.id] = 1;
      } else if (number != 0) {
        terms[one_.id] = number;
      }
      constant.push_back(Polynomial{{Monomial{}, terms}});
    }
    return constant;
  }

  void count(Index terms) {
    made_ += terms;
    if (made_ > most_terms_) throw TooManyTerms{};
  }

  void add_to(Polynomial& sum, const Polynomial& more, double factor) {
    for (const auto& [monomial, terms] : more) {
      Terms& into = sum[monomial];
      for (const auto& [node, value] : terms) into[node] += factor * value;
      count(static_cast<Index>(terms.size()));
    }
  }

  Polynomial product(const Polynomial& a, const Polynomial& b) {
    Polynomial result;
    for (const auto& [left, left_terms] : a) {
      for (const auto& [right, right_terms] : b) {
        Monomial both = left;
        both.insert(both.end(), right.begin(), right.end());
        std::ranges::sort(both);
        Terms& into = result[both];
        for (const auto& [p, p_value] : left_terms) {
          for (const auto& [q, q_value] : right_terms) {
            const Node node = p == one_.id ? Node{q}
                              : q == one_.id
                                  ? Node{p}
                                  : graph_.apply(Op::multiply, std::array{Node{p}, Node{q}});
            into[node.id] += p_value * q_value;
          }
        }
        count(static_cast<Index>(left_terms.size() * right_terms.size()));
      }
    }
    return result;
  }

  // Components of element-wise operations; numbers stand for all components.
  static const Polynomial& at(const Components& all, std::size_t i) {
    return all[all.size() == 1 ? 0 : i];
  }

  Components elementwise_sum(const Components& a, const Components& b, double sign) {
    Components result(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < result.size(); ++i) {
      add_to(result[i], at(a, i), 1);
      add_to(result[i], at(b, i), sign);
    }
    return result;
  }
  Components elementwise_product(const Components& a, const Components& b) {
    Components result;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
      result.push_back(product(at(a, i), at(b, i)));
    return result;
  }
  Polynomial inner_product(const Components& a, const Components& b) {
    Polynomial sum;
    for (std::size_t i = 0; i < a.size(); ++i) add_to(sum, product(a[i], b[i]), 1);
    return sum;
  }

  std::optional<Components> power(Node node) {
    const double exponent = data_.number(data_.argument(node, 1));
    if (is_squared_norm(node)) {
      const Components v = get(data_.argument(data_.argument(node, 0), 0));
      return Components{inner_product(v, v)};
    }
    if (!(exponent >= 1 && exponent <= 4 && exponent == std::floor(exponent))) return {};
    const Components base = get(data_.argument(node, 0));
    Components result = base;
    for (int k = 1; k < static_cast<int>(exponent); ++k) result = elementwise_product(result, base);
    return result;
  }

  std::optional<Components> quotient(Node node) {
    const Node below = data_.argument(node, 1);
    if (varies(below) && slot_ != every_slot) return {};
    const Node inverse = graph_.apply(Op::divide, std::array{one_, below});
    return elementwise_product(get(data_.argument(node, 0)),
                               varies(below) ? as_variables(inverse) : get(inverse));
  }

  Components matrix_product(Node node) {
    const Components a = get(data_.argument(node, 0)), b = get(data_.argument(node, 1));
    const Shape shape = graph_.shape(node);
    const auto rows = static_cast<std::size_t>(shape.rows);
    const std::size_t inner = a.size() / rows;
    Components result(static_cast<std::size_t>(shape.size()));
    for (std::size_t i = 0; i < result.size(); ++i) {
      for (std::size_t k = 0; k < inner; ++k)
        add_to(result[i], product(a[i % rows + k * rows], b[(i / rows) * inner + k]), 1);
    }
    return result;
  }

  std::optional<Components> components_of(Node node) {
    const GraphAccess::Data::Entry entry = data_.entry(node);
    const std::vector<Node> arguments(data_.arguments_of(node).begin(),
                                      data_.arguments_of(node).end());
    Components result;
    switch (entry.op) {
      case Op::input:
        if (slot_ == every_slot) return as_variables(node);
        for (Index i = 0; i < entry.shape.size(); ++i)
          result.push_back(Polynomial{{Monomial{entry.detail + i}, Terms{{one_.id, 1.0}}}});
        return result;
      case Op::add:
        return elementwise_sum(get(arguments[0]), get(arguments[1]), 1);
      case Op::subtract:
        return elementwise_sum(get(arguments[0]), get(arguments[1]), -1);
      case Op::negate:
        return elementwise_sum(Components(1), get(arguments[0]), -1);
      case Op::multiply:
        return elementwise_product(get(arguments[0]), get(arguments[1]));
      case Op::divide:
        return quotient(node);
      case Op::power:
        return power(node);
      case Op::sum:
        result.emplace_back();
        for (const Polynomial& part : get(arguments[0])) add_to(result[0], part, 1);
        return result;
      case Op::dot:
        return Components{inner_product(get(arguments[0]), get(arguments[1]))};
      case Op::product:
        return matrix_product(node);
      case Op::element:
        return Components{get(arguments[0])[static_cast<std::size_t>(entry.detail)]};
      case Op::stack:
        for (const Node part : arguments) result.push_back(get(part)[0]);
        return result;
      default:
        return {};
    }
  }

  Graph& graph_;
  const GraphAccess::Data& data_;
  int slot_;
  Index most_terms_, made_ = 0;
  Node one_;
  std::vector<Components> known_;
};

}  // namespace

std::optional<std::vector<Components>> as_polynomials(Graph& graph, std::span<const Node> nodes,
                                                      int slot, Index most_terms) {
  try {
    return PolynomialExpansion(graph, slot, most_terms).expand(nodes);
  } catch (const TooManyTerms&) {
    return {};
  }
}

std::optional<Node> expected_polynomial(
    Graph& graph, Node scalar, int slot,
    const std::function<double(const std::vector<Index>&)>& moment, Index most_terms) {
  const auto expanded = as_polynomials(graph, std::array{scalar}, slot, most_terms);
  if (!expanded) return {};
  Terms total;
  for (const auto& [monomial, terms] : (*expanded)[0][0]) {
    const double mean = moment(monomial);
    for (const auto& [node, factor] : terms) total[node] += mean * factor;
  }
  std::vector<Node> nodes;
  std::vector<double> factors;
  for (const auto& [node, factor] : total) {
    nodes.push_back({node});
    factors.push_back(factor);
  }
  const Node weights = graph.constant(
      Matrix(Eigen::Map<const Vector>(factors.data(), static_cast<Index>(factors.size()))));
  if (nodes.size() == 1) return graph.apply(Op::multiply, std::array{weights, nodes[0]});
  return graph.apply(Op::dot, std::array{weights, graph.apply(Op::stack, nodes)});
}

}  // namespace chaosgrad::internal
