#include <cmath>

#include "expression/graph/graph_data.h"

namespace chaosgrad::internal {
namespace {

// Multiplication by it is exact.
bool is_power_of_two(double value) {
  int exponent = 0;
  return std::abs(std::frexp(value, &exponent)) == 0.5 && std::abs(exponent) < 512;
}

class Simplifier {
 public:
  Simplifier(Graph& graph, SourceSpan span)
      : data_(GraphAccess::data(graph)), make_{graph, span}, graph_(graph) {}

  std::optional<Node> add(Node a, Node b) const {
    if (is_zero(a) && broadcasts(a, b)) return b;
    if (is_zero(b) && broadcasts(b, a)) return a;
    if (a == b) return make_(Op::multiply, {make_(2), a});
    if (is(b, Op::negate)) return make_(Op::subtract, {a, argument(b)});
    if (is(a, Op::negate)) return make_(Op::subtract, {b, argument(a)});
    return std::nullopt;
  }

  std::optional<Node> subtract(Node a, Node b) const {
    if (is_zero(b) && broadcasts(b, a)) return a;
    if (is_zero(a) && broadcasts(a, b)) return make_(Op::negate, {b});
    if (a == b) return zeros(a);
    if (is_constant(b)) return make_(Op::add, {a, make_(Op::negate, {b})});
    if (is(b, Op::negate)) return make_(Op::add, {a, argument(b)});
    if (is(a, Op::negate)) return make_(Op::negate, {make_(Op::add, {argument(a), b})});
    return std::nullopt;
  }

  std::optional<Node> negate(Node a) const {
    if (is(a, Op::negate)) return argument(a);
    if (is(a, Op::subtract)) return make_(Op::subtract, {argument(a, 1), argument(a)});
    if (is(a, Op::multiply) && is_constant(argument(a))) {
      return make_(Op::multiply, {make_(Op::negate, {argument(a)}), argument(a, 1)});
    }
    return std::nullopt;
  }

  std::optional<Node> multiply(Node a, Node b) const {
    if (is_constant(b)) std::swap(a, b);
    const double factor = number(a);
    if (factor == 1) return b;
    if (factor == -1) return make_(Op::negate, {b});
    if (data_.in_derivative && is_zero(a)) {
      return zeros(data_.shape(a).is_scalar() ? b : a);
    }
    if (is(a, Op::negate)) {
      return make_(Op::negate, {make_(Op::multiply, {argument(a), b})});
    }
    if (is(b, Op::negate)) {
      if (is_constant(a)) return make_(Op::multiply, {make_(Op::negate, {a}), argument(b)});
      return make_(Op::negate, {make_(Op::multiply, {a, argument(b)})});
    }
    if (is(b, Op::multiply) && is_constant(argument(b)) && is_constant(a) &&
        (is_power_of_two(factor) || is_power_of_two(number(argument(b))))) {
      return make_(Op::multiply, {make_(Op::multiply, {a, argument(b)}), argument(b, 1)});
    }
    if (a == b && is(a, Op::norm2)) return make_(Op::dot, {argument(a), argument(a)});
    if (!data_.shape(a).is_scalar()) std::swap(a, b);
    if (const auto [scalar, vector] = scaled_vector(b); scalar.id >= 0 && is_scalar(a)) {
      return make_(Op::multiply, {make_(Op::multiply, {a, scalar}), vector});
    }
    return std::nullopt;
  }

  std::optional<Node> divide(Node a, Node b) const {
    const double divisor = number(b);
    if (divisor == 1) return a;
    if (is_power_of_two(divisor)) return make_(Op::multiply, {a, make_(1 / divisor)});
    if (data_.in_derivative && is_zero(a)) return zeros(is_scalar(a) ? b : a);
    if (is(a, Op::negate)) return make_(Op::negate, {make_(Op::divide, {argument(a), b})});
    if (is(b, Op::negate)) return make_(Op::negate, {make_(Op::divide, {a, argument(b)})});
    return std::nullopt;
  }

  std::optional<Node> power(Node a, Node b) const {
    const double exponent = number(b);
    if (exponent == 0) return graph_.constant(ones(a));
    if (exponent == 1) return a;
    if (exponent == 2) return make_(Op::multiply, {a, a});
    if (exponent == 0.5) return make_(Op::sqrt, {a});
    if (exponent == -1) return make_(Op::divide, {make_(1), a});
    if (exponent == -0.5) return make_(Op::divide, {make_(1), make_(Op::sqrt, {a})});
    return std::nullopt;
  }

  std::optional<Node> masked_multiply(Node a, Node b) const {
    if (is_zero(a)) return zeros(is_scalar(a) ? b : a);
    if (is_constant(a) && (data_.value(a)->array() != 0).all()) {
      return make_(Op::multiply, {a, b});
    }
    if (is_constant(b) && data_.value(b)->allFinite()) {
      return make_(Op::multiply, {a, b});
    }
    return std::nullopt;
  }

  std::optional<Node> unary(Op op, Node a) const {
    if (op == Op::negate) return negate(a);
    if (op == Op::abs && is(a, Op::negate)) return make_(Op::abs, {argument(a)});
    if (op == Op::abs && (is(a, Op::abs) || is(a, Op::sqrt) || is(a, Op::exp))) return a;
    if (op == Op::sqrt && is(a, Op::multiply) && argument(a) == argument(a, 1)) {
      return make_(Op::abs, {argument(a)});
    }
    if (op == Op::log && is(a, Op::exp)) return argument(a);
    if (op == Op::transpose) return transpose(a);
    if (op == Op::sum) return sum(a);
    if (op == Op::norm2 && is_scalar(a)) return make_(Op::abs, {a});
    return std::nullopt;
  }

