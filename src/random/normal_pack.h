#pragma once
// The standard normal quantile of one machine vector of values.
#include "numeric/transform.h"

namespace chaosgrad::internal {

[[nodiscard]] simd::Pack normal_quantile(const simd::Pack& p);

}  // namespace chaosgrad::internal
