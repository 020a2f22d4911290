#include "paper/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/markup.h"

namespace chaosgrad::internal {
namespace {

// Sizes in pixels.
constexpr double panel_width = 600, plot_height = 320;
constexpr double left_margin = 76, right_margin = 20, bottom_margin = 56, title_height = 34,
                 legend_row = 20;
constexpr double plot_width = panel_width - left_margin - right_margin;
constexpr double letter_width = 6.7;  // of the legend's font, on average

// Okabe and Ito's colours, distinct for colour-blind readers too.
constexpr std::array<const char*, 6> colours = {"#0072B2", "#D55E00", "#009E73",
                                                "#CC79A7", "#56B4E9", "#E69F00"};

// 10ⁿ with the exponent in superscript characters.
std::string power_of_ten(int exponent) {
  constexpr std::array<const char*, 10> digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string result = exponent < 0 ? "10⁻" : "10";
  for (const char c : fmt::format("{}", std::abs(exponent)))
    result += digits[static_cast<std::size_t>(c - '0')];
  return result;
}

// One axis: values to pixels, and where its ticks are.
struct Axis {
  double low = 0, high = 1;  // log10 of the values on a logarithmic axis
  bool logarithmic = false;
  double first_pixel = 0, last_pixel = 1;

  struct Tick {
    double pixel;
    std::string label;  // empty: a minor line
  };

  [[nodiscard]] double pixel(double value) const {
    const double v = logarithmic ? std::log10(value) : value;
    return first_pixel + (v - low) / (high - low) * (last_pixel - first_pixel);
  }

  [[nodiscard]] std::vector<Tick> ticks() const {
    std::vector<Tick> result;
    if (!logarithmic) {
      const double rough = (high - low) / 6, size = std::pow(10.0, std::floor(std::log10(rough)));
      double step = 10 * size;
      for (const double nice : {5.0, 2.0, 1.0}) {
        if (nice * size >= rough) step = nice * size;
      }
      for (double n = std::ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; ++n) {
        result.push_back({pixel(n * step), fmt::format("{:.6g}", n * step + 0.0)});
      }
      return result;
    }
    const int stride = std::max(1, static_cast<int>(std::ceil((high - low) / 9)));
    for (int n = static_cast<int>(std::ceil(low - 1e-9)); n <= high + 1e-9; ++n) {
      const double power = std::pow(10.0, n);
      result.push_back({pixel(power), n % stride == 0 ? power_of_ten(n) : ""});
    }
    if (high - low <= 5) {
      for (int n = static_cast<int>(std::floor(low)); n < high; ++n) {
        for (int digit = 2; digit < 10; ++digit) {
          const double value = digit * std::pow(10.0, n);
          if (std::log10(value) > low && std::log10(value) < high)
            result.push_back({pixel(value), ""});
        }
      }
    }
    return result;
  }
};

bool visible(double x, double y, const Chart& chart) {
  return std::isfinite(x) && (!chart.log_x || x > 0) && std::isfinite(y) && (!chart.log_y || y > 0);
}

// Smallest and largest value shown, rounded outwards to decades on a logarithmic axis.
Axis fit_axis(const Chart& chart, bool vertical) {
  Axis axis;
  axis.logarithmic = vertical ? chart.log_y : chart.log_x;
  double low = infinity, high = -low;
  for (const Series& series : chart.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!visible(series.x[i], series.y[i], chart)) continue;
      const double value = vertical ? std::min(series.y[i], chart.largest_y) : series.x[i];
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (!(low <= high)) low = high = 1;
  if (axis.logarithmic) {
    low = std::log10(low);
    high = std::log10(high);
    axis.low = vertical || high - low > 1 ? std::floor(low + 1e-9) : low;
    axis.high = vertical || high - low > 1 ? std::ceil(high - 1e-9) : high;
  } else {
    const bool from_zero = !vertical && low > 0 && low < 0.3 * high;  // iterations, seconds
    const double room = vertical ? 0.04 * (high - low) : 0;
    axis.low = from_zero ? 0 : low - room;
    axis.high = high + room;
  }
  if (axis.high <= axis.low) axis.high = axis.low + 1;
  return axis;
}

// Where the legend's entries stand: x and row of each.
std::vector<std::pair<double, int>> place_legend(const Chart& chart) {
  std::vector<std::pair<double, int>> places;
  double x = 0;
  int row = 0;
  for (const Series& series : chart.series) {
    const auto letters = std::count_if(series.label.begin(), series.label.end(),
                                       [](char c) { return (c & 0xC0) != 0x80; });
    const double width = 34 + letter_width * static_cast<double>(letters) + 14;
    if (x > 0 && x + width > plot_width) {
      x = 0;
      ++row;
    }
    places.emplace_back(x, row);
    x += width;
  }
  return places;
}

std::string style(std::size_t i, const Series& series) {
  return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-linejoin=\"round\"{}",
                     colours[i % colours.size()], series.dashed ? " stroke-dasharray=\"6 4\"" : "");
}

std::string draw_series(const Chart& chart, const Series& series, std::size_t i, const Axis& x_axis,
                        const Axis& y_axis) {
  std::string path, marks;
  bool pen_down = false;
  for (std::size_t j = 0; j < series.x.size(); ++j) {
    if (!visible(series.x[j], series.y[j], chart)) {
      pen_down = false;
      continue;
    }
    // Far beyond the clip is as good as infinitely far, and keeps the numbers small.
    const double x = x_axis.pixel(series.x[j]),
                 y = y_axis.pixel(std::min(series.y[j], chart.largest_y * 10));
    path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x, y);
    pen_down = true;
    if (series.markers) {
      marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x, y,
                           colours[i % colours.size()]);
    }
  }
  return fmt::format("<path d=\"{}\" {}/>\n{}", path, style(i, series), marks);
}

