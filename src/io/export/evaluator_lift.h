#pragma once
// The parts of an evaluator of a constrained solution.
#include "io/export/evaluator.h"

namespace chaosgrad::internal {

struct LiftedParts {
  Expansion y;  // without a lift, on the functions of both
  EvaluatorLift lift;
};
[[nodiscard]] LiftedParts lifted_parts(const Expansion& expansion);

// Points at which dx/dθ has one value, with what x, dx/dθ and the multipliers are there. They take
// the place of those of y.
void add_lifted_test(const Expansion& expansion, Evaluator& parts);

}  // namespace chaosgrad::internal
