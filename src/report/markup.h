#pragma once
// Text in markup.
#include <string>
#include <string_view>

namespace chaosgrad::internal {

// Text as it may stand in SVG and HTML.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace chaosgrad::internal
