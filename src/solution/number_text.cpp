#include "solution/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace chaosgrad::internal {
namespace {

constexpr int most_digits = 12;

// The exponent of the last decimal place that a bar > 0 supports.
int last_place(double bar) {
  const int exponent = static_cast<int>(std::floor(std::log10(bar)));
  const double leading = std::round(bar / std::pow(10.0, exponent));  // 10 for 9.7
  return leading >= 10 ? exponent : leading == 1 ? exponent - 1 : exponent;
}

// With all places down to 10^place.
std::string at_place(double value, int place) {
  const int first = value == 0 ? place : static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (first >= 7 || (first < -4 && value != 0))
    return fmt::format("{:.{}e}", value, std::clamp(first - place, 0, most_digits - 1));
  if (place < 0) return fmt::format("{:.{}f}", value, -place);
  const double unit = std::pow(10.0, place);
  return fmt::format("{:.0f}", std::round(value / unit) * unit);
}

}  // namespace

std::string rounded(double value, double bar) {
  if (!std::isfinite(value)) return "–";
  if (!std::isfinite(bar)) return fmt::format("{:.5g}", value);
  if (bar == 0) return fmt::format("{:.{}g}", value, most_digits);
  const int place = last_place(bar);
  if (std::abs(value) < 0.5 * std::pow(10.0, place)) return "0";
  const int first = static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (first - place >= most_digits) return fmt::format("{:.{}g}", value, most_digits);
  return at_place(value, place);
}

std::string csv_cell(double value) {
  return std::isnan(value) ? std::string() : fmt::format("{:.17g}", value);
}

std::string with_bar(const Estimate& estimate) {
  const std::string value = rounded(estimate.value, estimate.error);
  if (!std::isfinite(estimate.value)) return value;
  if (!std::isfinite(estimate.error)) return value + " ± ?";
  if (estimate.error == 0) return value + " ± 0";
  return value + " ± " + at_place(estimate.error, last_place(estimate.error));
}

}  // namespace chaosgrad::internal
