#pragma once
// Line charts: what they show, and the same as SVG.
#include <string>
#include <vector>

#include "chaosgrad/types.h"

namespace chaosgrad::internal {

// A curve; a point that its axes cannot show (not finite, or not positive on a logarithmic one)
// interrupts it.
struct Series {
  std::string label;
  std::vector<double> x, y;
  bool markers = false;  // show the points
  bool dashed = false;
};

struct Chart {
  std::string title, x_label, y_label;
  std::vector<Series> series;
  bool log_x = false, log_y = true;
  double largest_y = infinity;  // curves are clipped above
};

// The charts side by side, on white.
[[nodiscard]] std::string draw(const std::vector<Chart>& charts);

}  // namespace chaosgrad::internal
