#include "expression/graph/ranges.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace chaosgrad::internal {
namespace {

// Bounds computed with the rounding of the machine bound what the machine computes, because
// rounding is monotone.
Range make_range(double lower, double upper, bool nonzero = false) {
  return {std::isnan(lower) ? -infinity : lower, std::isnan(upper) ? infinity : upper,
          nonzero || lower > 0 || upper < 0};
}

Range range_hull(const Range& a, const Range& b) {
  return make_range(std::min(a.lower, b.lower), std::max(a.upper, b.upper), a.nonzero && b.nonzero);
}

Range negated_range(const Range& a) { return make_range(-a.upper, -a.lower, a.nonzero); }

Range sum_range(const Range& a, const Range& b) {
  const bool alike = (a.lower >= 0 && b.lower >= 0) || (a.upper <= 0 && b.upper <= 0);
  return make_range(a.lower + b.lower, a.upper + b.upper, alike && (a.nonzero || b.nonzero));
}

// An infinite bound is never reached, so that 0·∞ is 0 here.
double bound_product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Range product_range(const Range& a, const Range& b) {
  const auto [lower, upper] =
      std::minmax({bound_product(a.lower, b.lower), bound_product(a.lower, b.upper),
                   bound_product(a.upper, b.lower), bound_product(a.upper, b.upper)});
  return make_range(lower, upper, a.nonzero && b.nonzero);
}

Range square_range(const Range& a) {
  const double low = a.lower * a.lower, high = a.upper * a.upper;
  const bool one_sign = a.lower >= 0 || a.upper <= 0;
  return make_range(one_sign ? std::min(low, high) : 0, std::max(low, high), a.nonzero);
}

Range quotient_range(const Range& a, const Range& b) {
  if (b.positive())
    return product_range(a, make_range(1 / b.upper, b.lower > 0 ? 1 / b.lower : infinity, true));
  if (b.negative()) return negated_range(quotient_range(a, negated_range(b)));
  return make_range(-infinity, infinity, a.nonzero);
}

Range power_range(const Range& a, double exponent) {
  if (std::isnan(exponent))  // it varies, and may be a whole number
    return a.lower >= 0 ? make_range(0, infinity, a.nonzero)
                        : make_range(-infinity, infinity, a.nonzero);
  if (exponent != std::floor(exponent)) {  // a is not negative, or the domain ends
    const bool bounded = exponent > 0 && a.lower >= 0;
    return make_range(bounded ? std::pow(a.lower, exponent) : 0,
                      bounded ? std::pow(a.upper, exponent) : infinity, a.nonzero);
  }
  if (exponent < 0) return quotient_range(make_range(1, 1), power_range(a, -exponent));
  if (std::fmod(exponent, 2) == 0) {
    const Range size = a.lower >= 0   ? a
                       : a.upper <= 0 ? negated_range(a)
                                      : make_range(0, std::max(-a.lower, a.upper), a.nonzero);
    return make_range(std::pow(size.lower, exponent), std::pow(size.upper, exponent), a.nonzero);
  }
  return make_range(std::pow(a.lower, exponent), std::pow(a.upper, exponent), a.nonzero);
}

Range times_range(double count, const Range& a) {
  const bool one_sign = a.positive() || a.negative();
  return make_range(bound_product(count, a.lower), bound_product(count, a.upper), one_sign);
}

Range function_range(Op op, const Range& a) {
  const auto monotone = [&](double (*f)(double)) {
    return make_range(f(a.lower), f(a.upper), a.nonzero);
  };
  switch (op) {
    case Op::sin:
    case Op::cos:
      return make_range(-1, 1);
    case Op::asin:
      return make_range(-std::numbers::pi / 2, std::numbers::pi / 2, a.nonzero);
    case Op::acos:
      return make_range(0, std::numbers::pi);
    case Op::atan:
      return monotone(std::atan);
    case Op::sinh:
      return monotone(std::sinh);
    case Op::tanh:
      return monotone(std::tanh);
    case Op::erf:
      return monotone(std::erf);
    case Op::floor:
      return make_range(std::floor(a.lower), std::floor(a.upper));
    case Op::ceil:
      return make_range(std::ceil(a.lower), std::ceil(a.upper));
    case Op::sign:
      return make_range(a.lower >= 0 ? 0 : -1, a.upper <= 0 ? 0 : 1, a.nonzero);
    case Op::cosh:
      return make_range(1, infinity);
    case Op::exp:
      return make_range(std::exp(a.lower), std::exp(a.upper), true);
    case Op::log:
      return make_range(a.lower > 0 ? std::log(a.lower) : -infinity, std::log(a.upper));
    case Op::sqrt:
      return make_range(std::sqrt(std::max(a.lower, 0.0)), std::sqrt(a.upper), a.nonzero);
    case Op::abs:
      return a.lower >= 0   ? a
             : a.upper <= 0 ? negated_range(a)
                            : make_range(0, std::max(-a.lower, a.upper), a.nonzero);
    case Op::normcdf:
    case Op::logistic:
      return make_range(0, 1, true);
    case Op::normal_pdf:
      return make_range(0, 1, true);
    case Op::softplus:
      return make_range(std::max(a.lower, 0.0), infinity, true);
    case Op::gamma_quantile:
      return make_range(0, infinity, true);
    case Op::beta_quantile:
      return make_range(0, 1, true);
    default:
      return {};
  }
}

Range constant_range(const Matrix& value) {
  if (!value.allFinite()) return {};
  return make_range(value.minCoeff(), value.maxCoeff(), (value.array() != 0).all());
}

// op(arguments…) from the ranges of the arguments.
Range combined_range(const GraphAccess::Data& data, Node node, std::span<const Range> ranges) {
  const auto arguments = data.arguments_of(node);
  const auto range = [&](std::size_t i) {
    return ranges[static_cast<std::size_t>(arguments[i].id)];
  };
  const auto count = [&] { return static_cast<double>(data.shape(arguments[0]).size()); };
  const Op op = data.op(node);
  if (is_comparison(op) || is_logical(op)) return make_range(0, 1);
  switch (op) {
    case Op::constant:
      return constant_range(*data.value(node));
    case Op::add:
      return sum_range(range(0), range(1));
    case Op::subtract:
      return sum_range(range(0), negated_range(range(1)));
    case Op::negate:
      return negated_range(range(0));
    case Op::multiply:
    case Op::masked_multiply:
      return arguments[0] == arguments[1] ? square_range(range(0))
                                          : product_range(range(0), range(1));
    case Op::outer:
      return product_range(range(0), range(1));
    case Op::divide:
      return quotient_range(range(0), range(1));
    case Op::power:
      return power_range(range(0), data.number(arguments[1]));
    case Op::min:
      return make_range(
          std::min(range(0).lower, range(1).lower), std::min(range(0).upper, range(1).upper),
          (range(0).nonzero && range(1).nonzero) || range(0).negative() || range(1).negative());
    case Op::max:
      return make_range(
          std::max(range(0).lower, range(1).lower), std::max(range(0).upper, range(1).upper),
          (range(0).nonzero && range(1).nonzero) || range(0).positive() || range(1).positive());
    case Op::select:
      return range_hull(range(1), range(2));
    case Op::huber:
      return range(1).lower >= 0 ? make_range(0, infinity) : Range{};
    case Op::sum:
      return times_range(count(), range(0));
    case Op::dot:
      return times_range(count(), arguments[0] == arguments[1] ? square_range(range(0))
                                                               : product_range(range(0), range(1)));
    case Op::norm2: {
      const Range squares = times_range(count(), square_range(range(0)));
      return make_range(std::sqrt(squares.lower), std::sqrt(squares.upper), range(0).nonzero);
    }
    case Op::product:
      return times_range(static_cast<double>(data.shape(arguments[0]).cols),
                         product_range(range(0), range(1)));
    case Op::transpose:
    case Op::element:
    case Op::lowest:
      return range(0);
    case Op::stack: {
      Range all = range(0);
      for (std::size_t i = 1; i < arguments.size(); ++i) all = range_hull(all, range(i));
      return all;
    }
    case Op::solve:
    case Op::same_piece:
      return {};
    default:
      return function_range(op, range(0));
  }
}

}  // namespace

