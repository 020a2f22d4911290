#pragma once
// Random bits to the open unit interval.
#include <cstdint>

namespace chaosgrad::internal {

// (k + 1/2) 2^-52 with k the top 52 bits: with 53 of them the largest value would round to 1.
[[nodiscard]] inline double open_unit_interval(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

}  // namespace chaosgrad::internal
