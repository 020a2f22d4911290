#pragma once
// Line charts with a logarithmic y axis, as SVG text.
#include <limits>
#include <string>
#include <vector>

namespace chaosgrad {

// A curve; a y that is not positive and finite interrupts it.
struct Series {
  std::string label;
  std::vector<double> x, y;
  bool markers = false;  // show the points
  bool dashed = false;
};

struct Chart {
  std::string title, x_label, y_label;
  std::vector<Series> series;
  bool log_x = false;
  double largest_y = std::numeric_limits<double>::infinity();  // curves are clipped above
};

// The charts side by side, on white.
[[nodiscard]] std::string draw(const std::vector<Chart>& panels);

}  // namespace chaosgrad
