#pragma once
// Which constraints are active at samples of θ, and how far they are from changing that.
#include <vector>

#include "chaosgrad/lift.h"

namespace chaosgrad::internal {

// What is active or not: a bound of one component, a row, or the rows of a norm together.
struct Binding {
  std::size_t constraint;  // in Constraints::list()
  Index first, count;      // the component of x, or the rows
};
[[nodiscard]] std::vector<Binding> bindings_of(const Constraints& constraints);

// Errors in the π-norm: of x and its components, of the multipliers of bounds and rows.
struct BindingErrors {
  double total = infinity;
  Vector components;    // q
  Vector bounds, rows;  // q and p
};

// B × bindings, distances in units of their own errors.
struct BindingBlock {
  Matrix slack;       // how far from equality; 0: active
  Matrix margin;      // how far the multiplier is from where the constraint lets go; 0 if inactive
  Matrix multiplier;  // λ ≥ 0 of bounds and rows c ≤ 0; 0 for norms
};
[[nodiscard]] BindingBlock bindings_at(const Constraints& constraints,
                                       const std::vector<Binding>& bindings,
                                       const BindingErrors& errors, const Block& theta,
                                       const LiftedBlock& lifted);

}  // namespace chaosgrad::internal