  std::optional<Node> select(Node condition, Node a, Node b) const {
    if (a == b && broadcasts(condition, a)) return a;
    const double decided = number(condition);
    if (std::isnan(decided)) return std::nullopt;
    const Node taken = decided != 0 ? a : b, other = decided != 0 ? b : a;
    if (broadcasts(other, taken)) return taken;
    return make_(Op::multiply, {taken, graph_.constant(ones(other))});
  }

  std::optional<Node> dot(Node a, Node b) const {
    if (is_scalar(a)) return make_(Op::multiply, {a, b});
    if (const auto [scalar, vector] = scaled_vector(a); scalar.id >= 0) {
      return make_(Op::multiply, {scalar, make_(Op::dot, {vector, b})});
    }
    if (const auto [scalar, vector] = scaled_vector(b); scalar.id >= 0) {
      return make_(Op::multiply, {scalar, make_(Op::dot, {a, vector})});
    }
    return std::nullopt;
  }

  std::optional<Node> product(Node a, Node b) const {
    if (is_scalar(a) || is_scalar(b)) return make_(Op::multiply, {a, b});
    if (data_.in_derivative && (is_zero(a) || is_zero(b))) {
      return graph_.constant(Matrix::Zero(data_.shape(a).rows, data_.shape(b).cols));
    }
    if (const auto [scalar, matrix] = scaled_vector(a); scalar.id >= 0) {
      return make_(Op::multiply, {scalar, make_(Op::product, {matrix, b})});
    }
    const auto [scalar, vector] = scaled_vector(b);
    // Scaling the result instead is no dearer unless the matrix is tall.
    if (scalar.id >= 0 && (data_.shape(a).rows <= data_.shape(a).cols || is_constant(vector))) {
      return make_(Op::multiply, {scalar, make_(Op::product, {a, vector})});
    }
    return std::nullopt;
  }

  std::optional<Node> outer(Node a, Node b) const {
    if (is_scalar(b)) return make_(Op::multiply, {a, b});
    if (is_scalar(a)) return make_(Op::multiply, {a, make_(Op::transpose, {b})});
    return std::nullopt;
  }

 private:
  bool is(Node node, Op op) const { return data_.op(node) == op; }
  bool is_scalar(Node node) const { return data_.shape(node).is_scalar(); }
  bool is_constant(Node node) const { return is(node, Op::constant); }
  bool is_zero(Node node) const {
    const Matrix* value = data_.value(node);
    return value && (value->array() == 0).all();
  }
  double number(Node node) const { return data_.number(node); }
  Node argument(Node node, std::size_t i = 0) const { return data_.argument(node, i); }
  // Whether `from` (op) `to` has the shape of `to`.
  bool broadcasts(Node from, Node to) const {
    return is_scalar(from) || data_.shape(from) == data_.shape(to);
  }
  Matrix ones(Node like) const {
    return Matrix::Ones(data_.shape(like).rows, data_.shape(like).cols);
  }
  Node zeros(Node like) const { return graph_.constant(Matrix(0 * ones(like))); }

  // (s, v) if the node is a scalar s times a vector or matrix v.
  std::pair<Node, Node> scaled_vector(Node node) const {
    if (!is(node, Op::multiply) || is_scalar(node)) return {};
    const Node a = argument(node), b = argument(node, 1);
    if (is_scalar(a)) return {a, b};
    if (is_scalar(b)) return {b, a};
    return {};
  }

  std::optional<Node> transpose(Node a) const {
    if (is_scalar(a)) return a;
    if (is(a, Op::transpose)) return argument(a);
    if (is(a, Op::outer)) return make_(Op::outer, {argument(a, 1), argument(a)});
    return std::nullopt;
  }

  std::optional<Node> sum(Node a) const {
    if (is_scalar(a)) return a;
    if (const auto [scalar, vector] = scaled_vector(a); scalar.id >= 0) {
      return make_(Op::multiply, {scalar, make_(Op::sum, {vector})});
    }
    if (is(a, Op::multiply)) return make_(Op::dot, {argument(a), argument(a, 1)});
    return std::nullopt;
  }

  const GraphAccess::Data& data_;
  Make make_;
  Graph& graph_;
};

}  // namespace

std::optional<Node> simplified(Graph& graph, Op op, std::span<const Node> arguments,
                               SourceSpan span) {
  const Simplifier simplify(graph, span);
  const Node a = arguments[0];
  if (arguments.size() == 1) return simplify.unary(op, a);
  const Node b = arguments[1];
  switch (op) {
    case Op::add:
      return simplify.add(a, b);
    case Op::subtract:
      return simplify.subtract(a, b);
    case Op::multiply:
      return simplify.multiply(a, b);
    case Op::divide:
      return simplify.divide(a, b);
    case Op::power:
      return simplify.power(a, b);
    case Op::masked_multiply:
      return simplify.masked_multiply(a, b);
    case Op::greater:
      return graph.apply(Op::less, std::initializer_list<Node>{b, a}, span);
    case Op::greater_equal:
      return graph.apply(Op::less_equal, std::initializer_list<Node>{b, a}, span);
    case Op::min:
    case Op::max:
      return a == b ? std::optional(a) : std::nullopt;
    case Op::select:
      return simplify.select(a, b, arguments[2]);
    case Op::dot:
      return simplify.dot(a, b);
    case Op::product:
      return simplify.product(a, b);
    case Op::outer:
      return simplify.outer(a, b);
    default:
      return std::nullopt;
  }
}

}  // namespace chaosgrad::internal
