#pragma once
// Quantiles of laws that only statistics need: one file compiles Boost's templates for them.

namespace chaosgrad::internal {

// Student's t with so many degrees of freedom.
[[nodiscard]] double student_quantile(double degrees, double p);

}  // namespace chaosgrad::internal
