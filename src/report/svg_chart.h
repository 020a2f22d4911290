#pragma once
// Line charts as SVG text.
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace chaosgrad {

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
  double largest_y = std::numeric_limits<double>::infinity();  // curves are clipped above
};

// Text as it may stand in SVG and HTML.
[[nodiscard]] std::string escaped(std::string_view text);

// The charts side by side, on white.
[[nodiscard]] std::string draw(const std::vector<Chart>& panels);

}  // namespace chaosgrad
