#pragma once
// What the operations of a formula need of their arguments: log w needs w > 0.
#include "expression/graph/graph_data.h"

namespace chaosgrad::internal {

enum class Need {
  positive,
  not_negative,
  start_sign,    // divided by: it must not cross 0 on the way from the start
  start_branch,  // of tan: no odd multiple of π/2 is crossed
  start_piece,   // of solve: a matrix that does not become singular
  up_to_one,     // |w| ≤ 1
  unit,          // 0 < w < 1
  real_power     // the basis of a power whose exponent varies: a whole number at some samples
};

// An operation that needs something of an argument (or of a component of it), when `guard` holds.
struct Requirement {
  Op op;
  SourceSpan span;
  Need need;
  Node argument, guard, exponent;
  // Argument and guard with the start for x, where they matter; set by who knows the start.
  Node at_start = {}, guard_at_start = {};
};

// The requirements of all that `scalar` is computed from and depends on `slot`, inner ones first.
[[nodiscard]] std::vector<Requirement> find_requirements(Graph& graph, Node scalar, int slot);

}  // namespace chaosgrad::internal