std::vector<Range> find_ranges(const Graph& graph, Node last, const InputRange& input,
                               const Refinement& refined) {
  const GraphAccess::Data& data = GraphAccess::data(graph);
  std::vector<Range> ranges;
  ranges.reserve(static_cast<std::size_t>(last.id) + 1);
  for (std::int32_t id = 0; id <= last.id; ++id) {
    const Node node{id};
    const GraphAccess::Data::Entry& entry = data.entry(node);
    const Range range = entry.op == Op::input ? input(entry.slot, entry.detail, entry.shape.size())
                                              : combined_range(data, node, ranges);
    ranges.push_back(refined ? refined(node, range) : range);
  }
  return ranges;
}

Range intersection(const Range& a, const Range& b) {
  return {std::max(a.lower, b.lower), std::min(a.upper, b.upper), a.nonzero || b.nonzero};
}

namespace {

// a < b (or a ≤ b, or a ≠ b) holds: what is known of `node`?
Range compared_range(const GraphAccess::Data& data, Op op, Node a, Node b, Node node,
                     std::span<const Range> ranges) {
  Range range;
  const Range &left = ranges[static_cast<std::size_t>(a.id)],
              &right = ranges[static_cast<std::size_t>(b.id)];
  if (op == Op::not_equal) {
    range.nonzero = (b == node && left.lower == 0 && left.upper == 0) ||
                    (a == node && right.lower == 0 && right.upper == 0);
    return range;
  }
  const bool strict = op == Op::less;
  const bool above_zero = left.lower > 0 || (left.lower == 0 && (strict || left.nonzero));
  const bool below_zero = right.upper < 0 || (right.upper == 0 && (strict || right.nonzero));
  if (b == node) range = {left.lower, infinity, above_zero};
  if (a == node) range = {-infinity, right.upper, below_zero};
  if (data.op(b) == Op::abs && data.argument(b, 0) == node) range.nonzero = above_zero;
  return range;
}

}  // namespace

Range implied_range(const Graph& graph, Node truth, Node node, std::span<const Range> ranges) {
  const GraphAccess::Data& data = GraphAccess::data(graph);
  const Op op = data.op(truth);
  if (op == Op::logical_and) {
    return intersection(implied_range(graph, data.argument(truth, 0), node, ranges),
                        implied_range(graph, data.argument(truth, 1), node, ranges));
  }
  if (op == Op::less || op == Op::less_equal || op == Op::not_equal)
    return compared_range(data, op, data.argument(truth, 0), data.argument(truth, 1), node, ranges);
  if (op != Op::logical_not || !is_comparison(data.op(data.argument(truth, 0)))) return {};
  const Node denied = data.argument(truth, 0);
  const Node a = data.argument(denied, 0), b = data.argument(denied, 1);
  if (data.op(denied) == Op::less) return compared_range(data, Op::less_equal, b, a, node, ranges);
  if (data.op(denied) == Op::less_equal) return compared_range(data, Op::less, b, a, node, ranges);
  if (data.op(denied) == Op::equal) return compared_range(data, Op::not_equal, a, b, node, ranges);
  return {};
}

}  // namespace chaosgrad::internal
