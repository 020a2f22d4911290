#include "basis/family/supremum.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace chaosgrad::internal {

double maximise(const BatchFunction& f, double lower, double upper, Index points, bool clustered,
                double& argmax) {
  Vector grid(points), values(points);
  for (Index i = 0; i < points; ++i) {
    const double fraction = static_cast<double>(i) / static_cast<double>(points - 1);
    const double sine = std::sin(0.5 * std::numbers::pi * fraction);
    grid[i] = std::min(upper, lower + (upper - lower) * (clustered ? sine * sine : fraction));
  }
  f(grid.data(), points, values.data());
  Index best_index = 0;
  double best = values.maxCoeff(&best_index);
  argmax = grid[best_index];
  if (!std::isfinite(best)) return infinity;
  const double grid_best = best;
  const auto negative = [&f](double t) {
    double value = 0;
    f(&t, 1, &value);
    return -value;
  };
  for (Index i = 0; i < points; ++i) {
    const double left = values[std::max<Index>(i - 1, 0)];
    const double right = values[std::min(i + 1, points - 1)];
    // A sampled peak misses its top by little: the grid resolves every oscillation.
    if (values[i] < left || values[i] < right || values[i] < 0.8 * grid_best) continue;
    const auto [place, value] = boost::math::tools::brent_find_minima(
        negative, grid[std::max<Index>(i - 1, 0)], grid[std::min(i + 1, points - 1)],
        std::numeric_limits<double>::digits / 2);
    if (-value > best) {
      best = -value;
      argmax = place;
    }
  }
  return best;
}

}  // namespace chaosgrad::internal
