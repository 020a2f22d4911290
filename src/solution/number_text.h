#pragma once
// Numbers with error bars as text: as many digits as the bar supports.
#include <string>

#include "chaosgrad/statistics.h"

namespace chaosgrad::internal {

// The value, rounded at the first digit of the bar (at the second if the first is 1). Unknown bars
// leave five digits. "–" for a value that is not a number.
[[nodiscard]] std::string rounded(double value, double bar);

// value ± bar; "value ± ?" where the bar is not known.
[[nodiscard]] std::string with_bar(const Estimate& estimate);

// For CSV: all digits; empty where the value is not a number.
[[nodiscard]] std::string csv_cell(double value);

}  // namespace chaosgrad::internal
