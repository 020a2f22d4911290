#pragma once
// The standard normal quantile of one machine vector of values.
#include "random/vector_math.h"

namespace chaosgrad {

[[nodiscard]] Chunk normal_quantile(const Chunk& p);

}  // namespace chaosgrad
