#pragma once
// Numbers as JSON: null for what is not known or not finite.
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "chaosgrad/types.h"

namespace chaosgrad::internal {

using Json = nlohmann::ordered_json;

[[nodiscard]] inline Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
[[nodiscard]] inline Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}
[[nodiscard]] inline Json numbers(const Vector& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}
[[nodiscard]] inline Json rows(const Matrix& matrix) {
  Json list = Json::array();
  for (Index i = 0; i < matrix.rows(); ++i) list.push_back(numbers(matrix.row(i).transpose()));
  return list;
}

}  // namespace chaosgrad::internal
