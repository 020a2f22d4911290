#pragma once
// Functions that have their kinks at the same x, added up: 3 max(s, 0) − 2 max(−s, 0) is convex,
// max(s, 0) + 2 s.
#include <functional>
#include <vector>

#include "expression/expression.h"

namespace chaosgrad::internal {

// abs, max or min of affine functions, in each component: below + step max(c, 0), where step is 2, 1
// or −1, and above = below + step c.
struct AffineKink {
  Node function;
  Node argument;  // c, of the shape of the function, as the others unless they are numbers
  Node below, above;
  Node weight;              // of max(c, 0) in the objective: step times that of the function
  bool sign_known = false;  // weight ≥ 0 follows from the ranges
};
// Of a function whose arguments are affine in the inputs of `slot`.
[[nodiscard]] AffineKink affine_kink(Graph& graph, Node function, int slot, Node weight);

// Whether weight · max(c_i, 0) is a term to take out of the objective.
using AcceptWeight = std::function<bool(const AffineKink&, Node weight)>;

struct KinkSums {
  struct Term {            // weight · max(argument, 0)
    std::size_t kink = 0;  // the first of those that were added up
    Node argument, weight;
  };
  std::vector<Term> terms;
  std::vector<Node> rests;  // what is left of each function; id −1: it is not concerned
};

// Kinks are left alone unless one has the same place as another, and a weight that may be negative.
[[nodiscard]] KinkSums add_up_kinks(Graph& graph, std::span<const AffineKink> kinks,
                                    const AcceptWeight& accept);

}  // namespace chaosgrad::internal
