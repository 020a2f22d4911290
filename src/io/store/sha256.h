#pragma once
// SHA-256 (FIPS 180-4), the checksum of stored runs: anyone can repeat it with sha256sum.
#include <string>
#include <string_view>

namespace chaosgrad::internal {

// 64 hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace chaosgrad::internal
