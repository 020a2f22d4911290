#pragma once
// Distributions and options as JSON text that other programs can read, and back.
#include <string>

#include "chaosgrad/distribution.h"
#include "chaosgrad/options.h"

namespace chaosgrad::internal {

// {"distribution": "uniform", "lower": -1, "upper": 1}, with the keys of problem files. An infinite
// bound is null.
[[nodiscard]] std::string describe(const Distribution& distribution);
// The keys of [solve], with the values in force; null where a default depends on the method.
[[nodiscard]] std::string describe(const Options& options);

// As describe() wrote them. Throws IoError for a name that is not known.
[[nodiscard]] Distribution distribution_of(const std::string& description);
// A schedule that was a C++ function is left out. Throws PlacedError for other text.
[[nodiscard]] Options options_of(const std::string& description);

}  // namespace chaosgrad::internal
