#include "chaosgrad/chaosgrad.h"
#include "io/problem_file/source.h"
#include "paper/reproduce.h"
#include "report/page.h"

namespace chaosgrad::internal {
namespace {

// A number that is not finite, or beyond what the chart shows, interrupts the curve.
Json series_data(const Series& series) {
  return {{"label", series.label},
          {"x", series.x},
          {"y", series.y},
          {"markers", series.markers},
          {"dashed", series.dashed}};
}

Json chart_data(const Chart& chart) {
  Json series = Json::array();
  for (const Series& curve : chart.series) series.push_back(series_data(curve));
  Json data = {{"title", chart.title}, {"x_label", chart.x_label}, {"y_label", chart.y_label},
               {"log_x", chart.log_x}, {"log_y", chart.log_y},     {"series", std::move(series)}};
  if (std::isfinite(chart.largest_y)) data["largest_y"] = chart.largest_y;
  return data;
}

}  // namespace

std::string figures_html(const std::vector<Figure>& figures) {
  const std::string title = "The paper's experiments";
  Json list = Json::array();
  for (const Figure& figure : figures) {
    Json charts = Json::array();
    for (const Chart& chart : figure.charts) charts.push_back(chart_data(chart));
    list.push_back({{"name", figure.name},
                    {"charts", std::move(charts)},
                    {"facts", Json::parse(figure.facts)}});
  }
  return page_html(title, {{"kind", "figures"},
                           {"title", title},
                           {"version", version()},
                           {"figures", std::move(list)}});
}

void write_figures(const std::string& directory, const std::vector<Figure>& figures) {
  write_file(directory + "/report.html", figures_html(figures));
}

}  // namespace chaosgrad::internal
