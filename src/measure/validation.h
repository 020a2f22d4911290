#pragma once
// Checks of parameters; each throws InputError with the field, what was found and what was
// expected.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "chaosgrad/error.h"

namespace chaosgrad::internal {

inline void require_finite(const char* field, double value) {
  if (!std::isfinite(value)) {
    throw InputError(field, fmt::format("must be a finite number, found {}", value));
  }
}

inline void require_positive(const char* field, double value) {
  require_finite(field, value);
  if (!(value > 0)) throw InputError(field, fmt::format("must be positive, found {}", value));
}

// lower < upper, neither NaN; infinite bounds are the caller's business.
inline void require_increasing(double lower, double upper) {
  if (!(lower < upper)) {
    throw InputError("upper",
                     fmt::format("must be greater than lower ({}), found {}", lower, upper));
  }
}

inline void require_bounded_interval(double lower, double upper) {
  require_finite("lower", lower);
  require_finite("upper", upper);
  require_increasing(lower, upper);
  if (!std::isfinite(upper - lower)) {
    throw InputError("upper", fmt::format("must be within {} of lower ({}), found {}",
                                          std::numeric_limits<double>::max(), lower, upper));
  }
}

}  // namespace chaosgrad::internal
