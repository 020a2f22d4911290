// The functions of one number: where they are convex and where they increase.
#include <cmath>

#include "expression/convexity/rules.h"

namespace chaosgrad::internal {
namespace {

constexpr FunctionShape nothing = {};

// Even functions with their minimum at 0.
FunctionShape bowl(const Range& range) {
  const Monotone monotone = range.lower >= 0   ? Monotone::increasing
                            : range.upper <= 0 ? Monotone::decreasing
                                               : Monotone::neither;
  return {Curvature::convex, monotone};
}

// Increasing functions that bend the other way beyond `middle`.
FunctionShape turning(const Range& range, Curvature below, double middle = 0) {
  if (range.upper <= middle) return {below, Monotone::increasing};
  if (range.lower >= middle) return {negated(below), Monotone::increasing};
  return {Curvature::unknown, Monotone::increasing};
}

}  // namespace

FunctionShape function_shape(Op op, const Range& range) {
  switch (op) {
    case Op::negate:
      return {Curvature::affine, Monotone::decreasing};
    case Op::exp:
    case Op::softplus:
      return {Curvature::convex, Monotone::increasing};
    case Op::log:
    case Op::sqrt:
      return {Curvature::concave, Monotone::increasing};
    case Op::abs:
      if (range.lower >= 0) return {Curvature::affine, Monotone::increasing};
      if (range.upper <= 0) return {Curvature::affine, Monotone::decreasing};
      return bowl(range);
    case Op::cosh:
    case Op::huber:
      return bowl(range);
    case Op::sinh:
    case Op::asin:
      return turning(range, Curvature::concave);
    case Op::acos: {
      const FunctionShape asin = function_shape(Op::asin, range);
      return {negated(asin.curvature), Monotone::decreasing};
    }
    case Op::tanh:
    case Op::atan:
    case Op::erf:
    case Op::normcdf:
    case Op::logistic:
      return turning(range, Curvature::convex);
    case Op::normal_quantile:
      return turning(range, Curvature::concave, 0.5);
    default:
      return nothing;
  }
}

FunctionShape power_shape(double exponent, const Range& range) {
  if (std::isnan(exponent)) return nothing;
  const bool whole = exponent == std::floor(exponent);
  const bool even = whole && std::fmod(exponent, 2) == 0;
  if (exponent > 0 && exponent < 1) return {Curvature::concave, Monotone::increasing};
  if (exponent > 1) {
    if (even) return bowl(range);
    // A basis that is not negative: by its range, or because the domain ends there.
    if (range.lower >= 0) return {Curvature::convex, Monotone::increasing};
    if (!whole) return {Curvature::convex, Monotone::neither};
    return range.upper <= 0 ? FunctionShape{Curvature::concave, Monotone::increasing} : nothing;
  }
  if (exponent >= 0) return nothing;  // 0 and 1 are simplified away
  if (range.lower >= 0 || !whole) return {Curvature::convex, Monotone::decreasing};
  if (range.upper > 0) return nothing;
  return {even ? Curvature::convex : Curvature::concave,
          even ? Monotone::increasing : Monotone::decreasing};
}

Curvature composed(FunctionShape function, Curvature argument) {
  if (argument == Curvature::constant) return Curvature::constant;
  const Curvature seen = function.monotone == Monotone::decreasing ? negated(argument) : argument;
  if (function.curvature == Curvature::affine) return seen;
  if (function.curvature == Curvature::unknown) return Curvature::unknown;
  if (is_affine(argument)) return function.curvature;
  return function.monotone != Monotone::neither && seen == function.curvature ? seen
                                                                              : Curvature::unknown;
}

Curvature scaled(Curvature curvature, const Range& factor) {
  if (is_affine(curvature) || factor.lower >= 0) return curvature;
  return factor.upper <= 0 ? negated(curvature) : Curvature::unknown;
}

}  // namespace chaosgrad::internal
