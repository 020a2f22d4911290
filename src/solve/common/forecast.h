#pragma once
// How much an adaptive run still has to do, from how its error has come down so far.
#include <optional>
#include <vector>

#include "chaosgrad/solution.h"

namespace chaosgrad::internal {

// Gradients until the error estimate meets the tolerance, if it goes on to fall like N^−p, N the
// gradients so far: p by least squares through log estimate over log N of the last stages. Empty
// where the error does not fall, or with fewer than two stages.
[[nodiscard]] std::optional<double> gradients_to_go(const std::vector<IterationRecord>& stages,
                                                    double tolerance);

}  // namespace chaosgrad::internal
