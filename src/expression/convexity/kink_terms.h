#pragma once
// Convex terms of an objective with kinks in x, taken out of the formula: f = smooth + Σ terms.
#include <functional>
#include <vector>

#include "expression/expression.h"

namespace chaosgrad::internal {

struct KinkTerm {
  enum class Kind {
    hinge,     // Σ_i w_i max(c_i, 0)
    absolute,  // Σ_i w_i |c_i|
    norm       // w |c|₂
  };
  Kind kind = Kind::hinge;
  Node argument;            // c: a number or a vector; affine in x, or convex (hinge)
  Node weight;              // w: a number, or for the first two as many as c
  SourceSpan span;          // of the function
  bool sign_known = false;  // w ≥ 0 follows from the ranges; else it is to be checked
  bool affine = true;
};

// A place where a kink could be taken out: a function (abs, max, min or norm2) of one or two
// arguments, and its weight, which does not depend on x. Whether it should.
struct KinkCandidate {
  Node function;
  Node argument, other;  // other: of max and min
  Node weight;
  bool affine = true;  // both are
};
using TakeKink = std::function<bool(Graph&, const KinkCandidate&)>;

struct SplitObjective {
  Node smooth;
  std::vector<KinkTerm> terms;
};

// Goes from the objective down through sums, differences, products with what does not depend on
// `slot`, sum(), dot(), elements, to abs, max, min and norm2 there. Terms of the wrong sign, unless
// others with the same kink make up for it, and functions inside of others stay where they are. The
// graph is left alone if nothing is taken out; `take` is asked about nodes of a copy first.
[[nodiscard]] SplitObjective split_kinks(Graph& graph, Node objective, int slot,
                                         const InputRange& range, const TakeKink& take);

// The node with abs, max and min replaced by what they are on the ranges of their arguments: |x| = x
// where x ≥ 0 always holds, and then its derivative at 0 is 1.
[[nodiscard]] Node resolved_by_range(Graph& graph, Node node, int slot, const InputRange& range);

}  // namespace chaosgrad::internal