std::string draw_grid(const Axis& x_axis, const Axis& y_axis, double top, double bottom) {
  std::string out;
  for (const Axis::Tick& tick : y_axis.ticks()) {
    out += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n",
                       left_margin, left_margin + plot_width, tick.pixel, tick.pixel,
                       tick.label.empty() ? "#f2f2f2" : "#dcdcdc");
    if (tick.label.empty()) continue;
    out += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                       left_margin - 8, tick.pixel + 4, tick.label);
  }
  for (const Axis::Tick& tick : x_axis.ticks()) {
    out += fmt::format("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{}\" y2=\"{}\" stroke=\"{}\"/>\n",
                       tick.pixel, tick.pixel, top, bottom,
                       tick.label.empty() ? "#f2f2f2" : "#dcdcdc");
    if (tick.label.empty()) continue;
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", tick.pixel,
                       bottom + 19, tick.label);
  }
  return out;
}

std::string draw_panel(const Chart& chart, int legend_rows, std::size_t number) {
  const double top = title_height + legend_rows * legend_row + 8, bottom = top + plot_height;
  Axis x_axis = fit_axis(chart, false), y_axis = fit_axis(chart, true);
  x_axis.first_pixel = left_margin;
  x_axis.last_pixel = left_margin + plot_width;
  y_axis.first_pixel = bottom;
  y_axis.last_pixel = top;

  std::string out =
      fmt::format("<g transform=\"translate({},0)\">\n", static_cast<double>(number) * panel_width);
  out += fmt::format("<text x=\"{}\" y=\"24\" font-size=\"15\" font-weight=\"bold\">{}</text>\n",
                     left_margin, escaped(chart.title));
  const auto places = place_legend(chart);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double x = left_margin + places[i].first,
                 y = title_height + places[i].second * legend_row + 12;
    out += fmt::format("<path d=\"M{:.1f} {:.1f}h26\" {}/>\n", x, y - 4, style(i, chart.series[i]));
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 34, y,
                       escaped(chart.series[i].label));
  }
  out += draw_grid(x_axis, y_axis, top, bottom);
  out += fmt::format(
      "<clipPath id=\"plot{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n",
      number, left_margin, top, plot_width, plot_height);
  out += fmt::format("<g clip-path=\"url(#plot{})\">\n", number);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    out += draw_series(chart, chart.series[i], i, x_axis, y_axis);
  }
  out += "</g>\n";
  out += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n",
      left_margin, top, plot_width, plot_height);
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                     left_margin + plot_width / 2, bottom + 42, escaped(chart.x_label));
  out += fmt::format(
      "<text transform=\"translate(20,{}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      top + plot_height / 2, escaped(chart.y_label));
  return out + "</g>\n";
}

}  // namespace

std::string draw(const std::vector<Chart>& panels) {
  int legend_rows = 1;
  for (const Chart& chart : panels) {
    for (const auto& place : place_legend(chart))
      legend_rows = std::max(legend_rows, place.second + 1);
  }
  const double width = panel_width * static_cast<double>(panels.size());
  const double height = title_height + legend_rows * legend_row + 8 + plot_height + bottom_margin;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"12.5\" "
      "fill=\"#222\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      width, height);
  for (std::size_t i = 0; i < panels.size(); ++i) out += draw_panel(panels[i], legend_rows, i);
  return out + "</svg>\n";
}

}  // namespace chaosgrad::internal
