#pragma once
#include <string_view>

namespace chaosgrad {

[[nodiscard]] std::string_view version();

}  // namespace chaosgrad
