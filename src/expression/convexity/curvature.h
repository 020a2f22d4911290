#pragma once
// How formulas bend in x, from rules as in disciplined convex programming (Grant, Boyd and Ye
// 2006): the curvature of an operation follows from those of its arguments, their signs and where
// it increases. What the rules cannot see is called unknown, and may still be convex.
#include <vector>

#include "expression/expression.h"

namespace chaosgrad::internal {

// In the inputs of one slot, of all components of a node, for any value of the other inputs. On the
// domain: log x is concave.
enum class Curvature {
  constant,  // does not depend on them
  affine,
  convex,
  concave,
  unknown
};

[[nodiscard]] bool is_affine(Curvature curvature);   // or constant
[[nodiscard]] bool is_convex(Curvature curvature);   // or affine
[[nodiscard]] bool is_concave(Curvature curvature);  // or affine
[[nodiscard]] Curvature negated(Curvature curvature);
// Of a sum; also of a vector that holds both, and of a choice between them that does not depend on
// x.
[[nodiscard]] Curvature sum_of(Curvature a, Curvature b);

// By node, of all that `nodes` are computed from; unknown for others. Quadratic functions are
// decided by the eigenvalues of their Hessian, for which the graph grows.
[[nodiscard]] std::vector<Curvature> find_curvatures(Graph& graph, std::span<const Node> nodes,
                                                     int slot, const InputRange& range);

}  // namespace chaosgrad::internal
