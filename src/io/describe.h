#pragma once
// Distributions and options as JSON text, for programs that read a store without chaosgrad.
#include <string>

#include "chaosgrad/distribution.h"
#include "chaosgrad/options.h"

namespace chaosgrad::internal {

// {"distribution": "uniform", "lower": -1, "upper": 1}, with the keys of problem files. An infinite
// bound is null.
[[nodiscard]] std::string describe(const Distribution& distribution);
// The keys of [solve], with the values in force; null where a default depends on the method.
[[nodiscard]] std::string describe(const Options& options);

}  // namespace chaosgrad::internal
