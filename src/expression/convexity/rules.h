#pragma once
// The rules, for one operation at a time.
#include "expression/convexity/curvature.h"
#include "expression/graph/graph_data.h"

namespace chaosgrad::internal {

// What is known of a node.
struct NodeFacts {
  Curvature own = Curvature::unknown;
  // Of its logarithm, where the node is not negative: exp(a) has that of a, and sums of such
  // functions stay log-convex.
  Curvature log = Curvature::unknown;
  bool squares = false;  // a sum of squares of affine functions, and of numbers that are ≥ 0
  int degree = -1;       // as a polynomial; −1: none
};

// `facts` and `ranges` by node: those of the arguments are known. `slot`: of x.
[[nodiscard]] NodeFacts combined_facts(const GraphAccess::Data& data, Node node, int slot,
                                       std::span<const NodeFacts> facts,
                                       std::span<const Range> ranges);

// What a function of one number does on a range.
enum class Monotone { increasing, decreasing, neither };
struct FunctionShape {
  Curvature curvature = Curvature::unknown;
  Monotone monotone = Monotone::neither;
};
[[nodiscard]] FunctionShape function_shape(Op op, const Range& range);
[[nodiscard]] FunctionShape power_shape(double exponent, const Range& range);
[[nodiscard]] Curvature composed(FunctionShape function, Curvature argument);
// Of a factor with this range, which does not depend on x, times something.
[[nodiscard]] Curvature scaled(Curvature curvature, const Range& factor);

}  // namespace chaosgrad::internal
