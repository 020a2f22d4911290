#pragma once
// A sample at which the gradient is not a number, put into words.
#include "chaosgrad/problem.h"
#include "solve/sieve/context.h"
#include "solve/sieve/samples.h"

namespace chaosgrad::internal {

// outside_domain where the problem knows its objective or can explain itself, bad_gradient where
// nothing is known but the gradient. `shortened`: steps were halved before, in vain.
SieveVerdict fail_outside(const Oracle& oracle, const OutsidePoint& point, Run& run,
                          bool shortened = false);

// Takes half of the step back, if there is anything to go back to and it has not been tried too
// often; fails otherwise.
[[nodiscard]] SieveVerdict shorten(const SieveContext& context, const OutsidePoint& point,
                                   SieveState& state, Run& run);

}  // namespace chaosgrad::internal
