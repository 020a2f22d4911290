#pragma once
// Names and versions that writing and reading a store share.
namespace chaosgrad::internal {

inline constexpr const char* format_name = "chaosgrad run";
// Raised when an older reader would misunderstand; additions do not raise it.
inline constexpr long format_version = 1;

inline constexpr const char* constant_names[] = {"mu", "L", "V", "VG"};

}  // namespace chaosgrad::internal
