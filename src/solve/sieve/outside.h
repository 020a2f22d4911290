#pragma once
// A sample at which the gradient is not a number, put into words.
#include "chaosgrad/problem.h"
#include "solve/sieve/error.h"
#include "solve/sieve/sieve_batch.h"

namespace chaosgrad::internal {

// outside_domain where the problem knows its objective or can explain itself, bad_gradient where
// nothing is known but the gradient. `shortened`: steps were halved before, in vain.
SieveVerdict fail_outside(const Oracle& oracle, const OutsidePoint& point, Run& run,
                          bool shortened = false);

}  // namespace chaosgrad::internal
