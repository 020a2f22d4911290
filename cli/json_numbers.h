#pragma once
// Numbers as JSON: null for what is not known or not finite.
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace chaosgrad::cli {
using namespace internal;

using Json = nlohmann::ordered_json;

[[nodiscard]] inline Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
[[nodiscard]] inline Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

}  // namespace chaosgrad::cli
