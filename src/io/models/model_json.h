#pragma once
// Numbers of models as JSON: what they print for a number that is none is understood.
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "chaosgrad/types.h"

namespace chaosgrad::internal {

[[nodiscard]] inline nlohmann::json list_of(const Vector& values) {
  return nlohmann::json(std::vector<double>(values.begin(), values.end()));
}

// A number, or NaN for what is none: null, "nan".
[[nodiscard]] inline double number_of(const nlohmann::json& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

// JSON has no NaN, but models print it all the same: outside of texts it is read as null. The result
// is discarded() where the text is no JSON.
[[nodiscard]] nlohmann::json parse_answer(std::string_view text);

// The beginning of a text, for messages.
[[nodiscard]] std::string shortened(std::string_view text);

}  // namespace chaosgrad::internal
