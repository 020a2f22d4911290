#pragma once
// Random numbers for tests: the same key gives the same numbers, whatever ran before.
#include <cstdint>

#include "random/random.h"

namespace chaosgrad::testing {

// rows × columns, independent and uniform on (−1, 1).
inline Matrix signed_numbers(std::uint64_t key, Index rows, Index columns) {
  Matrix numbers(rows, columns);
  internal::fill_uniform(internal::make_stream(1, internal::Purpose::test, key), 0, numbers);
  return (2 * numbers.array() - 1).matrix();
}

}  // namespace chaosgrad::testing
