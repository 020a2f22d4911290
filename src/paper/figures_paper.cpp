// Figures 1a, 1b, 2 and 3 of the paper.
#include <fmt/format.h>

#include "paper/figures.h"

namespace chaosgrad::internal {
namespace {

const char* const error_label = "mean of ‖u_k − P_m u*‖²";
const char* const root_schedule = "sqrt(k + 10) + 2";

// The table k, curve, curve, … and its picture.
Figure figure_of_means(const std::string& name, const std::string& title,
                       const std::vector<CurveResult>& curves) {
  Figure figure{.name = name, .columns = {"k"}, .rows = {}, .charts = {}, .facts = {}};
  const Vector k = counting(curves.front().mean().size());
  figure.rows.resize(k.size(), static_cast<Index>(curves.size()) + 1);
  figure.rows.col(0) = k;
  Chart chart{.title = title, .x_label = "iteration k", .y_label = error_label, .series = {}};
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const Vector mean = curves[c].mean();
    figure.columns.push_back(curves[c].name);
    figure.rows.col(static_cast<Index>(c) + 1) = mean;
    chart.series.push_back(make_series(curves[c].label, k, mean));
  }
  figure.charts = {chart};
  return figure;
}

Json facts_of(const std::string& name, const ReproduceOptions& options,
              const std::vector<CurveResult>& curves) {
  Json facts = common_facts(name, options, static_cast<Index>(curves.front().trials.size()));
  for (const CurveResult& curve : curves) facts["curves"][curve.name] = curve_facts(curve);
  return facts;
}

// Mean squared error of one curve over that of another after the last iteration.
double final_ratio(const CurveResult& above, const CurveResult& below) {
  return above.mean().tail(1).value() / below.mean().tail(1).value();
}

}  // namespace

Figure figure_exact(const ReproduceOptions& options) {
  const AnyProblem problem = gallery_problem("paper");
  std::vector<Curve> definitions = {
      paper_curve("gd", "gradient descent", problem, Method::gd, 300, root_schedule, 500),
      paper_curve("agd", "accelerated", problem, Method::agd, 300, root_schedule, 500)};
  for (Curve& curve : definitions) curve.options.gradient = GradientRule::quadrature;
  TrialRunner runner(options, 2);
  const std::vector<CurveResult> curves = runner.run(definitions, 1);
  Figure figure = figure_of_means("fig1a", "Figure 1a: exact gradient", curves);

  const Vector agd = curves[1].mean();
  Json growth = Json::array(), spikes = Json::array();
  const Schedule basis_size = root_schedule;
  const auto level = [&](Index k) {
    ScheduleInputs inputs;
    inputs.k = static_cast<double>(k);
    return std::floor(basis_size(inputs));
  };
  for (Index k = 2; k <= agd.size(); ++k) {
    if (level(k) > level(k - 1)) growth.push_back(k);
    if (agd(k - 1) > agd(k - 2)) spikes.push_back(k);
  }
  Json facts = facts_of("fig1a", options, curves);
  facts["basis_grows_at"] = growth;
  facts["accelerated_error_rises_at"] = spikes;
  facts["headline"] = {
      {"gd over agd at k = 300", beside(final_ratio(curves[0], curves[1]))},
      {"every rise of the accelerated curve is where m grows",
       beside(std::includes(growth.begin(), growth.end(), spikes.begin(), spikes.end()), true)}};
  figure.facts = facts.dump(2);
  return figure;
}

Figure figure_monte_carlo(const ReproduceOptions& options) {
  const AnyProblem problem = gallery_problem("paper");
  std::vector<Curve> definitions = {
      paper_curve("gd", "gradient descent", problem, Method::gd, 300, root_schedule, 500),
      paper_curve("agd", "accelerated", problem, Method::agd, 300, root_schedule, 500),
      paper_curve("uqsa", "stochastic approximation (UQSA)", problem, Method::uqsa, 300,
                  root_schedule, 500)};
  definitions[2].options.step = "1/(100 + k)";
  TrialRunner runner(options, 3 * options.trials);
  const std::vector<CurveResult> curves = runner.run(definitions, options.trials);
  Figure figure = figure_of_means("fig1b", "Figure 1b: Monte Carlo gradient, M = 500", curves);
  Json facts = facts_of("fig1b", options, curves);
  facts["headline"] = {{"gd over agd at k = 300", beside(final_ratio(curves[0], curves[1]))},
                       {"uqsa over gd at k = 300", beside(final_ratio(curves[2], curves[0]))},
                       {"uqsa over agd at k = 300", beside(final_ratio(curves[2], curves[1]))}};
  figure.facts = facts.dump(2);
  return figure;
}

Figure figure_noise(const ReproduceOptions& options) {
  const AnyProblem problem = gallery_problem("paper-noise");
  const std::vector<Curve> definitions = {
      paper_curve("gd", "gradient descent", problem, Method::gd, 300, root_schedule, 500),
      paper_curve("agd", "accelerated", problem, Method::agd, 300, root_schedule, 500)};
  TrialRunner runner(options, 2 * options.trials);
  const std::vector<CurveResult> curves = runner.run(definitions, options.trials);
  Figure figure = figure_of_means("fig2", "Figure 2: noise v in the gradient, M = 500", curves);
  Json facts = facts_of("fig2", options, curves);
  facts["headline"] = {{"gd error at k = 300", beside(curves[0].mean().tail(1).value())},
                       {"agd error at k = 300", beside(curves[1].mean().tail(1).value())}};
  figure.facts = facts.dump(2);
  return figure;
}

Figure figure_growing(const ReproduceOptions& options) {
  TrialRunner runner(options, 2 * options.trials);
  const std::vector<CurveResult> curves = runner.run(growing_and_fixed(), options.trials);
  Figure figure = figure_of_means("fig3", "Figure 3: growing against fixed basis, M = 250", curves);
  Json facts = facts_of("fig3", options, curves);
  facts["headline"] = {{"fixed over growing at k = 600", beside(final_ratio(curves[1], curves[0]))},
                       {"seconds per trial, growing", beside(curves[0].mean_seconds(), 2.5)},
                       {"seconds per trial, fixed", beside(curves[1].mean_seconds(), 4.0)},
                       {"time of fixed over growing",
                        beside(curves[1].mean_seconds() / curves[0].mean_seconds(), 1.6)}};
  figure.facts = facts.dump(2);
  return figure;
}

}  // namespace chaosgrad::internal
