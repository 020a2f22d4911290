#include <fmt/format.h>

#include <algorithm>

#include "chaosgrad/report.h"
#include "chaosgrad/version.h"
#include "io/source.h"
#include "report/svg_chart.h"

namespace chaosgrad {
namespace {

constexpr Index most_components = 6;  // curves in a chart
constexpr Index most_parameters = 6;  // charts
constexpr Index curve_points = 241;

constexpr const char* page_head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{0}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; background: #fff; }}
h1 {{ font-size: 1.6rem; }} h2 {{ font-size: 1.2rem; margin-top: 2rem; }}
table {{ border-collapse: collapse; }} th, td {{ padding: .25rem .8rem; border-bottom: 1px solid #d0d7de; text-align: right; }}
th:first-child, td:first-child {{ text-align: left; }}
pre {{ background: #f6f8fa; padding: 1rem; overflow-x: auto; }} svg {{ max-width: 100%; height: auto; }}
.answer {{ border-left: 4px solid {1}; padding-left: 1rem; }}
</style></head><body>
)";

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.3g}", *value) : "unknown";
}

std::string answer(const Solution& solution, const Options& options) {
  const Run& run = solution.run;
  std::string html = fmt::format("<div class=\"answer\"><p><strong>{}</strong>: {}</p>\n",
                                 to_string(run.status), escaped(run.stop_reason));
  html += fmt::format(
      "<p>Error estimate <strong>{}</strong> (basis {}, sampling {}, optimisation {}); bound {}.",
      number(solution.error.estimate), number(solution.error.basis),
      number(solution.error.sampling), number(solution.error.optimisation),
      solution.error.bound ? fmt::format("{:.3g} with confidence {}", *solution.error.bound,
                                         solution.error.confidence)
                           : "none, because the strong convexity is not given");
  if (solution.true_error) html += fmt::format(" True error {:.3g}.", *solution.true_error);
  html += fmt::format(
      "</p>\n<p>Method {}, {} iterations, {} functions, {} gradients, {:.3g} s; &mu; = {:.4g}, L = "
      "{:.4g}, &kappa; = {:.4g}.</p>\n",
      to_string(options.method), run.history.size(), run.u.rows(), run.gradients, run.seconds,
      run.constants.mu.value, run.constants.L.value, run.constants.kappa());
  for (const std::string& note : run.notes) html += fmt::format("<p>Note: {}</p>\n", escaped(note));
  return html + "</div>\n";
}

std::string statistics(const ProblemFile& file, const Solution& solution) {
  const Vector means = mean(solution), deviations = sd(solution);
  const SobolIndices indices = sobol(solution);
  std::string html =
      "<h2>The optimum, over the uncertainty</h2>\n<table><tr><th></th><th>mean</th><th>sd</th>";
  for (const std::string& name : file.problem.parameter_names())
    html += fmt::format("<th>total Sobol' index of {}</th>", escaped(name));
  html += "</tr>\n";
  for (Index i = 0; i < means.size(); ++i) {
    html += fmt::format("<tr><td>{}</td><td>{:.6g}</td><td>{:.6g}</td>",
                        escaped(file.problem.component_names()[static_cast<std::size_t>(i)]),
                        means(i), deviations(i));
    for (const double index : indices.total.row(i)) html += fmt::format("<td>{:.3f}</td>", index);
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

// x*(θ) as parameter k goes from its 0.5 % to its 99.5 % quantile, the others at their medians.
Chart curve(const ProblemFile& file, const Solution& solution, Index k) {
  const std::vector<Distribution>& marginals = solution.expansion.measure().marginals();
  Matrix thetas(curve_points, static_cast<Index>(marginals.size()));
  for (std::size_t j = 0; j < marginals.size(); ++j)
    thetas.col(static_cast<Index>(j)).setConstant(marginals[j].quantile(0.5));
  const Distribution& marginal = marginals[static_cast<std::size_t>(k)];
  thetas.col(k).setLinSpaced(marginal.quantile(0.005), marginal.quantile(0.995));
  const Matrix x = solution.expansion.evaluate(thetas);
  const std::string& name = file.problem.parameter_names()[static_cast<std::size_t>(k)];
  Chart chart{.title = "x*(" + name + ")",
              .x_label = name,
              .y_label = "optimum",
              .series = {},
              .log_x = false,
              .log_y = false};
  for (Index i = 0; i < std::min(x.cols(), most_components); ++i) {
    Series series{
        .label = file.problem.component_names()[static_cast<std::size_t>(i)], .x = {}, .y = {}};
    for (Index j = 0; j < curve_points; ++j) {
      series.x.push_back(thetas(j, k));
      series.y.push_back(x(j, i));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

Chart convergence(const Run& run) {
  Chart chart{.title = "Convergence", .x_label = "iteration k", .y_label = "norm", .series = {}};
  Series gradient{.label = "gradient ‖D'‖", .x = {}, .y = {}},
      error{.label = "true error ‖x − x*‖", .x = {}, .y = {}};
  for (const IterationRecord& record : run.history) {
    gradient.x.push_back(static_cast<double>(record.k));
    gradient.y.push_back(record.gradient_norm);
    if (record.true_error) {
      error.x.push_back(static_cast<double>(record.k));
      error.y.push_back(*record.true_error);
    }
  }
  chart.series.push_back(std::move(gradient));
  if (!error.x.empty()) chart.series.push_back(std::move(error));
  return chart;
}

}  // namespace

std::string report_html(const ProblemFile& file, const Solution& solution) {
  const std::string title = escaped(file.title.empty() ? file.source.name : file.title);
  const bool failed = is_failure(solution.run.status);
  std::string html = fmt::format(page_head, title, failed ? "#cf222e" : "#1a7f37");
  html += fmt::format("<h1>{}</h1>\n", title) + answer(solution, file.options);
  if (!failed) {
    html += statistics(file, solution);
    const Index parameters =
        std::min<Index>(solution.expansion.measure().dimension(), most_parameters);
    for (Index k = 0; k < parameters; ++k)
      html += "<p>" + draw({curve(file, solution, k)}) + "</p>\n";
  }
  if (!solution.run.history.empty()) html += "<p>" + draw({convergence(solution.run)}) + "</p>\n";
  html += fmt::format("<h2>The problem</h2>\n<pre>{}</pre>\n", escaped(file.source.text));
  for (const std::string& override : file.source.overrides)
    html += fmt::format("<p>--set {}</p>\n", escaped(override));
  return html + fmt::format("<p>chaosgrad {}, seed {}.</p>\n</body></html>\n", version(),
                            file.options.seed);
}

void write_report(const std::string& directory, const ProblemFile& file, const Solution& solution) {
  write_file(directory + "/report.html", report_html(file, solution));
}

}  // namespace chaosgrad
