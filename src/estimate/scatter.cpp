#include "estimate/scatter.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace chaosgrad::internal {
namespace {

// max |F_a − F_b| of the distribution functions of two samples.
double distance_of_samples(const Vector& a, const Vector& b) {
  std::vector<std::pair<double, bool>> all;
  for (const double value : a) all.emplace_back(value, true);
  for (const double value : b) all.emplace_back(value, false);
  std::ranges::sort(all);
  double in_a = 0, in_b = 0, largest = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].second) {
      in_a += 1 / static_cast<double>(a.size());
    } else {
      in_b += 1 / static_cast<double>(b.size());
    }
    const bool last_of_equals = i + 1 == all.size() || all[i + 1].first != all[i].first;
    if (last_of_equals) largest = std::max(largest, std::abs(in_a - in_b));
  }
  return largest;
}

}  // namespace

Scatter scatter(const Matrix& failed, const Matrix& others) {
  Scatter found;
  if (failed.rows() == 0 || others.rows() == 0) return found;
  double largest = 0;
  for (Index k = 0; k < failed.cols(); ++k) {
    const double distance = distance_of_samples(failed.col(k), others.col(k));
    if (distance <= largest) continue;
    largest = distance;
    found.axis = k;
  }
  const auto k = static_cast<double>(failed.rows()), n = static_cast<double>(others.rows());
  const double one_axis = 2 * std::exp(-2 * largest * largest * k * n / (k + n));
  found.chance = std::min(1.0, static_cast<double>(failed.cols()) * one_axis);
  return found;
}

}  // namespace chaosgrad::internal
